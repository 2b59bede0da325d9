/** What `model-gateway demo` runs: the demo provider in all four buckets, its models for other operations, and one that fails, to see failover at work. */
import { Redacted, Result } from "effect"
import { parseSettings } from "@model-gateway/gateway/internal/config/ParseSettings"
import type { Settings } from "@model-gateway/gateway/internal/core/domain/Settings"
import { knownVendors } from "@model-gateway/gateway/internal/providers/vendors/Vendors"

const configuration = `
master_key: "\${MASTER_KEY}"
providers:
  demo: { vendor: demo }
deployments:
  - demo/mini
  - demo/standard
  - demo/large
  - demo/reasoner
  - demo/embed
  - demo/moderation
  - demo/transcribe
  - demo/speech
  - demo/picture
  - demo/rerank
  - demo/status-500
models:
  failover: [demo/status-500, demo/mini]
router:
  buckets: { simple: [demo/mini], standard: [demo/standard], complex: [demo/large], reasoning: [demo/reasoner] }
`

export const demoSettings = (options: {
  readonly masterKey: string
  readonly store: string
  readonly host: string
  readonly port: number
}): Settings => {
  const parsed = parseSettings(configuration, {
    file: "demo.yaml",
    vendors: knownVendors,
    environment: { MASTER_KEY: options.masterKey },
    readFile: () => Result.fail("the demo reads no files")
  })
  const settings = Result.getOrThrow(parsed)
  return {
    ...settings,
    masterKey: Redacted.make(options.masterKey),
    server: { ...settings.server, host: options.host, port: options.port },
    store: { ...settings.store, sqlite: options.store }
  }
}
