/** Recorded chats of many providers, as responses: what was said is said, in valid events, and a cut stream shows no end. */
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import type { JsonObject } from "../../../src/core/domain/Json.ts"
import type { StreamEvent } from "../../../src/core/operations/LiftedAnswer.ts"
import type { Dialect, Protocol, UpstreamCall } from "../../../src/core/pool/Protocol.ts"
import { dialectFor } from "../../../src/providers/bridges/Bridge.ts"
import { responsesToChat } from "../../../src/providers/bridges/ResponsesToChat.ts"
import { SseDecoder } from "../../../src/providers/framing/Sse.ts"
import { AnthropicProtocol } from "../../../src/providers/protocols/anthropic/AnthropicProtocol.ts"
import { OpenAiChat, OpenAiProtocol } from "../../../src/providers/protocols/openai/OpenAiProtocol.ts"
import { problemWith } from "../../support/OpenAiSchema.ts"
import { type Exchange, families, hasData, loadFamily, sayWhenMissing } from "../../support/Transcripts.ts"
import { callOf } from "../protocols/openai/Support.ts"

sayWhenMissing("recorded chats as responses")

const CHATS = [
  "openai.chat.completions",
  "azure.chat",
  "cerebras.chat",
  "deepseek.chat",
  "groq.chat",
  "huggingface.chat",
  "mistral.chat",
  "ollama.chat",
  "openrouter.chat",
  "together.chat",
  "zai.chat"
]

const chats = families(...CHATS).flatMap((family) => loadFamily(family))
const claude = loadFamily("anthropic.messages")

const chatOnly: Protocol["speaks"] = new Map([["chat", OpenAiChat]])
const overChat = dialectFor(chatOnly, [responsesToChat], "responses")!
const overClaude = dialectFor(AnthropicProtocol.speaks, [responsesToChat], "responses")!

const call = (stream: boolean, isNative: boolean): UpstreamCall => ({
  ...callOf({ model: "m", input: "Hi", stream }, { vendor: isNative ? "openai" : "openai-compatible" }),
  operation: "responses"
})

const lowered = (dialect: Dialect, exchange: Exchange, stream: boolean): UpstreamCall => {
  const asked = call(stream, exchange.request.url.includes("api.openai.com"))
  Result.getOrThrow(dialect.lower(asked))
  return asked
}

const replay = (dialect: Dialect, bytes: Uint8Array, asked: UpstreamCall): ReadonlyArray<StreamEvent> => {
  const decoder = new SseDecoder()
  const lifter = dialect.stream(asked)
  const out: Array<StreamEvent> = []
  for (const event of [...decoder.push(bytes), ...decoder.end()]) out.push(...lifter.push(event))
  return [...out, ...lifter.end()]
}

const dataIn = (events: ReadonlyArray<StreamEvent>): ReadonlyArray<JsonObject> =>
  events.flatMap((event) => ("data" in event && event.data !== "" ? [JSON.parse(event.data) as JsonObject] : []))

const count = (events: ReadonlyArray<StreamEvent>, kind: StreamEvent["kind"]): number =>
  events.filter((event) => event.kind === kind).length

const itemsOf = (response: unknown): ReadonlyArray<JsonObject> =>
  ((response as JsonObject)["output"] ?? []) as ReadonlyArray<JsonObject>

/** All that is said in the text of a response. */
const textIn = (response: unknown): string =>
  itemsOf(response)
    .filter((item) => item["type"] === "message")
    .flatMap((item) => item["content"] as ReadonlyArray<JsonObject>)
    .map((part) => String(part["text"] ?? part["refusal"]))
    .join("")

/** The laws of a stream of a response, and that it ends with all it said. */
const checkStream = (name: string, events: ReadonlyArray<StreamEvent>) => {
  const data = dataIn(events)
  for (const event of data) {
    const problem = problemWith("ResponseStreamEvent", event)
    assert.isUndefined(problem, `${name}: ${problem} ${JSON.stringify(event).slice(0, 400)}`)
  }
  assert.deepStrictEqual(
    data.map((event) => event["sequence_number"]),
    data.map((_, index) => index),
    name
  )
  const open = new Set<unknown>()
  const done: Array<JsonObject> = []
  let text = ""
  for (const { delta, item, output_index: place, type } of data) {
    if (type === "response.output_item.added") {
      assert.strictEqual(place, done.length + open.size, name)
      open.add(place)
    } else if (place !== undefined) assert.isTrue(open.has(place), `${name} ${String(type)}`)
    if (type === "response.output_item.done") {
      open.delete(place)
      done.push(item as JsonObject)
    }
    if (type === "response.output_text.delta" || type === "response.refusal.delta") text += String(delta)
  }
  const last = data.at(-1)
  if (count(events, "finish") === 0) return undefined
  assert.strictEqual(open.size, 0, name)
  assert.deepStrictEqual(itemsOf(last?.["response"]), done, name)
  assert.strictEqual(textIn(last?.["response"]), text, name)
  return last?.["response"] as JsonObject
}

describe.skipIf(!hasData)("recorded chats as responses", () => {
  it("streams are valid and say the same", () => {
    let checked = 0
    for (const [dialect, exchanges] of [
      [overChat, chats],
      [overClaude, claude]
    ] as const) {
      for (const exchange of exchanges.filter(({ streamed }) => streamed)) {
        const asked = lowered(dialect, exchange, true)
        const events = replay(dialect, exchange.response.bytes, asked)
        const response = checkStream(exchange.name, events)
        if (response === undefined) {
          assert.strictEqual(count(events, "failed"), 1, exchange.name)
          continue
        }
        checked++
        assert.strictEqual(count(events, "done"), 1, exchange.name)
      }
    }
    assert.isAtLeast(checked, 137)
  })

  it("whole answers are valid", () => {
    let checked = 0
    for (const [dialect, exchanges] of [
      [overChat, chats],
      [overClaude, claude]
    ] as const) {
      for (const exchange of exchanges.filter(({ response, streamed }) => response.status === 200 && !streamed)) {
        const asked = lowered(dialect, exchange, false)
        const lifted = dialect.lift(Buffer.from(exchange.response.bytes).toString(), asked)
        if (Result.isFailure(lifted)) continue
        const { body } = lifted.success
        const problem = problemWith("Response", body)
        assert.isUndefined(problem, `${exchange.name}: ${problem} ${JSON.stringify(body).slice(0, 400)}`)
        checked++
      }
    }
    assert.isAtLeast(checked, 400)
  })

  it("a stream that is cut shows no end", () => {
    for (const exchange of chats.filter(({ streamed }) => streamed).slice(0, 60)) {
      const bytes = Buffer.from(exchange.response.bytes)
      const asked = lowered(overChat, exchange, true)
      for (let at = bytes.indexOf("\n\n"); at >= 0; at = bytes.indexOf("\n\n", at + 2)) {
        const prefix = bytes.subarray(0, at + 2)
        const came = /"finish_reason":\s*"[a-z_]+"/.test(prefix.toString("utf8"))
        const events = replay(overChat, prefix, asked)
        assert.isAtMost(count(events, "finish"), came ? 1 : 0, exchange.name)
      }
    }
  }, 300_000)

  it("recorded requests for responses become requests that chat takes, or are refused by name", () => {
    let sent = 0
    const refused = new Map<string, number>()
    for (const exchange of loadFamily("openai.responses")) {
      const { body } = exchange.request
      if (body === undefined) continue
      const asked: UpstreamCall = {
        ...callOf(body, { vendor: "openai-compatible", model: "m" }),
        operation: "responses"
      }
      const wire = overChat.lower(asked)
      if (Result.isFailure(wire)) {
        const param = wire.failure.param.replace(/\d+/g, "n")
        refused.set(param, (refused.get(param) ?? 0) + 1)
        continue
      }
      sent++
      const chat = JSON.parse(wire.success.body) as JsonObject
      const problem = problemWith("CreateChatCompletionRequest", { ...chat, stream_options: null })
      if (Array.isArray(body["input"]) || typeof body["input"] === "string") {
        assert.isUndefined(problem, `${exchange.name}: ${problem} ${JSON.stringify(chat).slice(0, 1500)}`)
      }
    }
    assert.isAtLeast(sent, 190)
    assert.deepStrictEqual(Object.fromEntries(refused), {
      // What another provider compacted, uploaded or keeps as a template, and tools that run there.
      "input[n]": 3,
      "input[n].content[n]": 1,
      "input[n].output[n]": 1,
      prompt: 3,
      tool_choice: 2
    })
  })

  it("serves what the protocol lacks", () => {
    assert.isDefined(dialectFor(OpenAiProtocol.speaks, [], "responses"))
    assert.isUndefined(dialectFor(AnthropicProtocol.speaks, [], "responses"))
  })
})
