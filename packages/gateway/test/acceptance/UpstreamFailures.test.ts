/** What a provider does wrong: another one steps in where it can, and where it can't the caller is told that, once. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { call, eventsOf } from "../support/RawHttp.ts"
import { startGateway } from "../support/RunningGateway.ts"
import { completionEvents, event, type Reply, vendorError } from "../support/Upstream.ts"
import { both, facing } from "./Facing.ts"

const messages = [{ role: "user", content: "Hi" }]

describe("a provider that fails", () => {
  it.live("with a status: its class is told, and never a 500", () =>
    Effect.gen(function* () {
      for (const [upstreamStatus, told] of [
        [500, 502],
        [502, 502],
        [503, 503],
        [504, 504],
        [529, 503]
      ] as const) {
        const { chat } = yield* facing({
          status: upstreamStatus,
          body: vendorError("operators' node 7 is down", "server_error")
        })
        const { headers, json, status } = yield* chat()
        assert.strictEqual(status, told)
        assert.deepInclude(json.error, { type: "upstream_error", code: "upstream_unavailable", param: null })
        assert.strictEqual(headers["x-should-retry"], "false")
        assert.notInclude(json.error.message, "node 7")
      }
    })
  )

  it.live("with a 200 that is no answer: failover, or 502", () =>
    Effect.gen(function* () {
      for (const body of [
        "",
        "<html><body>It works!</body></html>",
        Uint8Array.of(0xff, 0xfe, 0x00, 0x7b),
        "{}",
        "[]",
        "null",
        '"yes"',
        '{"choices":[]}',
        '{"choices":[{"index":0}]}',
        '{"id":"x","object":"chat.completion","choices":',
        { error: { message: "out of memory", type: "server_error" } }
      ] as const) {
        for (const fields of both) {
          const { chat } = yield* facing({ body })
          const shown = `${JSON.stringify(body)} ${JSON.stringify(fields)}`
          const alone = yield* chat(fields)
          assert.strictEqual(alone.status, 502, `${shown}: ${alone.text}`)
          assert.strictEqual(alone.json.error.type, "upstream_error", shown)
          const spared = yield* chat({ ...fields, model: "spared" })
          assert.deepStrictEqual([spared.status, spared.headers["x-gateway-retries"]], [200, "1"], shown)
        }
      }
    })
  )

  it.live("by saying nothing: 504, or failover, after the time it is given", () =>
    Effect.gen(function* () {
      const { bad, chat, ledger } = yield* facing({ delay: 60_000 })
      const alone = yield* chat()
      assert.strictEqual(alone.status, 504)
      assert.deepInclude(alone.json.error, { type: "upstream_error", code: "upstream_timeout" })
      assert.lengthOf(bad.asked, 1)
      const spared = yield* chat({ model: "spared", stream: true })
      assert.deepStrictEqual([spared.status, spared.headers["x-gateway-retries"]], [200, "1"])
      // What was sent was read: it is booked, as an estimate.
      const [first, second, third] = yield* ledger
      for (const row of [first, second]) assert.deepInclude({ ...row }, { status: "settled", estimated: 1 })
      // Of a plain answer nobody has seen what was written by then.
      assert.isAbove(first!.output, 0)
      assert.strictEqual(second!.output, 0)
      assert.deepInclude({ ...third }, { status: "settled", estimated: 0, cost: 20_000 })
    })
  )

  it.live("by being unreachable: 502 without its address", () =>
    Effect.gen(function* () {
      const gateway = yield* startGateway({
        yaml: `
providers: { gone: { protocol: openai-chat, base_url: "http://127.0.0.1:1/v1", api_key: none } }
deployments: [gone/m]
failover: { base_delay: 1ms }
`
      })
      const { secret } = yield* gateway.createKey()
      const body = { model: "gone/m", messages }
      const { json, status } = yield* call(gateway.url, { path: "/v1/chat/completions", key: secret, body })
      assert.strictEqual(status, 502)
      assert.strictEqual(json.error.code, "upstream_unavailable")
      assert.notMatch(json.error.message, /127\.0\.0\.1|ECONN/)
    })
  )

  it.live("in the middle of a stream: one error event, no [DONE], and what came is booked as an estimate", () =>
    Effect.gen(function* () {
      const begun = completionEvents("one ", "two").slice(0, 3)
      for (const reply of [
        { body: begun, ending: "reset" },
        { body: begun, ending: "silence" },
        { body: begun },
        { body: [...begun, event(vendorError("overloaded", "server_error"))] },
        { body: [...begun, "data: {nonsense\n\n".repeat(9)] }
      ] satisfies ReadonlyArray<Reply>) {
        const { chat, good, ledger } = yield* facing(reply)
        const { status, text } = yield* chat({ stream: true, model: "spared" })
        assert.strictEqual(status, 200)
        const events = eventsOf(text)
        const shown = JSON.stringify(reply.body.at(-1)).slice(0, 40)
        assert.strictEqual(events.at(-1).error?.type, "upstream_error", `${shown}: ${text}`)
        assert.strictEqual(events.filter((event) => event.error !== undefined).length, 1)
        assert.notInclude(text, "[DONE]")
        assert.notInclude(text, '"finish_reason":"stop"')
        assert.include(text, '"two"')
        assert.lengthOf(good.asked, 0)
        const [row, ...more] = yield* ledger
        assert.lengthOf(more, 0)
        assert.deepInclude({ ...row }, { status: "settled", estimated: 1 })
        assert.isAbove(row?.output ?? 0, 0)
        assert.isAbove(row?.cost ?? 0, 0)
      }
    })
  )

  it.live("behind the finish reason: the response is complete, and the provider's own count is charged", () =>
    Effect.gen(function* () {
      const whole = completionEvents("one")
      const { chat, ledger } = yield* facing({ body: whole.slice(0, -1), ending: "reset" })
      const { text } = yield* chat({ stream: true })
      assert.strictEqual(eventsOf(text).at(-1), "[DONE]")
      const [row] = yield* ledger
      assert.deepInclude({ ...row }, { status: "settled", estimated: 0, input: 12, output: 4 })
    })
  )
})
