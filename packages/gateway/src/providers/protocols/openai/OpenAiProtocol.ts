/** OpenAI's API, as spoken by OpenAI and by every server that calls itself compatible. */
import type { Dialect, Protocol } from "../../../core/pool/Protocol.ts"
import { completionEvents } from "../shared/CompletionEvents.ts"
import { serverSentEvents } from "../../framing/Sse.ts"
import { lift } from "./answer/OpenAiChatResponse.ts"
import { OpenAiCompletions } from "./completions/OpenAiCompletions.ts"
import { OpenAiEmbeddings, OpenAiModerations, OpenAiRerank } from "./embeddings/OpenAiEmbeddings.ts"
import { failure } from "./OpenAiErrors.ts"
import { OpenAiImageEdits, OpenAiImages, OpenAiImageVariations } from "./images/OpenAiImages.ts"
import { withJsonSchema } from "../../structured/JsonSchema.ts"
import { lower } from "./request/OpenAiChatRequest.ts"
import { OpenAiSpeech, OpenAiTranscriptions, OpenAiTranslations } from "./transcripts/OpenAiTranscripts.ts"
import { stream } from "./answer/OpenAiChatStream.ts"
import { OpenAiResponses } from "./responses/OpenAiResponses.ts"

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
