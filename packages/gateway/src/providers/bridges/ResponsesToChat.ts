/** Responses at models that have chat. */
import type { JsonObject } from "../../core/domain/Json.ts"
import { completionEvents } from "../protocols/shared/CompletionEvents.ts"
import type { Bridge } from "./Bridge.ts"
import { chatRequest } from "./responses-to-chat/ResponsesToChatRequest.ts"
import { ChatEvents } from "./responses-to-chat/ResponsesToChatStream.ts"

export const responsesToChat: Bridge = {
  from: "responses",
  to: "chat",
  down: chatRequest,
  // A complete response is a stream that came at once: so both say the same.
  up: ({ serviceTier, usage, ...answer }, call) => {
    const stream = new ChatEvents(call)
    const events = completionEvents({ ...answer, usage, serviceTier }, call).flatMap((event) => stream.push(event))
    let body: JsonObject = {}
    for (const event of events) {
      if (event.kind === "finish") body = (JSON.parse(event.data) as { readonly response: JsonObject }).response
    }
    return { body, usage, serviceTier }
  },
  upStream: (call) => new ChatEvents(call)
}
