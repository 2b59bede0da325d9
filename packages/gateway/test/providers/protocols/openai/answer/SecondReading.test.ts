/** A second opinion on answers: what the gateway makes of recorded ones against what the AI SDK's providers read in the same bytes. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import type { JsonObject } from "../../../../../src/core/domain/Json.ts"
import { inputTokens, outputTokens, type Usage } from "../../../../../src/core/domain/Usage.ts"
import { OpenAiChat } from "../../../../../src/providers/protocols/openai/OpenAiProtocol.ts"
import { type Exchange, families, hasData, loadFamily, sayWhenMissing } from "../../../../support/Transcripts.ts"
import { parsed, type Reading, theirReading } from "../SecondReader.ts"
import { callOf, replay } from "../Support.ts"

sayWhenMissing("second reading of compatible servers' answers")

interface Call {
  readonly index?: number
  readonly function: { readonly name?: string; readonly arguments?: string }
}

interface Choice {
  readonly index: number
  readonly finish_reason: string | null
  readonly message?: Said
  readonly delta?: Said
}

interface Said {
  readonly content?: string | null
  readonly reasoning_content?: string | null
  readonly reasoning?: string | null
  readonly tool_calls?: ReadonlyArray<Call>
}

/** With how many answers there are. */
const VENDORS = [
  ["azure", 32],
  ["cerebras", 9],
  ["crusoe", 1],
  ["deepseek", 8],
  ["groq", 57],
  ["huggingface", 11],
  ["openrouter", 44],
  ["snowflake", 7],
  ["together", 1],
  ["zai", 4]
] as const

const callFor = (exchange: Exchange, vendor: string) =>
  callOf(exchange.request.body ?? {}, { vendor, model: String(exchange.request.body?.["model"] ?? "model") })

const ourReading = (vendor: string, exchange: Exchange): Reading => {
  const call = callFor(exchange, vendor)
  if (!exchange.streamed) {
    const { body, usage } = Result.getOrThrow(
      OpenAiChat.lift(Buffer.from(exchange.response.bytes).toString("utf8"), call)
    )
    return readingOf(body["choices"] as ReadonlyArray<Choice>, usage)
  }
  const events = replay([exchange.response.bytes], call)
  const chunks = events.flatMap((event) => ("data" in event ? [JSON.parse(event.data) as JsonObject] : []))
  return readingOf(
    chunks.flatMap((chunk) => chunk["choices"] as ReadonlyArray<Choice>),
    events.find((event) => event.kind === "usage")?.usage
  )
}

/** As a naive client puts it together. */
const readingOf = (all: ReadonlyArray<Choice>, usage: Usage | undefined): Reading => {
  const choices = all.filter(({ index }) => index === 0)
  const said = choices.map(({ delta, message }) => message ?? delta ?? {})
  const calls: Array<{ name: string; text: string }> = []
  for (const [at, one] of said.flatMap(({ tool_calls: some }) => [...(some ?? []).entries()])) {
    const call = (calls[one.index ?? at] ??= { name: "", text: "" })
    call.name += one.function.name ?? ""
    call.text += one.function.arguments ?? ""
  }
  return {
    text: said.map(({ content }) => content ?? "").join(""),
    reasoning: said.map(({ reasoning, reasoning_content: thought = reasoning }) => thought ?? "").join(""),
    calls: calls.map(({ name, text }) => ({ name, input: parsed(text) })),
    finish: choices.find(({ finish_reason: reason }) => reason !== null)?.finish_reason ?? "none",
    input: usage === undefined ? 0 : inputTokens(usage),
    cached: usage?.cachedInput ?? 0,
    output: usage === undefined ? 0 : outputTokens(usage),
    thought: usage?.reasoning ?? 0
  }
}

/** What the other reader cannot say is not compared: servers that name no reason for the end, or one of their own. */
const corrected = (theirs: Reading, ours: Reading): Reading =>
  theirs.finish === "other" && (ours.finish === "stop" || ours.finish === "tool_calls")
    ? { ...theirs, finish: ours.finish }
    : theirs

describe.skipIf(!hasData)("recorded answers of compatible servers", () => {
  for (const [vendor, expected] of VENDORS) {
    it.effect(`of ${vendor} mean what another reader of them understands`, () =>
      Effect.gen(function* () {
        const answers = families(`${vendor}.chat`)
          .flatMap(loadFamily)
          .filter(({ response }) => response.status === 200)
        assert.strictEqual(answers.length, expected)
        for (const exchange of answers) {
          const ours = yield* Effect.result(Effect.try({ try: () => ourReading(vendor, exchange), catch: String }))
          const theirs = yield* Effect.result(
            Effect.tryPromise({ try: () => theirReading(vendor, exchange), catch: String })
          )
          if (Result.isFailure(theirs)) {
            // No answer for either: an error in its place, or a stream that was cut.
            const isCut = Result.isSuccess(ours) && ours.success.finish === "none"
            // A reason to finish that only `[DONE]` stands for is added.
            const isAdded = String(theirs.failure).includes("ended without a finish reason")
            assert.isTrue(Result.isFailure(ours) || isCut || isAdded, `${exchange.name}: ${theirs.failure}`)
            continue
          }
          const read = Result.getOrThrow(ours)
          assert.deepStrictEqual(read, corrected(theirs.success, read), exchange.name)
        }
      })
    )
  }
})
