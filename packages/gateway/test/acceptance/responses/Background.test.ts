/** Responses in the background: polled, cancelled, and ended by the death of their process. */
import { writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import OpenAI from "openai"
import { ResponsesWS } from "openai/resources/responses/ws"
import { gatewayProcess, listening } from "../../support/GatewayProcess.ts"
import { eventually, until } from "../../support/Patience.ts"
import { call } from "../../support/RawHttp.ts"
import { ledgerOf, masterKey, temporaryStore } from "../../support/RunningGateway.ts"
import { upstream } from "../../support/Upstream.ts"
import { resolved } from "../Promised.ts"
import { connected, counting, told, yaml } from "./Speaking.ts"

const asked = { model: "m", input: "first", background: true } as const

/** A provider that responds when the test says so. */
const gated = Effect.gen(function* () {
  let open = () => {}
  const gate = new Promise<void>((resolve) => (open = resolve))
  const gateway = yield* connected((...of) => ({ ...counting(...of), gate }))
  return { ...gateway, open: () => open() }
})

describe("a response in the background", () => {
  it.live("goes on without its caller, and is read, continued and charged like any other", () =>
    Effect.gen(function* () {
      const { asked: calls, client, ledger, open, secret, url } = yield* gated
      const headers = { connection: "close", "idempotency-key": "one" }
      const post = call(url, { path: "/v1/responses", key: secret, headers, body: asked })
      const { json, status } = yield* post
      assert.deepStrictEqual([status, json.status, json.background, json.output], [200, "queued", true, []])
      assert.strictEqual((yield* post).json.id, json.id)
      const read = resolved(() => client.responses.retrieve(json.id))
      assert.strictEqual((yield* read).status, "in_progress")
      const early = yield* call(url, {
        path: "/v1/responses",
        key: secret,
        body: { model: "m", input: "second", previous_response_id: json.id }
      })
      assert.deepStrictEqual([early.status, early.json.error.code], [400, "previous_response_not_found"])
      open()
      const done = yield* eventually(read, ({ status }) => status === "completed")
      assert.deepStrictEqual([done.id, done.background, done.output_text], [json.id, true, "answer 0"])
      const rows = yield* ledger
      assert.deepStrictEqual(
        rows.map(({ estimated, status }) => [status, estimated]),
        [["settled", 0]]
      )
      const { gateway } = done as unknown as { readonly gateway: { readonly cost_usd: number } }
      assert.strictEqual(Math.round(gateway.cost_usd * 1e9), rows[0]!.cost)
      yield* resolved(() => client.responses.create({ model: "m", input: "second", previous_response_id: json.id }))
      assert.deepStrictEqual(told(calls[1]!), ["user: first", "reasoning", "assistant: answer 0", "user: second"])
    })
  )

  it.live("is cancelled with its call, once", () =>
    Effect.gen(function* () {
      const { asked: calls, client, ledger, secret, url } = yield* gated
      const { id } = yield* resolved(() => client.responses.create(asked))
      yield* until(() => calls.length === 1)
      for (let times = 0; times < 2; times++) {
        assert.strictEqual((yield* resolved(() => client.responses.cancel(id))).status, "cancelled")
      }
      yield* Effect.promise(() => calls[0]!.closed)
      assert.strictEqual((yield* resolved(() => client.responses.retrieve(id))).status, "cancelled")
      assert.deepStrictEqual(
        (yield* ledger).map(({ status }) => status),
        ["settled"]
      )
      const stream = yield* call(url, { method: "GET", path: `/v1/responses/${id}?stream=true`, key: secret })
      assert.deepStrictEqual([stream.status, stream.json.error.param], [400, "stream"])
    })
  )

  it.live("fails with the error that its caller would have got", () =>
    Effect.gen(function* () {
      const { client, secret, url } = yield* connected(() => ({
        status: 400,
        body: { error: { message: "no such tool", type: "invalid_request_error", code: "bad_tool" } }
      }))
      const { id } = yield* resolved(() => client.responses.create(asked))
      const done = yield* eventually(
        resolved(() => client.responses.retrieve(id)),
        ({ status }) => status === "failed"
      )
      assert.strictEqual(done.error!.code, "bad_tool")
      for (const [fields, said] of [
        [{ stream: true }, "can't be combined with `stream: true`"],
        [{ store: false }, "can't be combined with `stream: true` or `store: false`"],
        [{ background: "yes" }, '`background` must be true or false, not "yes"']
      ] as const) {
        const { json, status } = yield* call(url, { path: "/v1/responses", key: secret, body: { ...asked, ...fields } })
        assert.deepStrictEqual([status, json.error.param], [400, "background"])
        assert.include(json.error.message, said)
      }
    })
  )

  it.live("needs stored responses", () =>
    Effect.gen(function* () {
      const { secret, url } = yield* connected(counting, "responses: { store: off }")
      const { json, status } = yield* call(url, { path: "/v1/responses", key: secret, body: asked })
      assert.strictEqual(status, 400)
      assert.include(json.error.message, "`responses.store` is off")
    })
  )

  it.live("has failed when its process was killed, and so has a WebSocket's; the ledger has both rows once", () =>
    Effect.gen(function* () {
      const { asked: calls, baseUrl } = yield* upstream(() => ({ delay: 600_000 }))
      const store = yield* temporaryStore
      const config = join(dirname(store), "gateway.yaml")
      const more = `master_key: "${masterKey}"\nserver: { port: 0 }\nstore: { sqlite: "${store}" }\n`
      yield* Effect.sync(() => writeFileSync(config, yaml([baseUrl], more)))
      const serve = gatewayProcess(["serve", "--config", config], listening)
      const first = yield* serve
      const { json: key } = yield* call(first.ready, { path: "/admin/keys", key: masterKey, body: {} })
      const { json } = yield* call(first.ready, { path: "/v1/responses", key: key.key, body: asked })
      const client = new OpenAI({ baseURL: `${first.ready}/v1`, apiKey: key.key })
      const socket = new ResponsesWS(client).on("error", () => {})
      socket.send({ type: "response.create", model: "m", input: "Hi" })
      yield* until(() => calls.length === 2)
      const rows = Effect.sync(() => ledgerOf(store).map(({ status }) => status))
      yield* eventually(rows, ({ length }) => length === 2)
      yield* first.end("SIGKILL")
      const { ready } = yield* serve
      const read = yield* call(ready, { method: "GET", path: `/v1/responses/${json.id}`, key: key.key })
      assert.deepStrictEqual([read.json.status, read.json.error.code], ["failed", "server_error"])
      assert.include(read.json.error.message, "has stopped")
      assert.deepStrictEqual(yield* rows, ["abandoned", "abandoned"])
    })
  )
})
