/** Recorded responses as chats: what was said is said, in valid chunks, and a cut stream shows no end. */
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import type { JsonObject } from "../../../src/core/domain/Json.ts"
import type { StreamEvent } from "../../../src/core/operations/LiftedAnswer.ts"
import type { Protocol, UpstreamCall } from "../../../src/core/pool/Protocol.ts"
import { dialectFor } from "../../../src/providers/bridges/Bridge.ts"
import { chatToResponses } from "../../../src/providers/bridges/ChatToResponses.ts"
import { SseDecoder } from "../../../src/providers/framing/Sse.ts"
import { OpenAiResponses } from "../../../src/providers/protocols/openai/responses/OpenAiResponses.ts"
import { chunkProblem, completionProblem, problemWith } from "../../support/OpenAiSchema.ts"
import { hasData, loadFamily, sayWhenMissing } from "../../support/Transcripts.ts"
import { callOf } from "../protocols/openai/Support.ts"

sayWhenMissing("recorded responses as chats")

const recorded = [
  "openai.responses",
  "azure.responses",
  "openrouter.v1_responses",
  "deepseek.responses",
  "bedrock-mantle.responses"
].flatMap((family) => loadFamily(family))

const responsesOnly: Protocol["speaks"] = new Map([["responses", OpenAiResponses]])
const dialect = dialectFor(responsesOnly, [chatToResponses], "chat")!

const messages = [{ role: "user", content: "Hi" }]
const call = (stream: boolean): UpstreamCall => {
  const asked = callOf({ model: "m", messages, stream, stream_options: { include_usage: true } })
  Result.getOrThrow(dialect.lower(asked))
  return asked
}

const replay = (bytes: Uint8Array): ReadonlyArray<StreamEvent> => {
  const decoder = new SseDecoder()
  const lifter = dialect.stream(call(true))
  const out: Array<StreamEvent> = []
  for (const event of [...decoder.push(bytes), ...decoder.end()]) out.push(...lifter.push(event))
  return [...out, ...lifter.end()]
}

const dataIn = (events: ReadonlyArray<StreamEvent>): ReadonlyArray<JsonObject> =>
  events.flatMap((event) => ("data" in event ? [JSON.parse(event.data) as JsonObject] : []))

const count = (events: ReadonlyArray<StreamEvent>, kind: StreamEvent["kind"]): number =>
  events.filter((event) => event.kind === kind).length

const textIn = (response: JsonObject): string =>
  (response["output"] as ReadonlyArray<JsonObject>)
    .filter((item) => item["type"] === "message")
    .flatMap((item) => item["content"] as ReadonlyArray<JsonObject>)
    .map((part) => String(part["text"] ?? ""))
    .join("")

const choiceOf = (chunk: JsonObject) => (chunk["choices"] as ReadonlyArray<JsonObject>)[0]

describe.skipIf(!hasData)("recorded responses as chats", () => {
  it("streams are valid and say the same", () => {
    let checked = 0
    for (const exchange of recorded.filter(({ streamed }) => streamed)) {
      const events = replay(exchange.response.bytes)
      if (count(events, "finish") === 0) continue
      checked++
      let text = ""
      for (const chunk of dataIn(events)) {
        const problem = chunkProblem(chunk)
        assert.isUndefined(problem, `${exchange.name}: ${problem} ${JSON.stringify(chunk)}`)
        const delta = choiceOf(chunk)?.["delta"] as JsonObject | undefined
        if (typeof delta?.["content"] === "string") text += delta["content"]
      }
      const last = Buffer.from(exchange.response.bytes)
        .toString()
        .split("\n")
        .findLast((line) => line.startsWith("data: {"))
      const response = (JSON.parse(last!.slice(6)) as JsonObject)["response"] as JsonObject
      if (!exchange.request.url.includes("openrouter")) assert.strictEqual(text, textIn(response), exchange.name)
      assert.strictEqual(count(events, "done"), 1, exchange.name)
      assert.strictEqual(count(events, "usage"), 1, exchange.name)
    }
    assert.isAtLeast(checked, 44)
  })

  it("whole answers are valid and say the same", () => {
    let checked = 0
    for (const exchange of recorded.filter(({ response, streamed }) => response.status === 200 && !streamed)) {
      const text = Buffer.from(exchange.response.bytes).toString()
      const lifted = dialect.lift(text, call(false))
      if (Result.isFailure(lifted)) continue
      checked++
      const { body } = lifted.success
      const problem = completionProblem(body)
      assert.isUndefined(problem, `${exchange.name}: ${problem} ${JSON.stringify(body).slice(0, 600)}`)
      const { content } = (choiceOf(body)!["message"] ?? {}) as JsonObject
      assert.strictEqual(content ?? "", textIn(JSON.parse(text) as JsonObject), exchange.name)
    }
    assert.isAtLeast(checked, 180)
  })

  it("a stream that is cut shows no end", () => {
    for (const exchange of recorded.filter(({ streamed }) => streamed)) {
      const bytes = Buffer.from(exchange.response.bytes)
      for (let at = bytes.indexOf("\n\n"); at >= 0; at = bytes.indexOf("\n\n", at + 2)) {
        const prefix = bytes.subarray(0, at + 2)
        const came = /"type":\s*"response\.(?:completed|incomplete)"/.test(prefix.toString())
        const events = replay(prefix)
        assert.strictEqual(count(events, "finish"), came ? 1 : 0, exchange.name)
        assert.strictEqual(count(events, "done"), came ? 1 : 0, exchange.name)
      }
    }
  }, 300_000)

  it("recorded requests for chats become requests that Responses takes", () => {
    let sent = 0
    const refused = new Map<string, number>()
    for (const exchange of loadFamily("openai.chat.completions")) {
      const { body } = exchange.request
      if (body === undefined || !Array.isArray(body["messages"])) continue
      const wire = dialect.lower(callOf(body))
      if (Result.isFailure(wire)) {
        const param = wire.failure.param.replace(/\d+/g, "n")
        refused.set(param, (refused.get(param) ?? 0) + 1)
        continue
      }
      sent++
      const asked = JSON.parse(wire.success.body) as JsonObject
      const problem = problemWith("CreateResponse", asked)
      assert.isUndefined(problem, `${exchange.name}: ${problem} ${JSON.stringify(asked).slice(0, 1500)}`)
    }
    assert.isAtLeast(sent, 300)
    // Recordings, spoken answers, and the oldest way to call functions.
    assert.deepStrictEqual(Object.fromEntries(refused), { "messages[n].content[n]": 4, functions: 7, modalities: 1 })
  })
})
