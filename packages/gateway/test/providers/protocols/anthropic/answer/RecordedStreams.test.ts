import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { StreamEvent } from "../../../../../src/core/operations/LiftedAnswer.ts"
import { inputTokens, outputTokens } from "../../../../../src/core/domain/Usage.ts"
import { chunkProblem } from "../../../../support/OpenAiSchema.ts"
import { hasData, type Exchange } from "../../../../support/Transcripts.ts"
import { callFor, exchanges, seeded, textOf, theirReading, type Reading } from "../Recordings.ts"
import { chunksOf, kinds, replay, type Sent } from "../Support.ts"

const streams = exchanges.filter(({ response, streamed }) => response.status === 200 && streamed)
const whole = (exchange: Exchange) => replay([exchange.response.bytes], callFor(exchange))
const eachStream = (check: (events: ReadonlyArray<StreamEvent>, exchange: Exchange) => void): void => {
  assert.strictEqual(streams.length, 30)
  for (const exchange of streams) check(whole(exchange), exchange)
}

const choicesOf = (events: ReadonlyArray<StreamEvent>): ReadonlyArray<Sent> =>
  chunksOf(events).flatMap((chunk) => chunk["choices"] as ReadonlyArray<Sent>)

const toolDeltas = (events: ReadonlyArray<StreamEvent>): ReadonlyArray<Sent> =>
  choicesOf(events).flatMap(({ delta }) => (delta.tool_calls ?? []) as ReadonlyArray<Sent>)

/** As a naive client puts the chunks together. */
const ourReading = (events: ReadonlyArray<StreamEvent>): Reading => {
  const choices = choicesOf(events)
  const joined = (field: string) => choices.map(({ delta }) => (delta[field] as string | undefined) ?? "").join("")
  const calls: Array<{ id: string; name: string; text: string }> = []
  for (const { function: called, id, index } of toolDeltas(events)) {
    calls[index] ??= { id, name: called.name, text: "" }
    calls[index].text += called.arguments
  }
  const usage = events.find((event) => event.kind === "usage")?.usage
  return {
    text: joined("content"),
    reasoning: joined("reasoning_content"),
    calls: calls.map(({ id, name, text }) => ({ id, name, input: JSON.parse(text) as unknown })),
    finish: choices.find((choice) => choice["finish_reason"] !== null)!["finish_reason"],
    input: inputTokens(usage!),
    cached: usage!.cachedInput,
    written: usage!.cacheWrite + usage!.cacheWrite1h,
    output: outputTokens(usage!),
    thought: usage!.reasoning
  }
}

describe.skipIf(!hasData)("recorded streams", () => {
  it("become chunks that the vendor's description accepts", () => {
    eachStream((events, { name }) => {
      for (const chunk of chunksOf(events)) assert.isUndefined(chunkProblem(chunk), name)
    })
  })

  it("have one id, one time, one model and one choice", () => {
    eachStream((events, { name }) => {
      const heads = new Set(chunksOf(events).map(({ created, id, model }) => `${id} ${created} ${model}`))
      assert.strictEqual(heads.size, 1, name)
      for (const choice of choicesOf(events)) assert.strictEqual(choice["index"], 0, name)
    })
  })

  it("have the role in the first delta and only there", () => {
    eachStream((events, { name }) => {
      const [first, ...rest] = choicesOf(events)
      assert.strictEqual(first!["delta"].role, "assistant", name)
      assert.isTrue("content" in first!["delta"], name)
      for (const { delta } of rest) assert.isFalse("role" in delta, name)
    })
  })

  it("have exactly one finish, on an empty delta, then usage, then the end mark", () => {
    eachStream((events, { name }) => {
      assert.deepStrictEqual(kinds(events).slice(-3), ["finish", "usage", "done"], name)
      const finishes = choicesOf(events).filter((choice) => choice["finish_reason"] !== null)
      assert.deepStrictEqual(
        finishes.map(({ delta }) => delta as unknown),
        [{}],
        name
      )
      assert.isFalse(
        kinds(events).some((kind) => kind === "malformed" || kind === "failed"),
        name
      )
    })
  })

  it("have usage on the last chunk, without choices, and null on every other", () => {
    eachStream((events, { name }) => {
      const chunks = chunksOf(events)
      assert.deepStrictEqual(chunks.at(-1)!["choices"], [], name)
      assert.isAbove(chunks.at(-1)!["usage"].total_tokens, 0, name)
      for (const chunk of chunks.slice(0, -1)) assert.isNull(chunk["usage"], name)
    })
  })

  it("open each tool call once, with everything, and number them from 0", () => {
    let calls = 0
    eachStream((events, { name }) => {
      let last = -1
      for (const { function: called, id, index, type } of toolDeltas(events)) {
        if (id === undefined) {
          assert.strictEqual(index, last, name)
          assert.isNotEmpty(called.arguments, name)
          assert.deepStrictEqual(Object.keys(called), ["arguments"], name)
        } else {
          assert.strictEqual(index, ++last, name)
          assert.deepStrictEqual([type, called.arguments], ["function", ""], name)
          calls++
        }
      }
    })
    assert.strictEqual(calls, 6)
  })

  it.effect("mean what another reader of them understands", () =>
    Effect.gen(function* () {
      for (const exchange of streams) {
        const theirs = yield* Effect.promise(() => theirReading(exchange))
        const compacted = /"type":"compaction"\}/.test(textOf(exchange))
        // The other reader forgets what compaction read from and wrote to the cache.
        const corrected = compacted ? { cached: 55_096, input: theirs.input + 55_096 } : {}
        assert.deepStrictEqual(ourReading(whole(exchange)), { ...theirs, ...corrected }, exchange.name)
      }
    })
  )
})

describe.skipIf(!hasData)("recorded streams, disturbed", () => {
  const random = seeded(7)
  const pieces = function* (bytes: Uint8Array): Generator<Uint8Array> {
    for (let start = 0; start < bytes.length;) {
      const end = start + 1 + Math.floor(random() * 40)
      yield bytes.subarray(start, end)
      start = end
    }
  }

  it("mean the same however the bytes are split, with any line ends and comments between", () => {
    eachStream((expected, exchange) => {
      const text = textOf(exchange)
      const variants = [text, text.replaceAll("\n", "\r\n"), text.replaceAll("\n\n", "\n\n: keep-alive\n\n")]
      for (const variant of variants) {
        assert.deepStrictEqual(replay(pieces(Buffer.from(variant)), callFor(exchange)), expected, exchange.name)
      }
    })
  })

  it("cut after any event never end well, and what was said before stands", () => {
    eachStream((expected, exchange) => {
      const frames = textOf(exchange)
        .split("\n\n")
        .filter((frame) => frame.trim() !== "")
      const finishAt = frames.findIndex((frame) => frame.includes('"type":"message_delta"'))
      assert.isAbove(finishAt, 0, exchange.name)
      for (let kept = 0; kept < frames.length; kept++) {
        const bytes = Buffer.from(
          frames
            .slice(0, kept)
            .map((frame) => `${frame}\n\n`)
            .join("")
        )
        const events = replay([bytes], callFor(exchange))
        const finished = kept > finishAt
        assert.notInclude(kinds(events), "done", exchange.name)
        assert.strictEqual(kinds(events).includes("finish"), finished, exchange.name)
        assert.strictEqual(kinds(events).includes("usage"), finished, exchange.name)
        assert.deepStrictEqual(events, expected.slice(0, events.length), exchange.name)
      }
    })
  })
})
