import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import { inputTokens, outputTokens } from "../../../../../src/core/domain/Usage.ts"
import { AnthropicChat, AnthropicProtocol } from "../../../../../src/providers/protocols/anthropic/AnthropicProtocol.ts"
import { completionProblem } from "../../../../support/OpenAiSchema.ts"
import { hasData, type Exchange } from "../../../../support/Transcripts.ts"
import { callFor, exchanges, isReadable, textOf, theirReading, type Reading } from "../Recordings.ts"
import type { Sent } from "../Support.ts"

const answers = exchanges.filter(({ response, streamed }) => response.status === 200 && !streamed)
const lift = (exchange: Exchange) => Result.getOrThrow(AnthropicChat.lift(textOf(exchange), callFor(exchange)))

const ourReading = (exchange: Exchange): Reading => {
  const { body, usage } = lift(exchange)
  const [choice] = body["choices"] as ReadonlyArray<Sent>
  const calls = (choice!["message"].tool_calls ?? []) as ReadonlyArray<Sent>
  return {
    text: choice!["message"].content ?? "",
    reasoning: choice!["message"].reasoning_content ?? "",
    calls: calls.map(({ function: called, id }) => ({
      id,
      name: called.name,
      input: JSON.parse(called.arguments) as unknown
    })),
    finish: choice!["finish_reason"],
    input: inputTokens(usage!),
    cached: usage!.cachedInput,
    written: usage!.cacheWrite + usage!.cacheWrite1h,
    output: outputTokens(usage!),
    thought: usage!.reasoning
  }
}

describe.skipIf(!hasData)("recorded answers", () => {
  it("are all there", () => {
    assert.strictEqual(answers.length, 185)
    assert.strictEqual(answers.filter(isReadable).length, 184)
  })

  it("become chat completions that the vendor's description accepts", () => {
    for (const exchange of answers) assert.isUndefined(completionProblem(lift(exchange).body), exchange.name)
  })

  it.effect("mean what another reader of them understands", () =>
    Effect.gen(function* () {
      for (const exchange of answers.filter(isReadable)) {
        const theirs = yield* Effect.promise(() => theirReading(exchange))
        const ours = ourReading(exchange)
        const native = JSON.parse(textOf(exchange)) as Sent
        const rounds = (native["usage"].iterations ?? []) as ReadonlyArray<Sent>
        const compacted = rounds.filter(({ type }) => type === "compaction")
        // The other reader forgets what compaction read from and wrote to the cache.
        const forgotten = (field: string) => compacted.reduce((sum, round) => sum + (round[field] as number), 0)
        const read = forgotten("cache_read_input_tokens")
        const written = forgotten("cache_creation_input_tokens")
        const corrected = {
          cached: theirs.cached + read,
          written: theirs.written + written,
          input: theirs.input + read + written
        }
        assert.deepStrictEqual(ours, { ...theirs, ...corrected }, exchange.name)
      }
    })
  )

  it("count what was read from the cache: always more than what was not", () => {
    const cached = answers.map((exchange) => lift(exchange).usage!).filter(({ cachedInput }) => cachedInput > 0)
    assert.isAbove(cached.length, 0)
    for (const usage of cached) assert.isAbove(usage.cachedInput, usage.input)
  })
})

describe.skipIf(!hasData)("recorded refusals", () => {
  const failures = exchanges.filter(({ response }) => response.status !== 200)
  const classes = failures.map((exchange) => {
    const { headers, status } = exchange.response
    const failure = AnthropicProtocol.failure({ status, headers, text: textOf(exchange) })
    return [failure.status, failure.class, failure.type]
  })

  it("have the class that failover needs", () => {
    assert.sameDeepMembers(classes, [
      [400, "bad_request", "invalid_request_error"],
      [404, "model_not_found", "not_found_error"]
    ])
  })

  it("are no answers where one is expected", () => {
    for (const exchange of failures) {
      assert.isTrue(Result.isFailure(AnthropicChat.lift(textOf(exchange), callFor(exchange))), exchange.name)
    }
  })
})
