/** The commented `gateway.yaml` that `model-gateway init` writes. Lines that begin with `#` and no blank are settings to switch on. */
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

  return `# Configuration of the model gateway. \`model-gateway check\` shows what it means, and \`model-gateway serve\` runs it.
# Values can contain \${NAME} or \${NAME:-default} (environment variables) and \${file:/run/secrets/x}. Write $\${ for a literal \${.

# Gives access to everything under /admin: it can create keys and read all spend. Keep this file private, or write
# \${GATEWAY_MASTER_KEY} here and set that variable.
master_key: ${JSON.stringify(masterKey.replaceAll("${", () => "$${"))}

#server: { host: 127.0.0.1, port: 4100, max_body_mb: 32, max_upload_mb: 200, shutdown_grace: 300s }

# Log lines for requests, on stderr. requests: off, errors or all. format: text or json.
#logs: { requests: errors, format: text }

# Where keys, budgets and the ledger are stored. Paths are relative to this file.
#store: { sqlite: ./gateway.db, synchronous: full }

# The providers to call. Each name is the <provider> in <provider>/<model>. api_key accepts a list. For your own server:
#   vllm: { protocol: openai-chat, base_url: "http://127.0.0.1:8000/v1", api_key: none }
providers:
${chosen.map(providerLine).join("\n")}

# The models to serve. To set more than the name, write an object:
#   - id: vllm/llama
#     provider: vllm
#     model: meta-llama/Llama-4-8B
#     price: { input: 0.10, cached_input: 0.02, output: 0.40 }   # USD per million tokens
#     context_window: 131072
deployments:
${deployments.map((id) => `  - ${quoted(id)}`).join("\n")}

# Aliases: names that callers can use for one deployment, or for several that are tried in this order.
models:
  fast: ${flowList(modelsOf(0))}
  best: ${flowList(modelsOf(BUCKETS.length - 1))}

# Routing for model "auto": each prompt gets a score from 0 to 1, and the cut points assign the score to a bucket.
router:
  buckets:
${BUCKETS.map((name, bucket) => `    ${name}: ${flowList(modelsOf(bucket))}`).join("\n")}
  cut_points: [0.35, 0.65, 0.85]
  # How far callers can move the cut points with X-Gateway-Route-Prefer: cost or quality.
#  prefer_shift: 0.15
  # A router model trained on your own traffic, reloaded when the file changes. builtin@2 pins the one of this release.
#  model: ./my-router.json
  # Shadow mode: decisions are recorded, and the strongest bucket serves every request.
#  shadow: true

# If a call fails, the next deployment is tried. Values of order: listed, weight, least_busy, latency, cost, priority.
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
