/** Messages at models that have Responses alone: over chat, by two bridges. Recorded responses keep all that was said. */
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import type { JsonObject } from "../../../src/core/domain/Json.ts"
import type { StreamEvent } from "../../../src/core/operations/LiftedAnswer.ts"
import type { Protocol, UpstreamCall } from "../../../src/core/pool/Protocol.ts"
import { AnswerReader } from "../../../src/providers/pool/AnswerReader.ts"
import { dialectFor, operationsOf } from "../../../src/providers/bridges/Bridge.ts"
import { allBridges } from "../../../src/providers/bridges/Bridges.ts"
import { OpenAiProtocol } from "../../../src/providers/protocols/openai/OpenAiProtocol.ts"
import { OpenAiResponses } from "../../../src/providers/protocols/openai/responses/OpenAiResponses.ts"
import { problemWith } from "../../support/OpenAiSchema.ts"
import { hasData, loadFamily } from "../../support/Transcripts.ts"
import { callOf } from "../protocols/openai/Support.ts"
import { assembled } from "./messages/Assembled.ts"

const responsesOnly: Protocol["speaks"] = new Map([["responses", OpenAiResponses]])
const dialect = dialectFor(responsesOnly, allBridges, "messages") ?? assert.fail("no way to messages")
const chats = dialectFor(responsesOnly, allBridges, "chat") ?? assert.fail("no way to chat")

const tool = { name: "weather", description: "The weather", input_schema: { type: "object", properties: {} } }
const asked = (stream: boolean): UpstreamCall => ({
  ...callOf({
    model: "m",
    max_tokens: 100,
    stream,
    system: "Be brief",
    tools: [tool],
    messages: [
      { role: "user", content: "Weather?" },
      { role: "assistant", content: [{ type: "tool_use", id: "toolu_1", name: "weather", input: {} }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_1", content: "Rain" }] }
    ]
  }),
  operation: "messages"
})

const sent = (call: UpstreamCall) => JSON.parse(Result.getOrThrow(dialect.lower(call)).body) as JsonObject

describe("two bridges", () => {
  it("lead from Responses to all that chat leads to, and back to nothing", () => {
    const names = [
      "responses",
      "chat",
      "messages",
      "count_tokens",
      "completions",
      "generate_content",
      "count_content_tokens",
      "input_tokens"
    ]
    assert.deepStrictEqual(operationsOf(responsesOnly, allBridges), new Set(names))
    assert.isUndefined(dialectFor(new Map(), allBridges, "messages"))
  })

  it("make one request of a request", () => {
    const body = sent(asked(false))
    const items = body["input"] as ReadonlyArray<JsonObject>
    assert.deepStrictEqual(
      items.map(({ role, type }) => role ?? type).filter((kind) => kind !== "system" && kind !== "developer"),
      ["user", "function_call", "function_call_output"]
    )
    assert.include(JSON.stringify(body), "Be brief")
    assert.deepInclude((body["tools"] as ReadonlyArray<JsonObject>)[0], { type: "function", name: "weather" })
  })
})

const dataIn = (events: ReadonlyArray<StreamEvent>): ReadonlyArray<JsonObject> =>
  events.flatMap((event) => ("data" in event && event.data !== "" ? [JSON.parse(event.data) as JsonObject] : []))

describe.skipIf(!hasData)("recorded responses as messages", () => {
  const recorded = loadFamily("openai.responses")

  it("a request is one that Responses takes", () => {
    assert.isUndefined(problemWith("CreateResponse", sent(asked(true))))
  })

  it("streams say what they say as chats, in the vendor's order", () => {
    let compared = 0
    for (const { name, response } of recorded.filter(({ streamed }) => streamed)) {
      const read = (way: typeof dialect) => {
        const call = asked(true)
        way.lower(call)
        const reader = new AnswerReader({ framing: OpenAiProtocol.framing, dialect: way, call, headers: {} })
        return [...reader.push(response.bytes), ...reader.end()]
      }
      const events = read(dialect)
      if (!events.some(({ kind }) => kind === "finish") || events.some(({ kind }) => kind === "failed")) continue
      const deltas = dataIn(read(chats)).flatMap(({ choices }) => choices as ReadonlyArray<{ delta: JsonObject }>)
      const text = deltas.map(({ delta }) => delta["content"] ?? delta["refusal"] ?? "").join("")
      assert.strictEqual(assembled(dataIn(events)).text, text, name)
      compared++
    }
    assert.isAtLeast(compared, 20)
  })

  it("whole answers too", () => {
    let compared = 0
    for (const { name, response } of recorded.filter((one) => one.response.status === 200 && !one.streamed)) {
      const text = Buffer.from(response.bytes).toString()
      const call = asked(false)
      dialect.lower(call)
      const answer = dialect.lift(text, call)
      if (Result.isFailure(answer)) continue
      const { content } = answer.success.body as { content?: ReadonlyArray<JsonObject> }
      const said = (content ?? []).map((block) => (block["type"] === "text" ? block["text"] : "")).join("")
      const wanted = ((JSON.parse(text) as JsonObject)["output"] as ReadonlyArray<JsonObject>)
        .filter(({ type }) => type === "message")
        .flatMap(({ content: parts }) => parts as ReadonlyArray<JsonObject>)
        .map((part) => part["text"] ?? part["refusal"] ?? "")
        .join("")
      assert.strictEqual(said, wanted, name)
      compared++
    }
    assert.isAtLeast(compared, 100)
  })
})
