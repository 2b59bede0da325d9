/** Anthropic's Messages API (`POST /messages`): for callers who speak it themselves (`messages/`), and for chat. */
import type { Dialect, Protocol } from "../../../core/pool/Protocol.ts"
import { completionEvents } from "../shared/CompletionEvents.ts"
import { serverSentEvents } from "../../framing/Sse.ts"
import { messageEvents } from "../shared/MessageEvents.ts"
import { lift } from "./answer/AnthropicChatResponse.ts"
import { withJsonSchema } from "../../structured/JsonSchema.ts"
import { failure } from "./AnthropicErrors.ts"
import { lower, schemaWay } from "./request/AnthropicChatRequest.ts"
import { stream } from "./answer/AnthropicChatStream.ts"
import { AnthropicCount } from "./messages/AnthropicMessagesCountTokens.ts"
import { lift as liftNative, stream as streamNative } from "./messages/AnthropicMessagesStream.ts"
import { lower as lowerNative } from "./messages/AnthropicMessagesRequest.ts"

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
