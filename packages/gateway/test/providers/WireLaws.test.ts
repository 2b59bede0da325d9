/**
 * The laws that OpenAI's own recorded streams obey, for what callers get of every recorded chat stream of every family, whether they
 * asked for the usage or not.
 */
import { assert, describe, it } from "@effect/vitest"
import type { JsonObject } from "../../src/core/domain/Json.ts"
import type { UpstreamCall } from "../../src/core/pool/Protocol.ts"
import { StreamRelay } from "../../src/core/operations/chat/StreamRelay.ts"
import { registryOf } from "../../src/providers/catalogue/ProviderRegistry.ts"
import { chunkProblem } from "../support/OpenAiSchema.ts"
import { type Exchange, families, hasData, loadFamily, sayWhenMissing } from "../support/Transcripts.ts"
import { eventsOf } from "../support/RawHttp.ts"
import { callOf } from "./protocols/openai/Support.ts"

sayWhenMissing("the laws of the wire on recorded streams")

const COMPATIBLE =
  "azure.chat cerebras.chat crusoe.chat deepseek.chat groq.chat huggingface.chat ollama.chat openrouter.chat snowflake.chat together.chat zai.chat"

const recorded = (
  vendor: string,
  protocol: UpstreamCall["deployment"]["protocol"],
  ...prefixes: ReadonlyArray<string>
) =>
  families(...prefixes)
    .flatMap(loadFamily)
    .filter(({ response, streamed }) => streamed && response.status === 200)
    .map((exchange) => ({ exchange, changes: { vendor, protocol } }))

const streams = [
  ...recorded("openai", "openai-chat", "openai.chat"),
  ...recorded("openai-compatible", "openai-chat", ...COMPATIBLE.split(" ")),
  ...recorded("mistral", "mistral-chat", "mistral.chat"),
  ...recorded("cohere", "cohere-v2", "cohere.v2_chat"),
  ...recorded("anthropic", "anthropic-messages", "anthropic.messages"),
  ...recorded("google-ai-studio", "gemini", "gemini.streamGenerateContent"),
  ...loadFamily("bedrock.converse-stream")
    .filter(({ response }) => response.status === 200)
    .map((exchange) => ({ exchange, changes: { vendor: "bedrock", protocol: "bedrock" } }))
]

const GATEWAY = { decision: "provider/model" }

/** What the caller gets; undefined where the provider failed. */
const answered = (exchange: Exchange, changes: (typeof streams)[number]["changes"], includeUsage: boolean) => {
  const model = String(exchange.request.body?.["model"] ?? "model")
  const call = callOf({ stream: true, stream_options: { include_usage: includeUsage } }, { ...changes, model })
  const lifter = registryOf().protocol(changes.protocol).speaks.get("chat")!.stream(call)
  const decoder = registryOf().protocol(changes.protocol).framing.decoder()
  const relay = new StreamRelay(includeUsage, 1)
  let text = ""
  for (const event of decoder.push(exchange.response.bytes)) text += relay.push(lifter.push(event))
  for (const event of decoder.end()) text += relay.push(lifter.push(event))
  text += relay.push(lifter.end())
  relay.close()
  if (relay.failure !== undefined) return undefined
  const counted = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 }
  return eventsOf(text + relay.last(GATEWAY, 0.5, counted))
}

/** `check` sees the chunks, without the end mark. */
const eachAnswer = (check: (chunks: ReadonlyArray<JsonObject>, name: string, includeUsage: boolean) => void): void => {
  let answers = 0
  for (const { changes, exchange } of streams) {
    for (const includeUsage of [true, false]) {
      const events = answered(exchange, changes, includeUsage)
      if (events === undefined) continue
      answers++
      const name = `${changes.vendor}: ${exchange.name}, usage ${includeUsage ? "" : "not "}asked for`
      // Where the provider sends no end mark none is invented.
      const chunks = events.filter((event) => event !== "[DONE]")
      assert.isAtLeast(chunks.length, events.length - 1, name)
      check(chunks, name, includeUsage)
    }
  }
  assert.isAtLeast(answers, 260)
}

const choicesOf = (chunks: ReadonlyArray<JsonObject>) =>
  chunks.flatMap((chunk) => chunk["choices"] as ReadonlyArray<JsonObject>)

/** The choices of all chunks, by index, in their order. */
const byIndex = (chunks: ReadonlyArray<JsonObject>): ReadonlyArray<ReadonlyArray<JsonObject>> => [
  ...Map.groupBy(choicesOf(chunks), ({ index }) => index).values()
]

const deltaOf = (choice: JsonObject): JsonObject => choice["delta"] as JsonObject

describe.skipIf(!hasData)("what callers get of every recorded stream", () => {
  it("is what the vendor's description allows", () => {
    eachAnswer((chunks, name) => {
      for (const { gateway: _, ...chunk } of chunks) {
        const usage = chunk["usage"] as JsonObject | null | undefined
        const { cost: __, ...told } = usage ?? {}
        assert.isUndefined(chunkProblem(usage ? { ...chunk, usage: told } : chunk), `${name}: ${JSON.stringify(chunk)}`)
      }
    })
  })

  it("has one id and one time", () => {
    eachAnswer((chunks, name) => {
      assert.strictEqual(new Set(chunks.map(({ created, id }) => `${String(id)} ${String(created)}`)).size, 1, name)
      assert.isNotEmpty(chunks[0]!["id"], name)
      assert.isAbove(Number(chunks[0]!["created"]), 0, name)
    })
  })

  it("has a role in the first delta of each choice, and only there", () => {
    eachAnswer((chunks, name) => {
      for (const [first, ...rest] of byIndex(chunks)) {
        assert.strictEqual(deltaOf(first!)["role"], "assistant", name)
        for (const choice of rest) assert.notProperty(deltaOf(choice), "role", name)
      }
    })
  })

  it("has one finish reason for each choice, on an empty delta", () => {
    eachAnswer((chunks, name) => {
      for (const choices of byIndex(chunks)) {
        const ends = choices.filter(({ finish_reason: reason }) => reason !== null && reason !== undefined)
        assert.lengthOf(ends, 1, name)
        assert.deepStrictEqual(deltaOf(ends[0]!), {}, name)
      }
    })
  })

  it("names each tool call once, numbered from 0, and ends in tool_calls or as it was forced to", () => {
    eachAnswer((chunks, name) => {
      for (const choices of byIndex(chunks)) {
        const pieces = choices.flatMap((choice) => (deltaOf(choice)["tool_calls"] ?? []) as ReadonlyArray<JsonObject>)
        const calls = [...Map.groupBy(pieces, ({ index }) => index)]
        assert.deepStrictEqual(
          calls.map(([index]) => index),
          calls.map((_, number) => number),
          name
        )
        for (const [, [first, ...rest]] of calls) {
          assert.isNotEmpty(first!["id"], name)
          assert.strictEqual(first!["type"], "function", name)
          const given = [first!, ...rest].map((piece) => piece["function"] as JsonObject)
          assert.isNotEmpty(given[0]!["name"], name)
          for (const piece of rest) assert.deepStrictEqual(Object.keys(piece).sort(), ["function", "index"], name)
          for (const called of given.slice(1)) assert.deepStrictEqual(Object.keys(called), ["arguments"], name)
          assert.isObject(JSON.parse(given.map((called) => String(called["arguments"])).join("")), name)
        }
        const end = choices.find(({ finish_reason: reason }) => typeof reason === "string")?.["finish_reason"]
        if (calls.length > 0) assert.include(["tool_calls", "stop", "length"], end, name)
        else assert.notStrictEqual(end, "tool_calls", name)
      }
    })
  })

  it("tells the usage once, last, with null on every other chunk; or not at all", () => {
    eachAnswer((chunks, name, includeUsage) => {
      if (!includeUsage) return chunks.forEach((chunk) => assert.notProperty(chunk, "usage", name))
      const last = chunks.at(-1)!
      assert.deepStrictEqual(last["choices"], [], name)
      assert.isAbove((last["usage"] as { total_tokens: number }).total_tokens, 0, name)
      for (const chunk of chunks.slice(0, -1)) assert.isNull(chunk["usage"], `${name}: ${JSON.stringify(chunk)}`)
    })
  })
})
