/** Real answers of providers, damaged: what comes of them is an answer or a failure, with sane numbers, and never an exception. */
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import type { BuiltInProtocol } from "../../src/core/domain/Deployment.ts"
import type { UpstreamCall, Protocol } from "../../src/core/pool/Protocol.ts"
import { ProviderFailure } from "../../src/core/domain/Failures.ts"
import { textOfChoices } from "../../src/core/operations/ProducedText.ts"
import { costOf, type PriceSheet } from "../../src/core/domain/pricing/Pricing.ts"
import { StreamRelay } from "../../src/core/operations/chat/StreamRelay.ts"
import type { Usage } from "../../src/core/domain/Usage.ts"
import { AnthropicProtocol } from "../../src/providers/protocols/anthropic/AnthropicProtocol.ts"
import { CohereProtocol } from "../../src/providers/protocols/cohere/CohereProtocol.ts"
import { GeminiProtocol } from "../../src/providers/protocols/gemini/GeminiProtocol.ts"
import { MistralProtocol } from "../../src/providers/protocols/mistral/MistralProtocol.ts"
import { BedrockProtocol } from "../../src/providers/protocols/bedrock/BedrockProtocol.ts"
import { OllamaProtocol } from "../../src/providers/protocols/ollama/OllamaProtocol.ts"
import { OpenAiProtocol } from "../../src/providers/protocols/openai/OpenAiProtocol.ts"
import { wireError } from "../../src/http/errors/WireError.ts"
import { eventMessage } from "../support/EventStreamMessages.ts"
import { SseDecoder } from "../../src/providers/framing/Sse.ts"
import { withoutSecrets } from "../../src/providers/pool/Member.ts"
import { Chance, damagedBytes, damagedJson, inPieces } from "../support/Mutate.ts"
import { families, loadFamily, sayWhenMissing } from "../support/Transcripts.ts"
import { callOf, NOW } from "./protocols/openai/Support.ts"
import * as Answers from "./WireSamples.ts"

sayWhenMissing("damaged recordings of providers (the built-in samples are damaged all the same)")

const ROUNDS = 1_000
/** Longer recordings take long and hold nothing else. */
const MOST_BYTES = 32 * 1024
const rates = Object.fromEntries(Object.keys(Answers.usageClasses).map((name) => [name, 2_500_000])) as never
const price: PriceSheet = { source: "test", version: "1", ratesAt: () => ({ base: rates, tiers: [] }) }

const sane = (usage: Usage | undefined): void => {
  if (usage === undefined) return
  for (const [name, count] of Object.entries(usage)) {
    assert.isTrue(Number.isSafeInteger(count) && count >= 0, `${name}: ${count}`)
  }
  const cost = costOf(price, usage, 0)
  assert.isTrue(Number.isSafeInteger(cost) && cost >= 0, `cost ${cost}`)
}

const cases: ReadonlyArray<{
  readonly name: string
  readonly protocol: Protocol
  readonly vendor: string
  readonly family: string
  /** A stream as it is sent, where it is not the text that the samples are written in. */
  readonly wired?: (text: Buffer) => Buffer
}> = [
  { name: "OpenAI", protocol: OpenAiProtocol, vendor: "openai", family: "openai.chat" },
  { name: "an OpenAI-compatible server", protocol: OpenAiProtocol, vendor: "openai-compatible", family: "groq.chat" },
  { name: "Mistral", protocol: MistralProtocol, vendor: "mistral", family: "mistral.chat" },
  { name: "Ollama", protocol: OllamaProtocol, vendor: "ollama", family: "ollama.api_chat" },
  { name: "Cohere", protocol: CohereProtocol, vendor: "cohere", family: "cohere.v2_chat" },
  { name: "Anthropic", protocol: AnthropicProtocol, vendor: "anthropic", family: "anthropic.messages" },
  { name: "Google", protocol: GeminiProtocol, vendor: "google-ai-studio", family: "gemini.streamGenerateContent" },
  { name: "Bedrock", protocol: BedrockProtocol, vendor: "bedrock", family: "bedrock.converse", wired: asMessages }
]

for (const { family, name, protocol, vendor, wired = (text: Buffer) => text } of cases) {
  const recorded = families(family)
    .flatMap(loadFamily)
    .filter(({ response }) => response.bytes.length < MOST_BYTES)
    .slice(0, 150)
  const chat = protocol.speaks.get("chat")!
  const own = Answers.samples[protocol.name as BuiltInProtocol]
  const call = (stream: boolean): UpstreamCall =>
    callOf(
      {
        model: "m",
        messages: [{ role: "user", content: "Hi" }],
        stream,
        ...(stream ? { stream_options: { include_usage: true } } : {})
      },
      { vendor, protocol: protocol.name }
    )

  const whole = [
    ...own.whole,
    ...recorded.filter((one) => !one.streamed).map(({ response }) => Buffer.from(response.bytes).toString())
  ]
  const streams = [
    ...own.streams,
    ...recorded.filter((one) => one.streamed).map(({ response }) => Buffer.from(response.bytes).toString())
  ]

  describe(`the answers of ${name}, damaged`, () => {
    it("are answers or failures when they are whole", () => {
      for (let round = 0; round < ROUNDS; round++) {
        const chance = new Chance(round)
        const text = damaged(chance.pick(whole), chance)
        const lifted = attempt(round, () => chat.lift(text, call(false)))
        if (Result.isFailure(lifted)) {
          assert.instanceOf(lifted.failure, ProviderFailure)
          continue
        }
        const { body, usage } = lifted.success
        sane(usage)
        attempt(round, () => assert.isString(JSON.stringify(body)))
        attempt(round, () => textOfChoices(body, "message"))
        assert.isArray(body["choices"])
      }
    })

    it("are events when they are streamed, however they are split", () => {
      for (let round = 0; round < ROUNDS; round++) {
        const chance = new Chance(round)
        const bytes = wired(damagedStream(chance.pick(streams), chance))
        const decoder = protocol.framing.decoder()
        const lifter = chat.stream(call(true))
        const relay = new StreamRelay(chance.is(0.5), 1)
        let shown = ""
        attempt(round, () => {
          for (const piece of inPieces(bytes, chance)) {
            for (const event of decoder.push(piece)) shown += take(relay, lifter.push(event))
          }
          for (const event of decoder.end()) shown += take(relay, lifter.push(event))
          shown += take(relay, lifter.end())
          relay.close()
          assert.isString(relay.produced.all().text)
          if (relay.failure === undefined) shown += relay.last({}, 0, {})
        })
        // Whatever the caller is shown is framed.
        assert.isTrue(shown === "" || (shown.startsWith("data: ") && shown.endsWith("\n\n")), `round ${round}`)
        assert.notMatch(shown, /\n\n(?!data: |$)|\r/, `round ${round}`)
      }
    })

    it("are failures when they are refusals", () => {
      const refusals = [
        ...own.refusals,
        ...recorded
          .filter((one) => one.response.status >= 400)
          .map(({ response }) => Buffer.from(response.bytes).toString())
      ]
      for (let round = 0; round < ROUNDS; round++) {
        const chance = new Chance(round)
        const text = damaged(chance.pick(refusals), chance)
        const headers = {
          "retry-after": chance.pick([
            "",
            "1",
            "-1",
            "1e99",
            "soon",
            "Infinity",
            "999999999999",
            "9".repeat(400),
            "Wed, 21 Oct 2065 07:28:00 GMT",
            "\u0000"
          ])
        }
        const status = chance.pick([
          0, 100, 204, 301, 399, 400, 401, 402, 403, 404, 408, 413, 418, 422, 429, 451, 500, 503, 529, 599, 999
        ])
        const failure = attempt(round, () => protocol.failure({ status, headers, text }))
        assert.instanceOf(failure, ProviderFailure)
        assert.isBelow(withoutSecrets(failure, []).message.length, 5_000)
        const { retryAfterMs: wait = 0 } = failure
        assert.isTrue(Number.isSafeInteger(wait) && wait >= 0 && wait <= 24 * 3_600_000, `round ${round}: ${wait}`)
        // Whatever it says can be told.
        const { body, headers: told, status: shown } = attempt(round, () => wireError(failure, NOW))
        assert.isString(JSON.stringify(body))
        assert.isTrue(shown >= 400 && shown <= 599)
        for (const value of Object.values(told)) assert.match(value, /^[\x20-\x7e]*$/)
      }
    })

    it("cost next to nothing to refuse when they are made of brackets", () => {
      for (const unit of ["[", '{"a":', "[[],", '{"choices":[', '[{"message":']) {
        const text = unit.repeat(Math.floor((16 * 1024 * 1024) / unit.length))
        const before = process.cpuUsage()
        assert.isTrue(Result.isFailure(chat.lift(text, call(false))))
        assert.deepStrictEqual(chat.stream(call(true)).push({ kind: "", data: `{${text.slice(0, 1024 * 1024)}}` }), [
          { kind: "malformed" }
        ])
        const { system, user } = process.cpuUsage(before)
        assert.isBelow((system + user) / 1_000, 250, unit)
      }
    })
  })
}

/** Each named event as a message of an event stream. */
function asMessages(text: Buffer): Buffer {
  const decoder = new SseDecoder()
  const events = [...decoder.push(text), ...decoder.end()]
  return Buffer.concat(events.map(({ data, kind }) => eventMessage(kind, data)))
}

/** What was being done when it threw. */
const attempt = <A>(round: number, run: () => A): A => {
  try {
    return run()
  } catch (error) {
    throw new Error(`round ${round}: ${String(error)}`, { cause: error })
  }
}

const damaged = (text: string, chance: Chance): string => {
  const value = Result.getOrUndefined(Result.try(() => JSON.parse(text) as unknown))
  return value === undefined || chance.is(0.2)
    ? damagedBytes(Buffer.from(text), chance).toString("utf8")
    : damagedJson(value, chance)
}

/** One event, or the bytes, or the order. */
const damagedStream = (text: string, chance: Chance): Buffer => {
  if (chance.is(0.25)) return damagedBytes(Buffer.from(text), chance)
  const frames = text.split(/\r?\n\r?\n/).filter((frame) => frame !== "")
  const at = chance.below(frames.length)
  if (chance.is(0.2)) {
    const [moved] = frames.splice(at, 1)
    frames.splice(chance.below(frames.length + 1), 0, moved!, ...(chance.is(0.5) ? [moved!] : []))
  } else {
    frames[at] = frames[at]!.replace(/^data: ?(\{.*)$/m, (_, data: string) => `data: ${damaged(data, chance)}`)
  }
  return Buffer.from(`${frames.join("\n\n")}\n\n`)
}

const take = (relay: StreamRelay, events: Parameters<StreamRelay["push"]>[0]): string => {
  for (const event of events) {
    if (event.kind === "usage") sane(event.usage)
    if (event.kind === "finish" || event.kind === "usage") assert.isObject(JSON.parse(event.data))
  }
  return relay.push(events)
}
