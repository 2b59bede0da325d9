/** What Bedrock really answered to Converse, against two independent readers: `@ai-sdk/amazon-bedrock` and AWS's own SDK. */
import { createAmazonBedrock } from "@ai-sdk/amazon-bedrock"
import { BedrockRuntimeClient, ConverseCommand, ConverseStreamCommand } from "@aws-sdk/client-bedrock-runtime"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import { Readable } from "node:stream"
import type { JsonObject } from "../../../../src/core/domain/Json.ts"
import { StreamRelay } from "../../../../src/core/operations/chat/StreamRelay.ts"
import { inputTokens, outputTokens, type Usage } from "../../../../src/core/domain/Usage.ts"
import { BedrockChat, BedrockProtocol } from "../../../../src/providers/protocols/bedrock/BedrockProtocol.ts"
import { chunkProblem, completionProblem } from "../../../support/OpenAiSchema.ts"
import { eventsOf } from "../../../support/RawHttp.ts"
import { type Exchange, hasData, loadFamily, sayWhenMissing } from "../../../support/Transcripts.ts"
import { callOf } from "../openai/Support.ts"

sayWhenMissing("Bedrock's recorded answers")

const answered = (family: string) => loadFamily(family).filter(({ response }) => response.status === 200)
const wholes = answered("bedrock.converse")
const streams = answered("bedrock.converse-stream")

interface Reading {
  readonly text: string
  readonly reasoning: string
  readonly calls: ReadonlyArray<{ readonly id: unknown; readonly name: unknown; readonly input: unknown }>
  readonly finish: string
  readonly input: number
  readonly output: number
}

const modelOf = ({ request }: Exchange): string => decodeURIComponent(/\/model\/([^/]+)\//.exec(request.url)?.[1] ?? "")

const callFor = (exchange: Exchange, stream: boolean) =>
  callOf(
    { messages: [{ role: "user", content: "Hi" }], stream, stream_options: { include_usage: true } },
    { vendor: "bedrock", protocol: "bedrock", model: modelOf(exchange) }
  )

const text = ({ response }: Exchange): string => Buffer.from(response.bytes).toString("utf8")

type Message = Record<string, any> // oxlint-disable-line typescript/no-explicit-any -- what a client would see

const reading = (message: Message, finish: string, usage: Usage | undefined): Reading => ({
  text: message["content"] ?? "",
  reasoning: message["reasoning_content"] ?? "",
  calls: (message["tool_calls"] ?? []).map((call: Message) => ({
    id: call["id"],
    name: call["function"].name,
    input: JSON.parse(call["function"].arguments)
  })),
  finish,
  input: usage === undefined ? 0 : inputTokens(usage),
  output: usage === undefined ? 0 : outputTokens(usage)
})

const ourWhole = (exchange: Exchange): Reading => {
  const { body, usage } = Result.getOrThrow(BedrockChat.lift(text(exchange), callFor(exchange, false)))
  assert.isUndefined(completionProblem(body), exchange.name)
  const [choice] = body["choices"] as ReadonlyArray<Message>
  return reading(choice!["message"], choice!["finish_reason"], usage)
}

const ourStream = (exchange: Exchange): Reading => {
  const lifter = BedrockChat.stream(callFor(exchange, true))
  const relay = new StreamRelay(true, 1)
  let told = ""
  for (const event of BedrockProtocol.framing.decoder().push(exchange.response.bytes))
    told += relay.push(lifter.push(event))
  told += relay.push(lifter.end())
  relay.close()
  assert.isUndefined(relay.failure, exchange.name)
  const chunks: ReadonlyArray<JsonObject> = eventsOf(told + relay.last({}, 0, {})).filter((one) => one !== "[DONE]")
  const message: Message = { content: "", reasoning_content: "", tool_calls: [] }
  let finish = ""
  for (const { gateway: _, ...chunk } of chunks) {
    const { cost: __, ...usage } = (chunk["usage"] ?? {}) as JsonObject
    assert.isUndefined(chunkProblem(chunk["usage"] ? { ...chunk, usage } : chunk), JSON.stringify(chunk))
    for (const choice of chunk["choices"] as ReadonlyArray<Message>) {
      const { content, reasoning_content: thought, tool_calls: calls } = choice["delta"]
      message["content"] += content ?? ""
      message["reasoning_content"] += thought ?? ""
      for (const call of calls ?? []) {
        const known = message["tool_calls"][call.index]
        if (known === undefined) message["tool_calls"][call.index] = call
        else known.function.arguments += call.function.arguments
      }
      finish = choice["finish_reason"] ?? finish
    }
  }
  return reading(message, finish, relay.usage)
}

/** The other readers' words for the same. */
const finishes: { readonly [theirs: string]: string } = {
  "tool-calls": "tool_calls",
  "content-filter": "content_filter",
  end_turn: "stop",
  stop_sequence: "stop",
  tool_use: "tool_calls",
  max_tokens: "length",
  guardrail_intervened: "content_filter",
  content_filtered: "content_filter"
}

interface Part extends Message {
  readonly type: string
}

const prompt = [{ role: "user" as const, content: [{ type: "text" as const, text: "Hi" }] }]

/** As `@ai-sdk/amazon-bedrock` reads it. */
const aiSdk = async (exchange: Exchange, isStream: boolean): Promise<Reading> => {
  const { bytes, headers } = exchange.response
  const answer = () => new Response(bytes.slice(), { headers: { "content-type": headers["content-type"] ?? "" } })
  const provider = createAmazonBedrock({ region: "us-east-1", apiKey: "k", fetch: () => Promise.resolve(answer()) })
  const model = provider(modelOf(exchange))
  let parts: Array<Part> = []
  let finish: Message = {}
  if (isStream) {
    const { stream } = await model.doStream({ prompt })
    for await (const part of stream as unknown as AsyncIterable<Part>) parts.push(part)
    finish = parts.find(({ type }) => type === "finish") ?? {}
  } else {
    const whole = await model.doGenerate({ prompt })
    parts = whole.content as unknown as Array<Part>
    finish = whole
  }
  const said = (type: string) =>
    parts
      .filter((part) => part.type === type || part.type === `${type}-delta`)
      .map((part) => part["text"] ?? part["delta"] ?? "")
      .join("")
  return {
    text: said("text"),
    reasoning: said("reasoning"),
    calls: parts
      .filter((part) => part.type === "tool-call" && part["providerExecuted"] !== true)
      .map((part) => ({ id: part["toolCallId"], name: part["toolName"], input: JSON.parse(part["input"]) })),
    finish: finishes[finish["finishReason"].unified] ?? finish["finishReason"].unified,
    input: finish["usage"].inputTokens.total ?? 0,
    output: finish["usage"].outputTokens.total ?? 0
  }
}

/** As AWS's own SDK reads it. */
const awsSdk = async (exchange: Exchange, isStream: boolean): Promise<Reading> => {
  const { bytes, headers } = exchange.response
  const client = new BedrockRuntimeClient({
    region: "us-east-1",
    credentials: { accessKeyId: "a", secretAccessKey: "b" },
    requestHandler: {
      handle: () =>
        Promise.resolve({ response: { statusCode: 200, headers, body: Readable.from([Buffer.from(bytes)]) } })
    } as never
  })
  const input = { modelId: "m", messages: [{ role: "user" as const, content: [{ text: "Hi" }] }] }
  const blocks: Array<Message> = []
  let [finish, usage]: [string, Message] = ["", {}]
  if (isStream) {
    const { stream } = await client.send(new ConverseStreamCommand(input))
    for await (const event of stream ?? []) {
      const one = event as Message
      const index = one["contentBlockStart"]?.contentBlockIndex ?? one["contentBlockDelta"]?.contentBlockIndex
      const block: Message = (blocks[index ?? -1] ??= { text: "", reasoning: "", json: "" })
      const { delta } = one["contentBlockDelta"] ?? {}
      block["call"] ??= one["contentBlockStart"]?.start?.toolUse
      block["text"] += delta?.text ?? ""
      block["reasoning"] += delta?.reasoningContent?.text ?? ""
      block["json"] += delta?.toolUse?.input ?? ""
      finish = one["messageStop"]?.stopReason ?? finish
      usage = one["metadata"]?.usage ?? usage
    }
  } else {
    const whole = (await client.send(new ConverseCommand(input))) as Message
    for (const block of whole["output"].message.content as ReadonlyArray<Message>) {
      const { reasoningContent, text: words, toolUse } = block
      const thought = reasoningContent?.reasoningText?.text ?? ""
      blocks.push({ text: words ?? "", reasoning: thought, call: toolUse, json: JSON.stringify(toolUse?.input ?? {}) })
    }
    finish = whole["stopReason"]
    usage = whole["usage"]
  }
  const calls = blocks.filter(({ call }) => call !== undefined && call.type !== "server_tool_use")
  return {
    text: blocks.map((block) => block["text"]).join(""),
    reasoning: blocks.map((block) => block["reasoning"]).join(""),
    calls: calls.map(({ call, json }) => ({ id: call.toolUseId, name: call.name, input: JSON.parse(json || "{}") })),
    finish: finishes[finish] ?? finish,
    input: usage["inputTokens"] + (usage["cacheReadInputTokens"] ?? 0) + (usage["cacheWriteInputTokens"] ?? 0),
    output: usage["outputTokens"]
  }
}

/** The AI SDK renames the calls of Mistral's models in answers; the gateway does when they come back. */
const withIds = (one: Reading, exchange: Exchange): Reading =>
  /mistral\./.test(modelOf(exchange)) ? { ...one, calls: one.calls.map((call) => ({ ...call, id: "renamed" })) } : one

/** Tools that Amazon runs are calls to this reader, also those that nobody else is to run. */
const isOfServer = (exchange: Exchange): boolean => text(exchange).includes("server_tool_use")

describe.skipIf(!hasData)("recorded answers of Converse", () => {
  it("are all there", () => {
    assert.deepStrictEqual([wholes.length, streams.length], [127, 15])
  })

  it.effect("mean what AWS's own SDK reads in them", () =>
    Effect.gen(function* () {
      for (const exchange of wholes) {
        assert.deepStrictEqual(ourWhole(exchange), yield* Effect.promise(() => awsSdk(exchange, false)), exchange.name)
      }
      for (const exchange of streams) {
        assert.deepStrictEqual(ourStream(exchange), yield* Effect.promise(() => awsSdk(exchange, true)), exchange.name)
      }
    })
  )

  it.effect("mean what the AI SDK reads in them", () =>
    Effect.gen(function* () {
      let unread = 0
      for (const exchange of wholes.filter((one) => !isOfServer(one))) {
        const theirs = yield* Effect.promise(() => aiSdk(exchange, false).catch(() => undefined))
        if (theirs === undefined) unread++
        else assert.deepStrictEqual(withIds(ourWhole(exchange), exchange), withIds(theirs, exchange), exchange.name)
      }
      // Answers with fields of a kind that it does not expect.
      assert.isAtMost(unread, 2)
      for (const exchange of streams) {
        assert.deepStrictEqual(ourStream(exchange), yield* Effect.promise(() => aiSdk(exchange, true)), exchange.name)
      }
    })
  )

  it("add up to the total that Bedrock tells", () => {
    for (const exchange of wholes) {
      const { input, output } = ourWhole(exchange)
      assert.strictEqual(input + output, JSON.parse(text(exchange)).usage.totalTokens, exchange.name)
    }
  })
})
