/** Google's `generateContent` (`POST /models/<model>:generateContent`), as AI Studio and Vertex speak it. */
import type { Dialect, Protocol } from "../../../core/pool/Protocol.ts"
import { completionEvents } from "../shared/CompletionEvents.ts"
import { serverSentEvents } from "../../framing/Sse.ts"
import { lift } from "./answer/GeminiChatResponse.ts"
import { stream } from "./answer/GeminiChatStream.ts"
import { GeminiContent, GeminiCount } from "./content/GeminiContent.ts"
import { GeminiEmbeddings } from "./embeddings/GeminiEmbeddings.ts"
import { failure } from "./GeminiErrors.ts"
import { GeminiImages } from "./images/GeminiImages.ts"
import { lower } from "./request/GeminiChatRequest.ts"
import { schemaWay } from "./request/GeminiChatStructured.ts"
import { withJsonSchema } from "../../structured/JsonSchema.ts"

export const GeminiChat: Dialect = withJsonSchema(
  { lower, lift, stream, replay: completionEvents, idPrefix: "chatcmpl-" },
  schemaWay
)

export const GeminiProtocol: Protocol = {
  name: "gemini",
  speaks: new Map([
    ["chat", GeminiChat],
    ["generate_content", GeminiContent],
    ["count_content_tokens", GeminiCount],
    ["embeddings", GeminiEmbeddings],
    ["images", GeminiImages]
  ]),
  framing: serverSentEvents,
  failure
}
