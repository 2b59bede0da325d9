/**
 * Anthropic's Messages API (`POST /messages`), spoken on behalf of chat completion callers.
 *
 * Request: `request/Request.ts`. Answer: `answer/Answer.ts`. Stream: `answer/Stream.ts`. Usage: `answer/Usage.ts`. Errors: `Errors.ts`.
 */
import type { Dialect, Protocol } from "../../../core/pool/Protocol.ts"
import { completionEvents } from "../../CompletionEvents.ts"
import { serverSentEvents } from "../../framing/Sse.ts"
import { lift } from "./answer/Answer.ts"
import { failure } from "./Errors.ts"
import { lower } from "./request/Request.ts"
import { stream } from "./answer/Stream.ts"

export const AnthropicChat: Dialect = { lower, lift, stream, replay: completionEvents, idPrefix: "chatcmpl-" }

export const AnthropicProtocol: Protocol = {
  name: "anthropic-messages",
  speaks: new Map([["chat", AnthropicChat]]),
  framing: serverSentEvents,
  failure
}
