/** Calls for the tests of the Messages protocol. */
import type { JsonObject } from "../../../../src/core/domain/Json.ts"
import { AnthropicChat } from "../../../../src/providers/protocols/anthropic/AnthropicProtocol.ts"
import { chatCalls, plainDeployment } from "../shared/ChatCalls.ts"

export { asking, chunksOf, deltasOf, kinds, NOW, type CallChanges, type Sent } from "../shared/ChatCalls.ts"

export const { assertDropped, callOf, lowered, refused, replay, sent } = chatCalls(AnthropicChat, {
  ...plainDeployment,
  id: "anthropic/claude",
  provider: "anthropic",
  vendor: "anthropic",
  protocol: "anthropic-messages",
  model: "claude-sonnet-4-5",
  baseUrl: "https://api.anthropic.com/v1"
})

/** The events as Anthropic frames them. */
export const frames = (...events: ReadonlyArray<JsonObject>): Uint8Array =>
  Buffer.from(events.map((event) => `event: ${String(event["type"])}\ndata: ${JSON.stringify(event)}\n\n`).join(""))
