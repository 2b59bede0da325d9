/** Answers that a provider blocked, or could not make, must not look like answers that are finished. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { eventsOf } from "../support/RawHttp.ts"
import { completion, event, type Reply } from "../support/Upstream.ts"
import { both, facing } from "./Facing.ts"

const usage = { prompt_tokens: 12, completion_tokens: 4, total_tokens: 16 }
const message = (content: string | null, more: object = {}) => ({ role: "assistant", content, refusal: null, ...more })
const call = { id: "call_1", type: "function", function: { name: "f", arguments: "{}" } }

/** The same answer as a whole and as a stream. */
const ending = (reason: string, said: object = message("Some wo")) => {
  const head = { id: "chatcmpl-1", object: "chat.completion.chunk", created: 1, model: "m" }
  const chunk = (delta: object, finish: string | null) =>
    event({ ...head, choices: [{ index: 0, delta, finish_reason: finish }] })
  return (stream: boolean): Reply => ({
    body: stream
      ? [chunk(said, null), chunk({}, reason), event({ ...head, choices: [], usage }), "data: [DONE]\n\n"]
      : completion("", { choices: [{ index: 0, message: said, finish_reason: reason }] })
  })
}

const finishOf = (text: string, stream: boolean): unknown =>
  stream
    ? eventsOf(text)
        .flatMap((chunk) => chunk.choices ?? [])
        .find((choice) => choice.finish_reason !== null)?.finish_reason
    : JSON.parse(text).choices[0].finish_reason

describe("an answer that was blocked", () => {
  it.live("ends in content_filter, however its provider says so, plain and streamed", () =>
    Effect.gen(function* () {
      for (const reason of [
        "content_filter",
        "SAFETY",
        "RECITATION",
        "PROHIBITED_CONTENT",
        "BLOCKLIST",
        "SPII",
        "IMAGE_SAFETY",
        "MODEL_ARMOR",
        "content_filter: RECITATION",
        "content_filter: SOMETHING_NEW",
        "sensitive"
      ]) {
        const { chat } = yield* facing(ending(reason))
        for (const { stream } of both) {
          const { status, text } = yield* chat({ stream })
          assert.strictEqual(status, 200, reason)
          assert.strictEqual(finishOf(text, stream), "content_filter", reason)
        }
      }
    })
  )

  it.live("without a message, as Azure sends it, is an answer without content", () =>
    Effect.gen(function* () {
      const filtered = {
        index: 0,
        finish_reason: "content_filter",
        content_filter_results: { hate: { filtered: true } }
      }
      const { chat, ledger } = yield* facing({ body: completion("", { choices: [filtered] }) })
      const { json, status, text } = yield* chat()
      assert.strictEqual(status, 200, text)
      assert.deepStrictEqual(json.choices, [{ ...filtered, message: { role: "assistant", content: null } }])
      assert.deepInclude({ ...(yield* ledger)[0] }, { status: "settled", estimated: 0, input: 12, output: 4 })
    })
  )

  it.live("ends ordinarily where the reason is only unusual", () =>
    Effect.gen(function* () {
      for (const reason of ["eos", "end_turn", "STOP", "something_new"]) {
        const { chat } = yield* facing(ending(reason))
        for (const { stream } of both) assert.strictEqual(finishOf((yield* chat({ stream })).text, stream), "stop")
      }
    })
  )
})

describe("an answer that its provider could not make", () => {
  const failures = [
    "MALFORMED_FUNCTION_CALL",
    "function_call_filter: MALFORMED_FUNCTION_CALL",
    "UNEXPECTED_TOOL_CALL",
    "error"
  ]

  it.live("fails over before its first content, and is 502 where nobody else is there", () =>
    Effect.gen(function* () {
      for (const reason of failures) {
        const { chat } = yield* facing(ending(reason, message(null)))
        for (const fields of both) {
          const spared = yield* chat({ ...fields, model: "spared" })
          assert.deepStrictEqual([spared.status, spared.headers["x-gateway-retries"]], [200, "1"], reason)
          const alone = yield* chat(fields)
          assert.deepStrictEqual([alone.status, alone.json.error.type], [502, "upstream_error"], reason)
        }
      }
    })
  )

  it.live("is booked as its provider told: what it used was paid for, and no more", () =>
    Effect.gen(function* () {
      for (const fields of both) {
        const { chat, ledger } = yield* facing(ending("MALFORMED_FUNCTION_CALL", message(null)))
        assert.strictEqual((yield* chat({ ...fields, model: "spared" })).status, 200)
        assert.strictEqual((yield* chat(fields)).status, 502)
        const rows = (yield* ledger).filter(({ deployment }) => deployment === "bad/m")
        assert.lengthOf(rows, 2)
        for (const row of rows) {
          assert.deepInclude({ ...row }, { status: "settled", estimated: 0, input: 12, output: 4, cost: 20_000 })
        }
      }
    })
  )

  it.live("is one error event after its first content, with the usage that was told", () =>
    Effect.gen(function* () {
      const { chat, ledger } = yield* facing((stream) => {
        const { body, ...rest } = ending("MALFORMED_FUNCTION_CALL")(stream)
        const [said, finish, told] = body as ReadonlyArray<string>
        // Gemini's compatible endpoint tells the usage with each chunk.
        return { ...rest, body: [said!, told!, finish!] }
      })
      const { text } = yield* chat({ stream: true })
      assert.strictEqual(eventsOf(text).at(-1).error?.type, "upstream_error")
      assert.notInclude(text, "[DONE]")
      assert.deepInclude({ ...(yield* ledger)[0] }, { status: "settled", estimated: 0, input: 12, output: 4 })
    })
  )

  it.live("is one all the same when the tool call came", () =>
    Effect.gen(function* () {
      const { chat } = yield* facing(
        ending("UNEXPECTED_TOOL_CALL", message(null, { tool_calls: [{ index: 0, ...call }] }))
      )
      for (const { stream } of both) {
        const { status, text } = yield* chat({ stream })
        assert.deepStrictEqual([status, finishOf(text, stream)], [200, "tool_calls"])
        assert.include(text, "call_1")
      }
    })
  )
})
