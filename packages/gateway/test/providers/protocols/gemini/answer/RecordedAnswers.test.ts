import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import { inputTokens, outputTokens, totalTokens } from "../../../../../src/core/domain/Usage.ts"
import { GeminiChat, GeminiProtocol } from "../../../../../src/providers/protocols/gemini/GeminiProtocol.ts"
import { completionProblem } from "../../../../support/OpenAiSchema.ts"
import { hasData, type Exchange } from "../../../../support/Transcripts.ts"
import { callFor, exchanges, textOf, theirReading, type Reading } from "../Recordings.ts"
import type { Sent } from "../Support.ts"

const answers = exchanges.filter(({ response, streamed }) => response.status === 200 && !streamed)
const lift = (exchange: Exchange) => Result.getOrThrow(GeminiChat.lift(textOf(exchange), callFor(exchange)))
const callsOf = (exchange: Exchange) =>
  ((lift(exchange).body["choices"] as ReadonlyArray<Sent>)[0]!["message"].tool_calls ?? []) as ReadonlyArray<Sent>

const ourReading = (exchange: Exchange): Reading => {
  const { body, usage } = lift(exchange)
  const [choice] = body["choices"] as ReadonlyArray<Sent>
  return {
    text: choice!["message"].content ?? "",
    reasoning: choice!["message"].reasoning_content ?? "",
    calls: callsOf(exchange).map(({ extra_content: extra, function: called }) => ({
      name: called.name,
      input: JSON.parse(called.arguments) as unknown,
      signature: extra?.google.thought_signature
    })),
    finish: choice!["finish_reason"],
    input: inputTokens(usage!),
    cached: usage!.cachedInput,
    output: outputTokens(usage!),
    thought: usage!.reasoning
  }
}

/** The other reader has one word, "other", for these ends. */
const ends: ReadonlyMap<string, string> = new Map([
  ["UNEXPECTED_TOOL_CALL", "tool_calls"],
  ["MODEL_ARMOR", "content_filter"]
])
const named = (exchange: Exchange): string | undefined =>
  ends.get((JSON.parse(textOf(exchange)) as Sent)["candidates"][0].finishReason)

describe.skipIf(!hasData)("recorded answers", () => {
  it("are all there", () => assert.strictEqual(answers.length, 263))

  it("become chat completions that the vendor's description accepts", () => {
    for (const exchange of answers) assert.isUndefined(completionProblem(lift(exchange).body), exchange.name)
  })

  it.effect("mean what another reader of them understands", () =>
    Effect.gen(function* () {
      for (const exchange of answers) {
        const theirs = yield* Effect.promise(() => theirReading(exchange))
        const told = (JSON.parse(textOf(exchange)) as Sent)["usageMetadata"].cacheTokensDetails as
          | ReadonlyArray<Sent>
          | undefined
        // Of what comes from a cache, audio counts as audio: it is dearer than text from a cache.
        const audio = told?.find(({ modality }) => modality === "AUDIO")?.["tokenCount"] ?? 0
        const corrected = { cached: theirs.cached - audio, finish: named(exchange) ?? theirs.finish }
        assert.deepStrictEqual(ourReading(exchange), { ...theirs, ...corrected }, exchange.name)
      }
    })
  )

  it("use as many tokens in all as Google says, thoughts and all", () => {
    let thinking = 0
    for (const exchange of answers) {
      const usage = lift(exchange).usage!
      const told = (JSON.parse(textOf(exchange)) as Sent)["usageMetadata"]
      assert.strictEqual(totalTokens(usage), told.totalTokenCount, exchange.name)
      assert.strictEqual(usage.reasoning, told.thoughtsTokenCount ?? 0, exchange.name)
      if (usage.reasoning > 0) thinking++
    }
    assert.isAbove(thinking, 200)
  })

  it("have calls with ids that no two share", () => {
    let calls = 0
    for (const exchange of answers) {
      const ids = callsOf(exchange).map(({ id }) => id as string)
      calls += ids.length
      assert.strictEqual(new Set(ids).size, ids.length, exchange.name)
      for (const id of ids) assert.match(id, /^[\w-]{4,}$/, exchange.name)
    }
    assert.isAbove(calls, 100)
  })
})

describe.skipIf(!hasData)("recorded refusals", () => {
  const failures = exchanges.filter(({ response }) => response.status !== 200)

  it("have the class that failover needs", () => {
    const classes = failures.map((exchange) => {
      const { headers, status } = exchange.response
      const failure = GeminiProtocol.failure({ status, headers, text: textOf(exchange) })
      return [failure.status, failure.class, failure.type]
    })
    assert.sameDeepMembers(classes, [
      [404, "model_not_found", "NOT_FOUND"],
      [400, "bad_request", "INVALID_ARGUMENT"]
    ])
  })

  it("are no answers where one is expected", () => {
    for (const exchange of failures) {
      assert.isTrue(Result.isFailure(GeminiChat.lift(textOf(exchange), callFor(exchange))), exchange.name)
    }
  })
})
