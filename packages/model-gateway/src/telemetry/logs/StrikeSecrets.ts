/** What must never stand in a log line, wherever it came from. */
import type { Redacted } from "effect"
import type { Settings } from "@model-gateway/gateway/internal/core/domain/Settings"

export const secretsOf = ({
  alerts,

  guardrails,
  masterKey,
  providers
}: Settings): ReadonlyArray<Redacted.Redacted> => [
  masterKey,
  ...alerts.flatMap(({ secret }) => secret ?? []),
  ...(guardrails?.checks ?? []).flatMap((check) => (check.kind === "webhook" ? check.secret : [])),
  ...providers.flatMap(({ apiKeys }) => apiKeys)
]
