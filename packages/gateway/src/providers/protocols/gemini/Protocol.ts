/**
 * Google's `generateContent` (`POST /models/<model>:generateContent`), as AI Studio and Vertex speak it.
 *
 * Request: `request/Request.ts`. Answer: `answer/Answer.ts`. Stream: `answer/Stream.ts`. Usage: `answer/Usage.ts`. Errors: `Errors.ts`.
 */
import type { Dialect, Protocol } from "../../../core/pool/Protocol.ts"
import { completionEvents } from "../shared/CompletionEvents.ts"
import { serverSentEvents } from "../../framing/Sse.ts"
import { lift } from "./answer/Answer.ts"
import { stream } from "./answer/Stream.ts"
import { GeminiEmbeddings } from "./embeddings/Embeddings.ts"
import { failure } from "./Errors.ts"
import { GeminiImages } from "./images/Images.ts"
import { lower } from "./request/Request.ts"
import { schemaWay } from "./request/Structured.ts"
import { withJsonSchema } from "../../structured/JsonSchema.ts"

export const GeminiChat: Dialect = withJsonSchema(
  { lower, lift, stream, replay: completionEvents, idPrefix: "chatcmpl-" },
  schemaWay
)

export const GeminiProtocol: Protocol = {
  name: "gemini",
  speaks: new Map([
    ["chat", GeminiChat],
    ["embeddings", GeminiEmbeddings],
    ["images", GeminiImages]
  ]),
  framing: serverSentEvents,
  failure
}
