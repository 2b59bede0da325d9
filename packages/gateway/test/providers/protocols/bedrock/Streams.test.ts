/** Streams of Converse, event by event, and answers that make no sense. */
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { BedrockChat } from "../../../../src/providers/protocols/bedrock/BedrockProtocol.ts"
import { chunkMessage, eventMessage, exceptionMessage, message } from "../../../support/EventStreamMessages.ts"
import { bedrockCall, CLAUDE, NOVA, streamed } from "./Support.ts"

const call = bedrockCall({ stream: true, stream_options: { include_usage: true } }, CLAUDE)
const delta = (contentBlockIndex: number, one: object) =>
  eventMessage("contentBlockDelta", { contentBlockIndex, delta: one })
const begin = (contentBlockIndex: number, name: string, toolUseId: string) =>
  eventMessage("contentBlockStart", { contentBlockIndex, start: { toolUse: { name, toolUseId } } })
const end = (contentBlockIndex: number) => eventMessage("contentBlockStop", { contentBlockIndex })
const stop = (stopReason: string) => eventMessage("messageStop", { stopReason })
const usage = { inputTokens: 3, outputTokens: 4, totalTokens: 7 }
const metadata = eventMessage("metadata", { usage, metrics: { latencyMs: 1 } })

const kinds = (...messages: ReadonlyArray<Uint8Array>) => streamed(call, ...messages).map(({ kind }) => kind)

/** The deltas of all chunks. */
const deltas = (...messages: ReadonlyArray<Uint8Array>) =>
  streamed(call, ...messages).flatMap((event) =>
    "data" in event ? JSON.parse(event.data).choices.map((one: { delta: object }) => one.delta) : []
  )

describe("a stream", () => {
  it("numbers its calls by themselves, and gives one without arguments an empty object", () => {
    const told = deltas(
      delta(0, { text: "Hm" }),
      begin(1, "f", "a"),
      delta(1, { toolUse: { input: "" } }),
      end(1),
      begin(2, "g", "b"),
      delta(2, { toolUse: { input: '{"x":' } }),
      delta(2, { toolUse: { input: "1}" } }),
      stop("tool_use"),
      metadata
    )
    const calls = told.flatMap((one: { tool_calls?: ReadonlyArray<object> }) => one.tool_calls ?? [])
    assert.deepStrictEqual(calls, [
      { index: 0, id: "a", type: "function", function: { name: "f", arguments: "" } },
      { index: 0, function: { arguments: "{}" } },
      { index: 1, id: "b", type: "function", function: { name: "g", arguments: "" } },
      { index: 1, function: { arguments: '{"x":' } },
      { index: 1, function: { arguments: "1}" } }
    ])
  })

  it("ends with the usage, which comes after the stop", () => {
    const events = streamed(call, delta(0, { text: "Hi" }), stop("end_turn"), metadata, delta(0, { text: "more" }))
    assert.deepStrictEqual(
      events.map(({ kind }) => kind),
      ["lifecycle", "content", "finish", "usage", "done"]
    )
    const told = events[3]
    assert.isTrue(told?.kind === "usage" && told.usage.input === 3 && told.usage.output === 4)
  })

  it("has no end mark where it breaks off after the stop, and no finish where it breaks off before", () => {
    assert.deepStrictEqual(kinds(delta(0, { text: "Hi" }), stop("end_turn")), ["lifecycle", "content", "finish"])
    assert.deepStrictEqual(kinds(delta(0, { text: "Hi" })), ["lifecycle", "content"])
  })

  it("leaves out tools that Amazon ran, empty text, padding, and what it does not know", () => {
    const server = { toolUse: { name: "nova_grounding", toolUseId: "s", type: "server_tool_use" } }
    assert.deepStrictEqual(
      kinds(
        eventMessage("messageStart", { role: "assistant", p: "abc" }),
        eventMessage("contentBlockStart", { contentBlockIndex: 0, start: server }),
        delta(0, { toolUse: { input: "{}" } }),
        end(0),
        delta(1, { text: "" }),
        eventMessage("somethingNew", { a: 1 }),
        delta(2, { text: "Hi" }),
        stop("end_turn"),
        metadata
      ),
      ["lifecycle", "content", "finish", "usage", "done"]
    )
  })

  it("gives thoughts as they come, and signed blocks when they are whole", () => {
    const told = deltas(
      delta(0, { reasoningContent: { text: "Hm" } }),
      delta(0, { reasoningContent: { text: "…" } }),
      delta(0, { reasoningContent: { signature: "c2ln" } }),
      end(0),
      delta(1, { reasoningContent: { redactedContent: Buffer.from("EtkE").toString("base64") } }),
      delta(2, { text: "Hi" }),
      stop("end_turn"),
      metadata
    )
    const signed = { type: "thinking", thinking: "Hm…", signature: "c2ln" }
    assert.deepStrictEqual(told.slice(1, -1), [
      { reasoning_content: "Hm" },
      { reasoning_content: "…" },
      { thinking_blocks: [signed] },
      { thinking_blocks: [signed, { type: "redacted_thinking", data: "EtkE" }] },
      { content: "Hi" }
    ])
  })

  it.each([
    ["a call without a name", eventMessage("contentBlockStart", { contentBlockIndex: 0, start: { toolUse: {} } })],
    ["input of no call", delta(0, { toolUse: { input: "{}" } })],
    ["a stop without a reason", eventMessage("messageStop", {})],
    ["the usage before the stop", metadata],
    ["no JSON", eventMessage("contentBlockDelta", "no")],
    ["nothing", eventMessage("contentBlockDelta", "")]
  ] as const)("is malformed where it makes no sense: %s", (_, one) => {
    assert.deepStrictEqual(kinds(one), ["malformed"])
  })

  it.each(["malformed_tool_use", "malformed_model_output"])(
    "fails where the model failed, with what it used: %s",
    (reason) => {
      const events = streamed(call, delta(0, { text: "Hi" }), stop(reason), metadata)
      const failed = events.at(-1)
      assert.isTrue(
        failed?.kind === "failed" && failed.failure.class === "truncated" && failed.failure.usage?.output === 4
      )
      const cut = streamed(call, delta(0, { text: "Hi" }), stop(reason)).at(-1)
      assert.strictEqual(cut?.kind, "failed")
    }
  )

  it.each([
    ["throttlingException", "rate_limited", 429],
    ["modelStreamErrorException", "unavailable", 424],
    ["serviceUnavailableException", "unavailable", 503],
    ["internalServerException", "unavailable", 500],
    ["modelTimeoutException", "unavailable", 408],
    ["validationException", "bad_request", 400],
    ["somethingNewException", "unavailable", 500]
  ] as const)("fails by an exception, and reads nothing after it: %s", (type, failure, status) => {
    const [event, ...more] = streamed(call, exceptionMessage(type, "No"), delta(0, { text: "Hi" }))
    assert.isEmpty(more)
    assert.isTrue(event?.kind === "failed")
    if (event?.kind !== "failed") return
    assert.deepInclude(event.failure, { class: failure, status, type, message: "No" })
  })

  it("fails by an error that the service did not model, and by a context that is too long", () => {
    const headers = { ":message-type": "error", ":error-code": "InternalError", ":error-message": "it broke" }
    const [unmodelled] = streamed(call, message(headers, ""))
    assert.isTrue(unmodelled?.kind === "failed" && unmodelled.failure.message === "it broke")
    const [long] = streamed(call, exceptionMessage("validationException", "Input is too long for requested model."))
    assert.isTrue(long?.kind === "failed" && long.failure.class === "context_length")
  })

  it("says nothing of a stream that is another one's", () => {
    assert.deepStrictEqual(kinds(chunkMessage({ type: "message_start" })), [])
  })
})

describe("a whole answer", () => {
  const lifted = (answer: object) => BedrockChat.lift(JSON.stringify(answer), bedrockCall({}, NOVA))
  const of = (content: unknown, more: object = {}) => ({
    output: { message: { role: "assistant", content } },
    stopReason: "end_turn",
    usage,
    ...more
  })

  it.each([
    [{ message: "no" }],
    [{}],
    [of("text")],
    [of([7])],
    [of([{ toolUse: { name: "f", input: {} } }])],
    [of([{ toolUse: 7 }])]
  ])("is none where it has no message, or a call that can't be made: %j", (answer) => {
    assert.isTrue(Result.isFailure(lifted(answer)))
  })

  it("is booked as unknown where its usage is no count", () => {
    for (const broken of [{ inputTokens: -1, outputTokens: 2 }, { inputTokens: "9" }, {}, { inputTokens: 1e300 }]) {
      assert.isUndefined(Result.getOrThrow(lifted(of([{ text: "Hi" }], { usage: broken }))).usage)
    }
  })

  it("counts what stays in the cache for an hour apart", () => {
    const counted = {
      ...usage,
      cacheWriteInputTokens: 10,
      cacheDetails: [
        { ttl: "1h", inputTokens: 6 },
        { ttl: "5m", inputTokens: 4 }
      ]
    }
    assert.deepInclude(Result.getOrThrow(lifted(of([{ text: "Hi" }], { usage: counted }))).usage, {
      cacheWrite: 4,
      cacheWrite1h: 6
    })
  })

  it("says that a guardrail stopped it", () => {
    const { body } = Result.getOrThrow(lifted(of([{ text: "Blocked." }], { stopReason: "guardrail_intervened" })))
    assert.deepInclude((body["choices"] as ReadonlyArray<object>)[0], { finish_reason: "content_filter" })
  })
})
