/** What must never stand in a log line, wherever it came from. */
import type { Redacted } from "effect"
import type { Settings } from "@model-gateway/gateway/internal/core/domain/Settings"

export const secretsOf = ({ alerts, masterKey, providers }: Settings): ReadonlyArray<Redacted.Redacted> => [
  masterKey,
  ...alerts.flatMap(({ secret }) => secret ?? []),
  ...providers.flatMap(({ apiKeys }) => apiKeys)
]
