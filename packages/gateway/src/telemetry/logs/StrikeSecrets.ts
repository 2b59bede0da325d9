/** What must never stand in a log line, wherever it came from. */
import type { Redacted } from "effect"
import type { Settings } from "../../core/domain/Settings.ts"

export const secretsOf = ({ alerts, masterKey, providers }: Settings): ReadonlyArray<Redacted.Redacted> => [
  masterKey,
  ...alerts.flatMap(({ secret }) => secret ?? []),
  ...providers.flatMap(({ apiKeys }) => apiKeys)
]
