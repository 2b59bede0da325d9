/** `serve` on a store on Postgres, as users run it. */
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

interface Given {
  /** PEM. */
  readonly ca?: string
  readonly lease?: string
}

/** A configuration, and how to start it, again and again. The address stands in the environment, as it should. */
export const serveOn = Effect.fnUntraced(function* (url: string, { ca, lease = "1s" }: Given = {}) {
  const config = join(yield* folder, "gateway.yaml")
  const authority = ca === undefined ? "" : `, ca: "\${DATABASE_CA}"`
  const yaml = `
master_key: "${masterKey}"
server: { port: 0 }
store: { postgres: { url: "\${DATABASE_URL}", lease: ${lease}${authority} } }
providers: { demo: { vendor: demo } }
deployments: [demo/mini]
`
  yield* Effect.sync(() => writeFileSync(config, yaml))
  const environment = { DATABASE_URL: url, ...(ca === undefined ? {} : { DATABASE_CA: ca }) }
  const args = ["--config", config]
  return { start: gatewayProcess(["serve", ...args], listening, { environment }), args, environment }
})

export const chat = (url: string, key: string) =>
  call(url, {
    path: "/v1/chat/completions",
    key,
    body: { model: "demo/mini", max_tokens: 20, messages: [{ role: "user", content: "Hi" }] }
  })

/** A key with a budget of a dollar a day. */
export const newKey = (url: string) =>
  Effect.map(
    call(url, { path: "/admin/keys", key: masterKey, body: { budgets: [{ usd: 1, window: "day" }] } }),
    ({ json }) => String(json.key)
  )
