/** Several `serve` processes on one database. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import { gatewayProcess, listening } from "../GatewayProcess.ts"
import { call } from "../RawHttp.ts"
import { masterKey } from "../RunningGateway.ts"

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "gateway-on-postgres-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

export interface Cluster {
  readonly database: string
  readonly lease?: string
  readonly reserve?: "wait" | "behind"
  /** Of all gateways; left out: any free port for each. */
  readonly port?: number
  /** More fields of `server`. */
  readonly server?: string
  /** Providers, deployments, and whatever else its configuration says. */
  readonly yaml: string
}

/** What starts one gateway more; its arguments are `args`, for other commands. */
export const clusterWith = Effect.fnUntraced(function* ({
  database,
  lease = "20s",
  port,
  reserve = "wait",
  server = "",
  yaml
}: Cluster) {
  const config = join(yield* folder, "gateway.yaml")
  const shared = `
master_key: "${masterKey}"
server: { port: ${port ?? 0}, reuse_port: ${port !== undefined}, shutdown_grace: 1s${server} }
store: { postgres: { url: "\${DATABASE_URL}", lease: ${lease} }, reserve: ${reserve} }
`
  yield* Effect.sync(() => writeFileSync(config, shared + yaml))
  const extra = { environment: { DATABASE_URL: database } }
  const args = ["--config", config]
  return { start: gatewayProcess(["serve", ...args], listening, extra), args, extra }
})

/** Before a provider of the test's own. */
export const clusterOf = ({ provider, ...rest }: Omit<Cluster, "yaml"> & { readonly provider: string }) =>
  clusterWith({
    ...rest,
    yaml: `
providers: { up: { protocol: openai-chat, base_url: "${provider}", api_key: none } }
deployments:
  - { provider: up, model: m, price: { input: 1, output: 2 }, bounds: { reasoning_tokens: 0 }, timeouts: { first_token: 300s, idle: 300s, total: 900s } }
`
  })

export const administrate = (url: string, path: string, body?: object, method = body === undefined ? "GET" : "POST") =>
  call(url, { method, path, key: masterKey, ...(body === undefined ? {} : { body }) })

/** A key made at a gateway: its id and its secret. */
export const newKey = (url: string, body: object) =>
  Effect.map(administrate(url, "/admin/keys", body), ({ json }) => ({ id: String(json.id), secret: String(json.key) }))

export const chat = (url: string, key: string, content = "Hi") =>
  call(url, {
    path: "/v1/chat/completions",
    key,
    body: { model: "up/m", max_tokens: 100, messages: [{ role: "user", content }] }
  })
