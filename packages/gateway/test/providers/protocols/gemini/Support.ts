/** Calls for the tests of Gemini's protocol, and its responses. */
import { Result } from "effect"
import type { JsonObject } from "../../../../src/core/domain/Json.ts"
import type { LiftedAnswer, StreamEvent } from "../../../../src/core/operations/LiftedAnswer.ts"
import type { UpstreamCall } from "../../../../src/core/pool/Protocol.ts"
import { GeminiChat } from "../../../../src/providers/protocols/gemini/GeminiProtocol.ts"
import {
  asking,
  type CallChanges,
  chatCalls,
  chunksOf,
  deltasOf,
  plainDeployment,
  type Sent
} from "../shared/ChatCalls.ts"

export { asking, chunksOf, deltasOf, kinds, NOW, type CallChanges, type Sent } from "../shared/ChatCalls.ts"

export const { assertDropped, callOf, lowered, refused, replay, sent } = chatCalls(GeminiChat, {
  ...plainDeployment,
  id: "gemini/flash",
  provider: "gemini",
  vendor: "google-ai-studio",
  protocol: "gemini",
  model: "gemini-3-flash-preview",
  baseUrl: "https://generativelanguage.googleapis.com/v1beta"
})

export const lifted = (response: unknown, call: UpstreamCall = callOf(asking())): LiftedAnswer =>
  Result.getOrThrow(GeminiChat.lift(JSON.stringify(response), call))

/** The events as Google frames them. */
export const frames = (...events: ReadonlyArray<unknown>): Uint8Array =>
  Buffer.from(events.map((event) => `data: ${JSON.stringify(event)}\r\n\r\n`).join(""))

/** What a stream of these responses becomes. */
export const streamed = (
  responses: ReadonlyArray<unknown>,
  fields: JsonObject = {},
  changes?: CallChanges
): ReadonlyArray<StreamEvent> =>
  replay(
    [frames(...responses)],
    callOf(asking({ stream: true, stream_options: { include_usage: true }, ...fields }), changes)
  )

/** A response with one candidate. */
export const response = (parts: ReadonlyArray<unknown>, finishReason?: string, more: JsonObject = {}): JsonObject => ({
  candidates: [
    {
      content: { role: "model", parts },
      ...(finishReason === undefined ? {} : { finishReason }),
      index: 0
    }
  ],
  usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 },
  modelVersion: "gemini-3-flash-preview",
  responseId: "resp-1",
  ...more
})

export const choicesOf = (events: ReadonlyArray<StreamEvent>): ReadonlyArray<Sent> =>
  chunksOf(events).flatMap((chunk) => chunk["choices"] as ReadonlyArray<Sent>)

export const toolDeltas = (events: ReadonlyArray<StreamEvent>): ReadonlyArray<Sent> =>
  deltasOf(events).flatMap((delta) => (delta["tool_calls"] ?? []) as ReadonlyArray<Sent>)
