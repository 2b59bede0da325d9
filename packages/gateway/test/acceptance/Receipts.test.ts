/** What happened to a request, told to whoever may know, through the real port and over restarts. */
import { writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { assert, describe, it } from "@effect/vitest"
import { Receipt } from "@model-gateway/protocol"
import { Effect, Schema } from "effect"
import { gatewayProcess, listening } from "../support/GatewayProcess.ts"
import { eventually } from "../support/Patience.ts"
import { call, open } from "../support/RawHttp.ts"
import { masterKey, type RunningGateway, startGateway, temporaryStore } from "../support/RunningGateway.ts"
import { completionEvents, upstream } from "../support/Upstream.ts"
import { resolved } from "./Promised.ts"

const messages = [{ role: "user" as const, content: "Tell me about giraffes" }]

const decode = Schema.decodeUnknownSync(Receipt, { onExcessProperty: "error" })

/** The caller's own look at one of its requests. */
const own = ({ url }: RunningGateway, key: string, id: string) =>
  call(url, { method: "GET", path: `/v1/receipts/${id}`, key })

/** Once the request is over. */
const soon = (look: Effect.Effect<{ readonly status: number; readonly json: unknown }>) =>
  Effect.map(
    eventually(look, ({ status }) => status === 200),
    ({ json }) => json
  )

/** An upstream whose streams say a word and then nothing. */
const withSilentStream = Effect.fnUntraced(function* (store?: string) {
  const { baseUrl } = yield* upstream(() => ({ body: completionEvents("zebras").slice(0, 2), ending: "silence" }))
  const yaml = `
providers: { up: { protocol: openai-chat, base_url: "${baseUrl}", api_key: none } }
deployments: [{ provider: up, model: m, price: { input: 1, output: 2 } }]
`
  return { yaml, ...(store === undefined ? {} : { store }) }
})

const streamed = { model: "up/m", stream: true, messages }

describe("receipts", () => {
  it.live("of a stream: found by what its header said as soon as it has ended, with the cost it said", () =>
    Effect.gen(function* () {
      const gateway = yield* startGateway()
      const { id, secret } = yield* gateway.createKey({ team: "zoo" })
      const client = gateway.client(secret)
      const { data, response } = yield* resolved(() =>
        client.chat.completions.create({ model: "auto", messages, stream: true }).withResponse()
      )
      const receiptId = response.headers.get("x-gateway-receipt-id") ?? ""
      let told: { readonly cost_usd: number; readonly receipt_id: string } | undefined
      yield* resolved(async () => {
        for await (const chunk of data) told = (Reflect.get(chunk, "gateway") as typeof told) ?? told
      })
      const answer = yield* own(gateway, secret, receiptId)
      assert.strictEqual(answer.status, 200)
      const receipt = decode(answer.json)
      assert.deepInclude(receipt, {
        id: receiptId,
        key_id: id,
        team: "zoo",
        endpoint: "/v1/chat/completions",
        requested_model: "auto",
        status: "ok",
        stream: true,
        client_disconnected: false,
        cost_usd: told?.cost_usd ?? 0,
        cost_is_estimate: false
      })
      assert.strictEqual(told?.receipt_id, receiptId)
      assert.deepInclude(receipt.decision, {
        deployment: "demo/mini",
        provider: "demo",
        model: "mini",
        bucket: "simple"
      })
      assert.match(receipt.decision.reasons[0] ?? "", /^auto: score 0(\.\d+)? is below 0\.35, bucket simple$/)
      assert.strictEqual(receipt.attempts.length, 1)
      assert.isNotNull(receipt.attempts[0]?.first_token_ms)
      assert.isAbove(receipt.usage.output, 0)
      const [row] = yield* gateway.ledger
      assert.strictEqual(Math.round((receipt.cost_usd ?? 0) * 1e9), row?.cost)
      const byRequest = yield* own(gateway, secret, row?.request_id ?? "")
      assert.deepStrictEqual(decode(byRequest.json), receipt)
    })
  )

  it.live("tell every attempt, and are nobody's but the caller's and the administrator's", () =>
    Effect.gen(function* () {
      const gateway = yield* startGateway()
      const { secret } = yield* gateway.createKey()
      const other = yield* gateway.createKey()
      const answer = yield* call(gateway.url, {
        path: "/v1/chat/completions",
        key: secret,
        body: { model: "failover", messages }
      })
      const id = String(answer.headers["x-gateway-receipt-id"])
      const receipt = decode((yield* own(gateway, secret, id)).json)
      assert.deepStrictEqual(
        receipt.attempts.map(({ deployment, http_status, outcome }) => [deployment, outcome, http_status]),
        [
          ["demo/status-500", "unavailable", 500],
          ["demo/mini", "ok", 200]
        ]
      )
      assert.deepStrictEqual(receipt.decision.reasons, ["alias failover"])
      const stranger = yield* own(gateway, other.secret, id)
      const nobody = yield* own(gateway, other.secret, id.replace(/.$/, "_"))
      assert.deepStrictEqual([stranger.status, stranger.json.error.code], [404, "not_found"])
      assert.strictEqual(
        stranger.json.error.message.replace(id, ""),
        nobody.json.error.message.replace(/`rcpt_\w+`/, "``")
      )
      const whole = decode((yield* gateway.admin("GET", `/admin/requests/${id}`)).json)
      assert.strictEqual(whole.attempts[0]?.error?.type, "server_error")
      assert.deepStrictEqual({ ...whole, attempts: whole.attempts.map((one) => ({ ...one, error: null })) }, receipt)
    })
  )

  it.live("of a caller that hung up in mid-stream: none while it runs, then one that says so", () =>
    Effect.gen(function* () {
      const gateway = yield* startGateway(yield* withSilentStream())
      const { secret } = yield* gateway.createKey()
      const { hangUp, response } = yield* open(gateway.url, {
        path: "/v1/chat/completions",
        key: secret,
        body: streamed
      })
      const id = String(response.headers["x-gateway-receipt-id"])
      const early = yield* own(gateway, secret, id)
      assert.deepStrictEqual([early.status, early.json.error.code], [404, "not_found"])
      assert.match(early.json.error.message, /not over yet/)
      hangUp()
      const receipt = decode(yield* soon(own(gateway, secret, id)))
      assert.deepInclude(receipt, { status: "client_gone", client_disconnected: true, cost_is_estimate: true })
      assert.strictEqual(receipt.attempts[0]?.outcome, "client_gone")
    })
  )

  it.live("of a stream that the shutdown cut, in the next process, with nothing that was said", () =>
    Effect.gen(function* () {
      const options = yield* withSilentStream(yield* temporaryStore)
      const id = yield* Effect.scoped(
        Effect.gen(function* () {
          const gateway = yield* startGateway(options)
          const { secret } = yield* gateway.createKey()
          const { response } = yield* open(gateway.url, { path: "/v1/chat/completions", key: secret, body: streamed })
          return String(response.headers["x-gateway-receipt-id"])
        })
      )
      const gateway = yield* startGateway(options)
      const receipt = decode((yield* gateway.admin("GET", `/admin/requests/${id}`)).json)
      assert.deepInclude(receipt, { status: "cut", client_disconnected: false })
      assert.strictEqual(receipt.attempts[0]?.outcome, "shutdown")
      const db = new DatabaseSync(options.store ?? "", { readOnly: true })
      const bodies = db.prepare("SELECT body FROM receipts").all()
      db.close()
      assert.strictEqual(bodies.length, 1)
      assert.notMatch(JSON.stringify(bodies), /giraffes|zebras/)
    })
  )

  it.live("of a request that kill -9 ended, as abandoned, at what it may have cost", () =>
    Effect.gen(function* () {
      const store = yield* temporaryStore
      const { yaml } = yield* withSilentStream()
      const config = join(dirname(store), "gateway.yaml")
      const text = `master_key: "${masterKey}"\nserver: { port: 0 }\nstore: { sqlite: "${store}" }\n${yaml}`
      yield* Effect.sync(() => writeFileSync(config, text))
      const first = yield* gatewayProcess(["serve", "--config", config], listening)
      const { json } = yield* call(first.ready, { path: "/admin/keys", key: masterKey, body: {} })
      const request = { path: "/v1/chat/completions", key: String(json.key), body: streamed }
      const { response } = yield* open(first.ready, request)
      yield* first.end("SIGKILL")
      const gateway = yield* startGateway({ yaml, store })
      const id = String(response.headers["x-gateway-receipt-id"])
      const receipt = decode((yield* gateway.admin("GET", `/admin/requests/${id}`)).json)
      const [row] = yield* gateway.ledger
      assert.deepInclude(receipt, {
        status: "abandoned",
        cost_is_estimate: true,
        requested_model: "up/m",
        key_id: json.id
      })
      assert.deepStrictEqual([row?.status, row?.cost], ["abandoned", Math.round((receipt.cost_usd ?? 0) * 1e9)])
      assert.strictEqual(receipt.attempts[0]?.outcome, "abandoned")
    })
  )
})
