import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { inputTokens, outputTokens } from "../../../../../src/core/domain/Usage.ts"
import type { StreamEvent } from "../../../../../src/core/operations/LiftedAnswer.ts"
import { chunkProblem } from "../../../../support/OpenAiSchema.ts"
import { hasData, type Exchange } from "../../../../support/Transcripts.ts"
import { callFor, exchanges, textOf, theirReading, type Reading } from "../Recordings.ts"
import { choicesOf, chunksOf, kinds, replay, toolDeltas } from "../Support.ts"

const streams = exchanges.filter(({ response, streamed }) => response.status === 200 && streamed)
const whole = (exchange: Exchange) => replay([exchange.response.bytes], callFor(exchange))
const eachStream = (check: (events: ReadonlyArray<StreamEvent>, exchange: Exchange) => void): void => {
  assert.strictEqual(streams.length, 12)
  for (const exchange of streams) check(whole(exchange), exchange)
}

/** As a naive client puts the chunks together. */
const ourReading = (events: ReadonlyArray<StreamEvent>): Reading => {
  const choices = choicesOf(events)
  const joined = (field: string) => choices.map(({ delta }) => (delta[field] as string | undefined) ?? "").join("")
  const calls: Array<{ name: string; text: string; signature: unknown }> = []
  for (const { extra_content: extra, function: called, index } of toolDeltas(events)) {
    calls[index] ??= { name: called.name, text: "", signature: extra?.google.thought_signature }
    calls[index].text += called.arguments
  }
  const usage = events.find((event) => event.kind === "usage")?.usage
  return {
    text: joined("content"),
    reasoning: joined("reasoning_content"),
    calls: calls.map(({ name, signature, text }) => ({ name, input: JSON.parse(text) as unknown, signature })),
    finish: choices.find((choice) => choice["finish_reason"] !== null)!["finish_reason"],
    input: inputTokens(usage!),
    cached: usage!.cachedInput,
    output: outputTokens(usage!),
    thought: usage!.reasoning
  }
}

describe.skipIf(!hasData)("recorded streams", () => {
  it("become chunks that the vendor's description accepts, with one head, and a role in the first alone", () => {
    eachStream((events, { name }) => {
      const chunks = chunksOf(events)
      for (const chunk of chunks) assert.isUndefined(chunkProblem(chunk), name)
      assert.strictEqual(new Set(chunks.map(({ created, id, model }) => `${id} ${created} ${model}`)).size, 1, name)
      const [first, ...rest] = choicesOf(events)
      assert.strictEqual(first!["delta"].role, "assistant", name)
      for (const { delta } of rest) assert.isFalse("role" in delta, name)
    })
  })

  it("have exactly one finish, on an empty delta, then the usage, then the end mark", () => {
    eachStream((events, { name }) => {
      assert.deepStrictEqual(kinds(events).slice(-3), ["finish", "usage", "done"], name)
      const finishes = choicesOf(events).filter((choice) => choice["finish_reason"] !== null)
      assert.deepStrictEqual(
        finishes.map(({ delta }) => delta as unknown),
        [{}],
        name
      )
      assert.notInclude(kinds(events), "malformed", name)
      assert.notInclude(kinds(events), "failed", name)
    })
  })

  it.effect("mean what another reader of them understands", () =>
    Effect.gen(function* () {
      for (const exchange of streams) {
        const theirs = yield* Effect.promise(() => theirReading(exchange))
        assert.deepStrictEqual(ourReading(whole(exchange)), theirs, exchange.name)
      }
    })
  )

  it("mean the same however the bytes are split, with any line ends and comments between", () => {
    eachStream((expected, exchange) => {
      const text = textOf(exchange)
      const plain = text.replaceAll("\r\n", "\n")
      for (const variant of [text, plain, plain.replaceAll("\n\n", "\n\n: keep-alive\n\n")]) {
        const bytes = Buffer.from(variant)
        for (const size of [1, 7, 61]) {
          const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
            bytes.subarray(at * size, (at + 1) * size)
          )
          assert.deepStrictEqual(replay(pieces, callFor(exchange)), expected, exchange.name)
        }
      }
    })
  })

  it("cut before their last event never end well, and what was said before stands", () => {
    eachStream((expected, exchange) => {
      const all = textOf(exchange)
        .replaceAll("\r\n", "\n")
        .split("\n\n")
        .filter((frame) => frame.trim() !== "")
      for (let kept = 0; kept < all.length; kept++) {
        const bytes = Buffer.from(
          all
            .slice(0, kept)
            .map((frame) => `${frame}\n\n`)
            .join("")
        )
        const events = replay([bytes], callFor(exchange))
        assert.notInclude(kinds(events), "finish", exchange.name)
        assert.notInclude(kinds(events), "usage", exchange.name)
        assert.notInclude(kinds(events), "done", exchange.name)
        assert.deepStrictEqual(events, expected.slice(0, events.length), exchange.name)
      }
    })
  })
})
