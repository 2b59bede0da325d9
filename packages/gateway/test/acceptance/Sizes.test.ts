/** How large requests and answers may be: each limit is a field of `server`. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { AnswerSizes, largestAnswer, longestEvent } from "../../src/core/domain/AnswerSizes.ts"
import { call, eventsOf } from "../support/RawHttp.ts"
import { startGateway } from "../support/RunningGateway.ts"
import { completion, completionEvents, upstream } from "../support/Upstream.ts"

const MB = 2 ** 20

/** A provider that says `length` letters. */
const world = Effect.fnUntraced(function* (server: string, length = 1) {
  const { asked, baseUrl } = yield* upstream(({ body }) => {
    const text = "x".repeat(length)
    return { body: body.stream === true ? completionEvents("first ", text) : completion(text) }
  })
  const gateway = yield* startGateway({
    yaml: `
server: ${server}
providers: { up: { protocol: openai-chat, base_url: "${baseUrl}", api_key: none } }
deployments: [{ provider: up, model: m, price: { input: 1, output: 2 } }]
failover: { attempts: 1 }
`
  })
  const { secret } = yield* gateway.createKey()
  const chat = (fields: object = {}) => {
    const body = { model: "up/m", messages: [{ role: "user", content: "Hi" }], ...fields }
    return call(gateway.url, { path: "/v1/chat/completions", key: secret, body })
  }
  return { asked, chat }
})

it.live("a body may have 32 MiB and a million values, unless the configuration says otherwise", () =>
  Effect.gen(function* () {
    const usual = yield* world("{}")
    assert.strictEqual((yield* usual.chat({ user: "x".repeat(31 * MB) })).status, 200)
    assert.strictEqual((yield* usual.chat({ user: "x".repeat(32 * MB) })).status, 413)
    const tokens = Array.from({ length: 990_000 }, () => 1)
    assert.strictEqual((yield* usual.chat({ metadata: { tokens } })).status, 200)
    const strict = yield* world("{ max_body_mb: 1, max_body_values: 1000 }")
    assert.strictEqual((yield* strict.chat({ user: "x".repeat(MB) })).status, 413)
    for (const size of [1_000, 300_000]) {
      const { json, status } = yield* strict.chat({ metadata: { tokens: tokens.slice(0, size) } })
      assert.strictEqual(status, 400)
      assert.include(json.error.message, "more than 1000 values")
    }
    assert.lengthOf(strict.asked, 0)
  })
)

it.live("an event of a stream and a whole answer may be as large as configured", () =>
  Effect.gen(function* () {
    const wide = yield* world("{ max_event_mb: 3 }", 2 * MB)
    const whole = eventsOf((yield* wide.chat({ stream: true })).text)
    assert.strictEqual(whole.at(-1), "[DONE]")
    const usual = yield* world("{}", 2 * MB)
    const cut = eventsOf((yield* usual.chat({ stream: true })).text).at(-1)
    assert.include(JSON.stringify(cut), "error")
    assert.strictEqual((yield* usual.chat()).status, 200)
    const narrow = yield* world("{ max_answer_mb: 1 }", 2 * MB)
    assert.strictEqual((yield* narrow.chat()).status, 502)
  })
)

it.effect("pictures and vectors have limits of their own", () =>
  Effect.gen(function* () {
    const sizes = yield* AnswerSizes
    const events = ["chat", "messages", "responses", "images", "image_edits"].map((one) => longestEvent(sizes, one))
    assert.deepStrictEqual(events, [MB, MB, 32 * MB, 32 * MB, 32 * MB])
    assert.deepStrictEqual(
      ["chat", "embeddings"].map((one) => largestAnswer(sizes, one)),
      [64 * MB, 256 * MB]
    )
  })
)
