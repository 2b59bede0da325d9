/**
 * The commented `gateway.yaml` that `model-gateway init` writes. Lines that begin with `#` and no blank are settings to switch on.
 */
import type { KnownVendor } from "@model-gateway/gateway/internal/core/domain/Settings"
import { lookUp, type Environment } from "@model-gateway/gateway/internal/config/Interpolation"

export interface StarterVendor extends KnownVendor {
  /** One model per bucket, lowest first. */
  readonly starterModels: ReadonlyArray<string>
}

interface StarterOptions {
  /** A fresh one; it is written out, so the file must be readable by its owner only. */
  readonly masterKey: string
  readonly vendors: ReadonlyArray<StarterVendor>
  readonly environment: Environment
}

const BUCKETS = ["simple", "standard", "complex", "reasoning"]
const DEMO = "demo"

/** A provider and deployments for every vendor whose key is in the environment; where there is none, the demo vendor. */
export const starterConfig = ({ environment, masterKey, vendors }: StarterOptions): string => {
  const withKey = vendors.filter(
    ({ apiKeyVariable, starterModels }) =>
      apiKeyVariable !== undefined && lookUp(environment, apiKeyVariable) !== undefined && starterModels.length > 0
  )
  const chosen = withKey.length > 0 ? withKey : vendors.filter((vendor) => vendor.name === DEMO)
  const modelsOf = (bucket: number) => chosen.map((vendor) => modelOf(vendor, bucket))
  const deployments = [
    ...new Set(chosen.flatMap((vendor) => vendor.starterModels.map((model) => `${vendor.name}/${model}`)))
  ]

  return `# The configuration of the model gateway. \`model-gateway check\` explains it; \`model-gateway serve\` runs it.
# Any text may hold \${NAME} or \${NAME:-default} (environment) or \${file:/run/secrets/x}; a plain \${ is written $\${.

# Opens everything under /admin. Whoever has it can make keys and see all spending: keep this file to yourself, or write
# \${GATEWAY_MASTER_KEY} here and set that variable.
master_key: ${JSON.stringify(masterKey.replaceAll("${", () => "$${"))}

#server: { host: 127.0.0.1, port: 4100, max_body_mb: 32, max_upload_mb: 200, shutdown_grace: 300s }

# One line on stderr for each request: off, errors or all; text or json.
#logs: { requests: errors, format: text }

# Keys, budgets and the ledger. A relative path counts from the folder of this file.
#store: { sqlite: ./gateway.db, synchronous: full }

# Whom to call. The name is the <provider> in <provider>/<model>. A list of keys is a pool. For an endpoint of your own:
#   vllm: { protocol: openai-chat, base_url: "http://127.0.0.1:8000/v1", api_key: none }
providers:
${chosen.map(providerLine).join("\n")}

# What may be called. A deployment with more to say than its name is a group:
#   - id: vllm/llama
#     provider: vllm
#     model: meta-llama/Llama-4-8B
#     price: { input: 0.10, cached_input: 0.02, output: 0.40 }   # USD per million tokens
#     context_window: 131072
deployments:
${deployments.map((id) => `  - ${quoted(id)}`).join("\n")}

# Further names that callers may use, for one deployment or for several in order.
models:
  fast: ${flowList(modelsOf(0))}
  best: ${flowList(modelsOf(BUCKETS.length - 1))}

# What stands behind model "auto": the prompt gets a score from 0 to 1, and the cut points say which bucket that is.
router:
  buckets:
${BUCKETS.map((name, bucket) => `    ${name}: ${flowList(modelsOf(bucket))}`).join("\n")}
  cut_points: [0.35, 0.65, 0.85]
  # How far callers may move them with X-Gateway-Route-Prefer: cost or quality.
#  prefer_shift: 0.15
  # A model trained on your own outcomes, read again when the file changes; builtin@2 keeps the one of this release.
#  model: ./my-router.json
  # Decide and record, but route as without a router: the strongest bucket answers.
#  shadow: true

# When a call fails, the next deployment is tried. Orders: listed, weight, least_busy, latency, cost, priority.
#failover: { attempts: 3, base_delay: 250ms, order: listed, stream_recovery: cut, session_affinity: true }
`
}

/** A vendor with fewer models than buckets serves the higher ones with its last. */
const modelOf = (vendor: StarterVendor, bucket: number): string =>
  `${vendor.name}/${vendor.starterModels[bucket] ?? vendor.starterModels.at(-1)}`

const providerLine = ({ apiKeyVariable, name }: KnownVendor): string =>
  apiKeyVariable === undefined ? `  ${name}: { vendor: ${name} }` : `  ${name}: { api_key: "\${${apiKeyVariable}}" }`

const flowList = (names: ReadonlyArray<string>): string => `[${[...new Set(names)].map(quoted).join(", ")}]`

/** Model names may hold anything, e.g. a colon. */
const quoted = (name: string): string => (/^[A-Za-z][\w./-]*$/.test(name) ? name : JSON.stringify(name))
