/** Amazon Bedrock: chat as Converse, for all models alike; Anthropic's own API through `InvokeModel`, so that its callers lose nothing. */
import type { Dialect, Protocol } from "../../../core/pool/Protocol.ts"
import { completionEvents } from "../shared/CompletionEvents.ts"
import { eventStream } from "../../framing/AwsEventStream.ts"
import { withJsonSchema } from "../../structured/JsonSchema.ts"
import { lift } from "./answer/BedrockChatResponse.ts"
import { stream } from "./answer/BedrockChatStream.ts"
import { failure } from "./BedrockErrors.ts"
import { BedrockCount, BedrockMessages } from "./invoke/BedrockInvokeMessages.ts"
import { BedrockEmbeddings } from "./invoke/BedrockInvokeEmbeddings.ts"
import { lower, schemaWay } from "./request/BedrockChatRequest.ts"

export const BedrockChat: Dialect = withJsonSchema(
  { lower, lift, stream, replay: completionEvents, idPrefix: "chatcmpl-" },
  schemaWay
)

export const BedrockProtocol: Protocol = {
  name: "bedrock",
  speaks: new Map([
    ["chat", BedrockChat],
    ["messages", BedrockMessages],
    ["count_tokens", BedrockCount],
    ["embeddings", BedrockEmbeddings]
  ]),
  framing: eventStream,
  failure
}
