/**
 * Anthropic's Messages API (`POST /messages`), spoken on behalf of chat completion callers.
 *
 * Request: `anthropic/Request.ts`. Answer: `anthropic/Answer.ts`. Stream: `anthropic/Stream.ts`. Usage: `anthropic/Usage.ts`.
 * Errors: `anthropic/Errors.ts`.
 */
import type { ChatProtocol } from "../../core/pool/Protocol.ts"
import { lift } from "./anthropic/Answer.ts"
import { failure } from "./anthropic/Errors.ts"
import { lower } from "./anthropic/Request.ts"
import { stream } from "./anthropic/Stream.ts"
import { serverSentEvents } from "../framing/Sse.ts"

export const AnthropicMessages: ChatProtocol = {
  name: "anthropic-messages",
  framing: serverSentEvents,
  lower,
  lift,
  stream,
  failure
}
