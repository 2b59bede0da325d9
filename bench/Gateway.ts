/** The gateway as it runs in production, in a folder of its own that is gone afterwards. */
import { randomBytes } from "node:crypto"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { ServerProcess } from "./ServerProcess.ts"
import { COST_NANO, PRICE } from "./Workload.ts"

const root = join(import.meta.dirname, "..")

/** Limits that are counted and never reached: a minute at 16,000 requests a second. */
const NEW_KEY = {
  name: "bench",
  limits: { rpm: 1_000_000, tpm: 1_000_000_000_000 },
  budgets: [{ usd: 1_000_000, window: "month" }]
}

const configuration = (
  masterKey: string,
  store: string,
  upstream: string,
  { deployments = 0, postgres }: GatewayOptions
): string => `
server: { host: 127.0.0.1, port: 0 }
master_key: ${masterKey}
store: ${postgres === undefined ? `{ sqlite: ${JSON.stringify(store)}, synchronous: full }` : onPostgres(postgres)}
providers:
  up: { protocol: openai-chat, base_url: ${upstream}/v1, api_key: upstream }
deployments:
  - { id: up/gpt-4.1, provider: up, model: gpt-4.1, price: { input: ${PRICE.input}, output: ${PRICE.output} } }
  - { id: up/paced, provider: up, model: paced, price: { input: ${PRICE.input}, output: ${PRICE.output} }, bounds: { reasoning_tokens: 0 } }
  - { id: up/slow, provider: up, model: slow, price: { input: ${PRICE.input}, output: ${PRICE.output} }, bounds: { reasoning_tokens: 0 } }
${Array.from({ length: deployments }, (_, index) => `  - { id: up/model-${index}, provider: up, model: model-${index}, price: { input: 2, output: 8 } }`).join("\n")}
router:
  buckets: { simple: [up/gpt-4.1], standard: [up/gpt-4.1], complex: [up/gpt-4.1], reasoning: [up/gpt-4.1] }
`

const onPostgres = ({ reserve, schema, url }: PostgresStore): string =>
  `{ postgres: { url: "${url}", schema: ${schema} }, reserve: ${reserve} }`

export interface PostgresStore {
  readonly url: string
  readonly schema: string
  readonly reserve: "wait" | "behind"
}

export interface GatewayOptions {
  /** Where its folder is made. Default: the system's folder for temporary files. */
  readonly folder?: string | undefined
  /** The command's entry. Default: the one of this repository. */
  readonly entry?: string | undefined
  /** Options of Node's own. */
  readonly node?: ReadonlyArray<string>
  /** Variables of its own. */
  readonly env?: NodeJS.ProcessEnv
  /** A store that is there already. */
  readonly store?: string
  /** How many more than those that the benches ask. */
  readonly deployments?: number
  /** In place of a file. */
  readonly postgres?: PostgresStore
}

export class Gateway {
  /** Secret of a virtual key with rpm, tpm and a budget. */
  key = ""
  /** Its own. */
  readonly folder: string
  private readonly masterKey = randomBytes(32).toString("base64url")
  private readonly args: ReadonlyArray<string>
  private readonly env: NodeJS.ProcessEnv

  constructor(upstream: string, options: GatewayOptions) {
    this.env = options.env ?? {}
    this.folder = mkdtempSync(join(options.folder ?? tmpdir(), "gateway-bench-"))
    const config = join(this.folder, "gateway.yaml")
    const store = options.store ?? join(this.folder, "gateway.db")
    writeFileSync(config, configuration(this.masterKey, store, upstream, options))
    const entry = options.entry ?? join(root, "packages/model-gateway/src/main.ts")
    this.args = [...(options.node ?? []), "--conditions=model-gateway-source", entry, "serve", "--config", config]
  }

  start(name = "gateway"): Promise<ServerProcess> {
    return ServerProcess.start(name, this.args, this.env)
  }

  async makeKey(server: ServerProcess): Promise<void> {
    this.key = await this.newKey(server)
  }

  async newKey(server: ServerProcess, more: object = {}): Promise<string> {
    const { key } = await this.admin<{ readonly key: string }>(server, "/admin/keys", { ...NEW_KEY, ...more })
    return key
  }

  /** Fails unless the ledger says exactly that so many requests were served at their price. */
  async verify(
    server: ServerProcess,
    requests: number
  ): Promise<{ readonly requests: number; readonly costUsd: number }> {
    const path = "/admin/spend?from=2020-01-01"
    const { total } = await this.admin<{
      readonly total: {
        readonly cost_usd: number
        readonly requests: number
        readonly failed_requests: number
        readonly cache_hits?: number
      }
    }>(server, path)
    const nano = Math.round(total.cost_usd * 1e9)
    if (
      nano !== (requests - (total.cache_hits ?? 0)) * COST_NANO ||
      total.requests !== requests ||
      total.failed_requests !== 0
    ) {
      throw new Error(
        `the ledger holds ${nano} nano-USD for ${total.requests} requests (${total.failed_requests} failed), ` +
          `not ${requests * COST_NANO} for ${requests}`
      )
    }
    return { requests, costUsd: total.cost_usd }
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true })
  }

  async admin<A>({ url }: ServerProcess, path: string, body?: object): Promise<A> {
    const response = await fetch(url + path, {
      method: body === undefined ? "GET" : "POST",
      headers: { authorization: `Bearer ${this.masterKey}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) })
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`${path} answered ${response.status}: ${text}`)
    return JSON.parse(text) as A
  }
}
