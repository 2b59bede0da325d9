/**
 * Anthropic's Messages API (`POST /messages`): as it is for callers who speak it themselves (`messages/`), and on behalf of chat
 * completion callers.
 *
 * Request: `request/Request.ts`. Answer: `answer/Answer.ts`. Stream: `answer/Stream.ts`. Usage: `answer/Usage.ts`. Errors: `Errors.ts`.
 */
import type { Dialect, Protocol } from "../../../core/pool/Protocol.ts"
import { completionEvents } from "../shared/CompletionEvents.ts"
import { serverSentEvents } from "../../framing/Sse.ts"
import { messageEvents } from "../shared/MessageEvents.ts"
import { lift } from "./answer/Answer.ts"
import { withJsonSchema } from "../../structured/JsonSchema.ts"
import { failure } from "./Errors.ts"
import { lower } from "./request/Request.ts"
import { schemaWay } from "./request/Structured.ts"
import { stream } from "./answer/Stream.ts"
import { AnthropicCount } from "./messages/CountTokens.ts"
import { lift as liftNative } from "./messages/Answer.ts"
import { lower as lowerNative } from "./messages/Request.ts"
import { stream as streamNative } from "./messages/Stream.ts"

export const AnthropicChat: Dialect = withJsonSchema(
  { lower, lift, stream, replay: completionEvents, idPrefix: "chatcmpl-" },
  schemaWay
)

export const AnthropicMessages: Dialect = {
  lower: lowerNative,
  lift: liftNative,
  stream: streamNative,
  replay: messageEvents
}

export const AnthropicProtocol: Protocol = {
  name: "anthropic-messages",
  speaks: new Map([
    ["chat", AnthropicChat],
    ["messages", AnthropicMessages],
    ["count_tokens", AnthropicCount]
  ]),
  framing: serverSentEvents,
  failure
}
