/**
 * Anthropic's Messages API (`POST /messages`), spoken on behalf of chat completion callers.
 *
 * Request: `Request.ts`. Answer: `Answer.ts`. Stream: `Stream.ts`. Usage: `Usage.ts`. Errors: `Errors.ts`.
 */
import type { Dialect, Protocol } from "../../../core/pool/Protocol.ts"
import { serverSentEvents } from "../../framing/Sse.ts"
import { lift } from "./Answer.ts"
import { failure } from "./Errors.ts"
import { lower } from "./Request.ts"
import { stream } from "./Stream.ts"

export const AnthropicChat: Dialect = { lower, lift, stream }

export const AnthropicProtocol: Protocol = {
  name: "anthropic-messages",
  speaks: new Map([["chat", AnthropicChat]]),
  framing: serverSentEvents,
  failure
}
