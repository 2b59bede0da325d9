/** A gateway in its own process before a provider that answers when the test says so, for tests of how it ends. */
import { writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { Effect, Layer } from "effect"
import { assert } from "@effect/vitest"
import * as Database from "../../src/storage/sqlite/file/SqliteDatabase.ts"
import { verifyLedger } from "../../../model-gateway/src/store/reading/SqliteVerify.ts"
import { gatewayProcess, listening } from "../support/GatewayProcess.ts"
import { until } from "../support/Patience.ts"
import { call } from "../support/RawHttp.ts"
import { ledgerOf, masterKey, temporaryStore } from "../support/RunningGateway.ts"
import { completion, completionEvents, upstream } from "../support/Upstream.ts"

export const longUsage = { prompt_tokens: 12, completion_tokens: 1_500, total_tokens: 1_512 }

/**
 * Models: `m` answers at once, `gated` once `finish` runs, `hang` streams a word and then nothing (whole answers never come), `large`
 * streams more than a connection holds, `long` says that it wrote 1,500 tokens, whatever it was asked for.
 */
const serving = Effect.fnUntraced(function* (server: string, fields = "") {
  let finish = () => {}
  const gate = new Promise<void>((resolve) => (finish = resolve))
  const words = completionEvents("one ", "two")
  const padded = words.map((text) => text.replace('{"id"', `{"padding":"${"x".repeat(4_000_000)}","id"`))
  const { asked, baseUrl } = yield* upstream(({ body }) => {
    const streams = body.stream === true
    if (body.model === "hang") return streams ? { body: words.slice(0, 2), ending: "silence" } : { delay: 600_000 }
    if (body.model === "large") return { body: padded }
    if (body.model === "long") return { body: completion("one two", { usage: longUsage }) }
    return { ...(body.model === "gated" ? { gate } : {}), body: streams ? words : completion("one two") }
  })
  const store = yield* temporaryStore
  const config = join(dirname(store), "gateway.yaml")
  const models = ["m", "gated", "hang", "large", "long"]
  const yaml = `
master_key: "${masterKey}"
server: { port: 0${server} }
store: { sqlite: "${store}" }
providers: { up: { protocol: openai-chat, base_url: "${baseUrl}", api_key: none } }
deployments: [${models.map((model) => `{ provider: up, model: ${model}, price: { input: 1, output: 2 }${fields} }`).join(", ")}]
`
  yield* Effect.sync(() => writeFileSync(config, yaml))
  return { asked, config, finish: () => finish(), store }
})

/**
 * `server`: more fields of that section, such as `, shutdown_grace: 1s`; `fields`: of each deployment; `preloaded`: a program that Node runs
 * before the gateway's.
 */
export const servingProcess = Effect.fnUntraced(function* (server = "", fields = "", preloaded = "") {
  const set = yield* serving(server, fields)
  const gateway = yield* gatewayProcess(["serve", "--config", set.config], listening, preloading(preloaded))
  const url = gateway.ready
  const { json } = yield* call(url, { path: "/admin/keys", key: masterKey, body: {} })
  const secret = String(json.key)
  const wish = (model: string, stream: boolean, headers: Readonly<Record<string, string>> = {}) => ({
    path: "/v1/chat/completions",
    key: secret,
    headers,
    body: { model: `up/${model}`, stream, max_tokens: 50, messages: [{ role: "user", content: "Hi" }] }
  })
  return {
    ...set,
    ...gateway,
    url,
    wish,
    chat: (model: string, stream: boolean, headers?: Readonly<Record<string, string>>) =>
      call(url, wish(model, stream, headers)),
    /** Until the provider was asked so often. */
    askedFor: (times: number) => until(() => set.asked.length === times)
  }
})

/** A process that was only just started, which is when it has written anything. */
export const startingProcess = Effect.fnUntraced(function* (server = "", preloaded = "") {
  const { config, store } = yield* serving(server)
  const gateway = yield* gatewayProcess(["serve", "--config", config], () => true, preloading(preloaded))
  return { ...gateway, store }
})

const preloading = (program: string) => ({
  nodeOptions: program === "" ? [] : [`--import=data:text/javascript,${encodeURIComponent(program)}`]
})

/** The rows of a gateway that has ended, after a look at the sums: none may be open. */
export const closedBooks = Effect.fnUntraced(function* (store: string) {
  const rows = ledgerOf(store)
  assert.deepStrictEqual(
    rows.filter(({ status }) => status === "reserved"),
    []
  )
  const read = Effect.provide(verifyLedger, Layer.fresh(Database.layer({ filename: store })))
  assert.deepStrictEqual(yield* Effect.scoped(read), [])
  return rows.map(({ cost, estimated, status }) => ({ status, cost, estimated }))
})
