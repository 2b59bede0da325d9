/** Every recorded legacy completion, whole and streamed, and the same chat answers over the bridge. */
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import type { JsonObject } from "../../../../../src/core/domain/Json.ts"
import { totalTokens } from "../../../../../src/core/domain/Usage.ts"
import { completions } from "../../../../../src/core/operations/completions/Completions.ts"
import type { CallRequest } from "../../../../../src/core/operations/CallRequest.ts"
import type { StreamEvent } from "../../../../../src/core/operations/LiftedAnswer.ts"
import type { Dialect, UpstreamCall } from "../../../../../src/core/pool/Protocol.ts"
import { dialectFor } from "../../../../../src/providers/bridges/Bridge.ts"
import { CompletionsToChat } from "../../../../../src/providers/bridges/CompletionsToChat.ts"
import { SseDecoder } from "../../../../../src/providers/framing/Sse.ts"
import { OpenAiCompletions } from "../../../../../src/providers/protocols/openai/completions/OpenAiCompletions.ts"
import { OpenAiChat } from "../../../../../src/providers/protocols/openai/OpenAiProtocol.ts"
import { problemWith } from "../../../../support/OpenAiSchema.ts"
import { type Exchange, families, hasData, loadFamily, sayWhenMissing } from "../../../../support/Transcripts.ts"
import { callOf, seeded } from "../Support.ts"

sayWhenMissing("replay of completions recordings")

const native = loadFamily("openai.completions")
const chats = families("openai.chat", "groq.chat", "mistral.chat", "bedrock-mantle.completions").flatMap((family) =>
  loadFamily(family)
)

const requestOf = (value: JsonObject): CallRequest =>
  Result.getOrThrow(completions.read({ kind: "json", value, bytes: JSON.stringify(value).length }))

const callFor = (body: JsonObject, vendor: string): UpstreamCall => {
  const request = requestOf(body)
  const { maxOutput } = request
  return { ...callOf(body, { vendor, model: String(body["model"]) }), operation: "completions", request, maxOutput }
}

const bodyOf = ({ request }: Exchange): JsonObject => request.body ?? {}
const textOf = ({ response }: Exchange): string => Buffer.from(response.bytes).toString()
const wholes = (all: ReadonlyArray<Exchange>) =>
  all.filter(({ response, streamed }) => response.status === 200 && !streamed)
const streams = (all: ReadonlyArray<Exchange>) => all.filter(({ streamed }) => streamed)

const replayed = (dialect: Dialect, pieces: Iterable<Uint8Array>, call: UpstreamCall): ReadonlyArray<StreamEvent> => {
  const decoder = new SseDecoder()
  const lifter = dialect.stream(call)
  const events: Array<StreamEvent> = []
  for (const piece of pieces) for (const event of decoder.push(piece)) events.push(...lifter.push(event))
  for (const event of decoder.end()) events.push(...lifter.push(event))
  return [...events, ...lifter.end()]
}

const dataOf = (events: ReadonlyArray<StreamEvent>): ReadonlyArray<JsonObject> =>
  events.flatMap((event) => ("data" in event ? [JSON.parse(event.data) as JsonObject] : []))

/** The text of each choice, and why it ended. */
const assembled = (chunks: ReadonlyArray<JsonObject>): JsonObject => {
  const said: Record<string, string> = {}
  for (const { choices } of chunks) {
    for (const { finish_reason: reason, index, text } of choices as ReadonlyArray<JsonObject>) {
      said[String(index)] =
        `${said[String(index)] ?? ""}${String(text)}${typeof reason === "string" ? `!${reason}` : ""}`
    }
  }
  return said
}

const valid = (value: JsonObject, name: string) =>
  assert.isUndefined(problemWith("CreateCompletionResponse", value), name)

describe.skipIf(!hasData)("recorded completions", () => {
  it("are there", () => {
    assert.strictEqual(native.length, 43)
    assert.isAtLeast(streams(native).length, 14)
  })

  it("requests leave as they came, with the vendor's own limit said and the usage of streams asked for", () => {
    for (const exchange of native) {
      const body = bodyOf(exchange)
      const wire = Result.getOrThrow(OpenAiCompletions.lower(callFor(body, "openai")))
      const usage = body["stream"] === true ? { stream_options: { include_usage: true } } : {}
      const given = Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null))
      assert.deepStrictEqual(JSON.parse(wire.body), { max_tokens: 16, ...given, ...usage }, exchange.name)
      assert.strictEqual(wire.path, "/completions")
    }
  })

  it("whole answers come out as they are, and valid, as the vendor's and as a compatible server's", () => {
    for (const exchange of wholes(native)) {
      for (const vendor of ["openai", "openai-compatible"]) {
        const lifted = Result.getOrThrow(OpenAiCompletions.lift(textOf(exchange), callFor(bodyOf(exchange), vendor)))
        const told = JSON.parse(textOf(exchange))
        assert.deepStrictEqual(lifted.body, told, exchange.name)
        valid(lifted.body, exchange.name)
        assert.strictEqual(totalTokens(lifted.usage!), told.usage.total_tokens)
      }
    }
  })

  it("streams come out chunk for chunk and valid, however their bytes are split", () => {
    const random = seeded(7)
    for (const exchange of streams(native)) {
      const { bytes } = exchange.response
      const raw = textOf(exchange)
        .split("\n\n")
        .flatMap((one) => (one.startsWith("data: {") ? [JSON.parse(one.slice(6)) as JsonObject] : []))
      for (const vendor of ["openai", "openai-compatible"]) {
        const call = callFor(bodyOf(exchange), vendor)
        const events = replayed(OpenAiCompletions, [bytes], call)
        assert.deepStrictEqual(dataOf(events), raw, exchange.name)
        for (const chunk of dataOf(events)) valid(chunk, exchange.name)
        assert.strictEqual(events.at(-1)?.kind, "done")
        const pieces: Array<Uint8Array> = []
        for (let at = 0; at < bytes.length;) {
          const next = at + 1 + Math.floor(random() * 90)
          pieces.push(bytes.subarray(at, next))
          at = next
        }
        assert.deepStrictEqual(replayed(OpenAiCompletions, pieces, call), events, exchange.name)
      }
    }
  })

  it("a stream that is cut at any frame has no end mark", () => {
    for (const exchange of streams(native)) {
      const call = callFor(bodyOf(exchange), "openai")
      const frames = textOf(exchange).split("\n\n")
      for (let count = 0; count < frames.length && !frames[count]!.includes("[DONE]"); count++) {
        const text = frames.slice(0, count).map((one) => `${one}\n\n`)
        const events = replayed(OpenAiCompletions, [Buffer.from(text.join(""))], call)
        assert.isFalse(events.some(({ kind }) => kind === "done"))
        assert.lengthOf(events, count)
      }
    }
  })
})

const bridged =
  dialectFor(new Map([["chat", OpenAiChat]]), [CompletionsToChat], "completions") ?? assert.fail("no bridge")

describe.skipIf(!hasData)("recorded chats, over the bridge", () => {
  const call = (exchange: Exchange) => {
    const made = callFor(
      { model: "m", prompt: "Hi", stream: exchange.streamed },
      exchange.name.includes("openai") ? "openai" : "openai-compatible"
    )
    Result.getOrThrow(bridged.lower(made))
    return made
  }

  it("whole answers come out valid, with the same words and usage", () => {
    let answered = 0
    for (const exchange of wholes(chats)) {
      const result = bridged.lift(textOf(exchange), call(exchange))
      if (Result.isFailure(result)) continue
      const { body, usage } = result.success
      answered++
      valid(body, exchange.name)
      const chat = Result.getOrThrow(OpenAiChat.lift(textOf(exchange), call(exchange)))
      assert.deepStrictEqual(usage, chat.usage)
      const said = (chat.body["choices"] as ReadonlyArray<{ readonly message: JsonObject }>).map(
        ({ message }) => message["content"] ?? message["refusal"] ?? ""
      )
      assert.deepStrictEqual(
        (body["choices"] as ReadonlyArray<JsonObject>).map(({ text }) => text),
        said
      )
    }
    assert.isAtLeast(answered, 200)
  })

  it("streams come out valid, and say what the chat says", () => {
    let answered = 0
    for (const exchange of streams(chats)) {
      const made = call(exchange)
      const events = replayed(bridged, [exchange.response.bytes], made)
      const chat = replayed(OpenAiChat, [exchange.response.bytes], made)
      assert.deepStrictEqual(
        events.map(({ kind }) => kind),
        chat.map(({ kind }) => kind)
      )
      for (const chunk of dataOf(events)) valid(chunk, exchange.name)
      const text = (chunks: ReadonlyArray<JsonObject>) =>
        chunks
          .flatMap(({ choices }) => choices as ReadonlyArray<{ readonly delta: JsonObject }>)
          .map(({ delta }) => delta["content"] ?? delta["refusal"] ?? "")
          .join("")
      assert.strictEqual(
        Object.values(assembled(dataOf(events)))
          .join("")
          .replace(/![a-z_]+/g, ""),
        text(dataOf(chat)).replace(/![a-z_]+/g, ""),
        exchange.name
      )
      answered++
    }
    assert.isAtLeast(answered, 60)
  })
})
