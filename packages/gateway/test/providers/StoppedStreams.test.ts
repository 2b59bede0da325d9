/** Recorded streams, stopped anywhere: what is booked for the part that came, against what the provider counted for it. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { estimateAnswer } from "../../src/core/bounds/Estimate.ts"
import type { StreamEvent } from "../../src/core/operations/LiftedAnswer.ts"
import { type Produced, ProducedText } from "../../src/core/operations/ProducedText.ts"
import type { UpstreamCall } from "../../src/core/pool/Protocol.ts"
import { countTokens } from "../../src/core/operations/Tokens.ts"
import { StreamRelay } from "../../src/core/operations/chat/StreamRelay.ts"
import { registryOf } from "../../src/providers/catalogue/ProviderRegistry.ts"
import { SseDecoder } from "../../src/providers/framing/Sse.ts"
import { seeded } from "../core/call/Support.ts"
import { type Exchange, families, hasData, loadFamily, sayWhenMissing } from "../support/Transcripts.ts"
import { callFor as anthropicCall, exchanges as anthropic } from "./protocols/anthropic/Recordings.ts"
import { callOf } from "./protocols/openai/Support.ts"

sayWhenMissing("recorded streams that are stopped")

const others = [
  "azure.chat",
  "deepseek.chat",
  "groq.chat",
  "huggingface.chat",
  "mistral.chat",
  "openrouter.chat",
  "zai.chat"
]

const openAiCall =
  (vendor: string) =>
  (exchange: Exchange): UpstreamCall =>
    callOf({ ...exchange.request.body }, { vendor, model: String(exchange.request.body?.["model"] ?? "model") })

/** The first `bytes` bytes of a stream as the gateway reads them. */
const relayed = (exchange: Exchange, call: UpstreamCall, bytes: number): StreamRelay => {
  const relay = new StreamRelay(true, call.request.choices)
  const lifter = registryOf().protocol(call.deployment.protocol).speaks.get("chat")!.stream(call)
  const decoder = new SseDecoder()
  const whole = bytes >= exchange.response.bytes.length
  const events = decoder.push(exchange.response.bytes.subarray(0, bytes))
  const apart = new ProducedText()
  const push = (lifted: ReadonlyArray<StreamEvent>): void => {
    for (const event of lifted) if (event.kind === "content" || event.kind === "finish") apart.add(event.data)
    relay.push(lifted)
  }
  for (const event of whole ? [...events, ...decoder.end()] : events) push(lifter.push(event))
  if (whole) push(lifter.end())
  // What is kept of an event is all that it says.
  if (relay.failure === undefined)
    assert.deepStrictEqual(madeOf(relay.produced.all()), madeOf(apart.all()), exchange.name)
  return relay
}

const madeOf = ({ calls, hasThoughts, text }: Produced): Produced => ({ calls, hasThoughts, text })

const CUTS = 20

/** Parts of their output that the gateway would book, and that the provider counted, of streams that say all they cost. */
const measured = (exchanges: ReadonlyArray<Exchange>, callFor: (exchange: Exchange) => UpstreamCall) =>
  Effect.gen(function* () {
    const chance = seeded(5)
    let [booked, billed, streams] = [0, 0, 0]
    for (const exchange of exchanges) {
      if (!exchange.streamed || SEARCHES.test(JSON.stringify(exchange.request.body))) continue
      const call = callFor(exchange)
      const { produced, usage } = relayed(exchange, call, Number.POSITIVE_INFINITY)
      const whole = produced.all()
      // What nobody can see is bounded by time, and recordings have none.
      if (usage === undefined || usage.reasoning > 0 || whole.hasThoughts || whole.text.length < 40) continue
      streams++
      const words = yield* countTokens(whole.text, call.deployment.protocol)
      for (let cut = 0; cut < CUTS; cut++) {
        const part = relayed(exchange, call, chance.below(exchange.response.bytes.length))
        const came = part.produced.all()
        const { output } = part.usage ?? (yield* estimateAnswer(call.request, call.deployment, came))
        booked += output
        billed += part.usage === undefined ? shareOf(usage.output, words, came, whole) : usage.output
      }
    }
    return { streams, ratio: booked / billed }
  })

/** What a provider counted for a part: words by their share, and what came with the tool calls that had begun. */
const shareOf = (output: number, words: number, part: Produced, whole: Produced): number => {
  const share = part.text.length / whole.text.length
  const beyond = Math.max(0, output - words)
  return (output - beyond) * share + beyond * (whole.calls === 0 ? share : part.calls / whole.calls)
}

/** The vendors' own tools: what they read is billed as output or input, and is in no answer. */
const SEARCHES = /web_search|tool_search|"plugins"|code_execution|openrouter:|redacted_thinking|REDACTED/

describe.skipIf(!hasData)("a stream that its caller stopped", () => {
  const cases = [
    { name: "OpenAI", exchanges: loadFamily("openai.chat.completions"), callFor: openAiCall("openai") },
    {
      name: "servers that speak like it",
      exchanges: families(...others).flatMap(loadFamily),
      callFor: openAiCall("openai-compatible")
    },
    { name: "Anthropic", exchanges: anthropic, callFor: anthropicCall }
  ]
  for (const { callFor, exchanges, name } of cases) {
    it.effect(`is booked within 10 % of its part, and on average not below it: ${name}`, () =>
      Effect.gen(function* () {
        const { ratio, streams } = yield* measured(exchanges, callFor)
        assert.isAtLeast(streams, 3)
        assert.isAtLeast(ratio, 1)
        assert.isAtMost(ratio, 1.1)
      })
    )
  }
})
