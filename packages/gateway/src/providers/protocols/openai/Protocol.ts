/**
 * OpenAI's API, as spoken by OpenAI and by every server that calls itself compatible.
 *
 * Request: `request/Request.ts`. Answer: `answer/Answer.ts`. Stream: `answer/Stream.ts`. Usage: `answer/Usage.ts`. Errors: `Errors.ts`.
 */
import type { Dialect, Protocol } from "../../../core/pool/Protocol.ts"
import { completionEvents } from "../shared/CompletionEvents.ts"
import { serverSentEvents } from "../../framing/Sse.ts"
import { lift } from "./answer/Answer.ts"
import { OpenAiCompletions } from "./completions/Completions.ts"
import { OpenAiEmbeddings } from "./embeddings/Embeddings.ts"
import { failure } from "./Errors.ts"
import { OpenAiModerations } from "./moderations/Moderations.ts"
import { OpenAiImageEdits, OpenAiImages, OpenAiImageVariations } from "./images/Images.ts"
import { withJsonSchema } from "../../structured/JsonSchema.ts"
import { lower } from "./request/Request.ts"
import { OpenAiRerank } from "./rerank/Rerank.ts"
import { OpenAiSpeech } from "./speech/Speech.ts"
import { stream } from "./answer/Stream.ts"
import { OpenAiResponses } from "./responses/Responses.ts"
import { OpenAiTranscriptions, OpenAiTranslations } from "./transcripts/Transcripts.ts"

export const OpenAiChat: Dialect = withJsonSchema(
  { lower, lift, stream, replay: completionEvents, idPrefix: "chatcmpl-" },
  ({ deployment }) => deployment.quirks?.jsonSchema
)

export const OpenAiProtocol: Protocol = {
  name: "openai-chat",
  speaks: new Map([
    ["chat", OpenAiChat],
    ["responses", OpenAiResponses],
    ["completions", OpenAiCompletions],
    ["embeddings", OpenAiEmbeddings],
    ["moderations", OpenAiModerations],
    ["images", OpenAiImages],
    ["image_edits", OpenAiImageEdits],
    ["image_variations", OpenAiImageVariations],
    ["transcriptions", OpenAiTranscriptions],
    ["translations", OpenAiTranslations],
    ["speech", OpenAiSpeech],
    ["rerank", OpenAiRerank]
  ]),
  framing: serverSentEvents,
  failure
}
