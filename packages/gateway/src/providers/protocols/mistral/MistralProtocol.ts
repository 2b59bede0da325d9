/**
 * Mistral's API: OpenAI's chat with a body of its own, which takes no field that it does not know, and answers that OpenAI's reader
 * repairs (thoughts as parts of the content, calls without a type, `model_length`, usage on the last chunk). Embeddings and moderations
 * are as OpenAI's.
 *
 * Request: `request/Request.ts`. Errors: OpenAI's, but for what `Errors.ts` says.
 */
import type { Dialect, Protocol } from "../../../core/pool/Protocol.ts"
import { serverSentEvents } from "../../framing/Sse.ts"
import { OpenAiModerations } from "../openai/moderations/OpenAiModerations.ts"
import { OpenAiChat } from "../openai/OpenAiProtocol.ts"
import { MistralEmbeddings } from "./MistralEmbeddings.ts"
import { failure } from "./MistralErrors.ts"
import { lower } from "./request/MistralChatRequest.ts"

export const MistralChat: Dialect = { ...OpenAiChat, lower }

export const MistralProtocol: Protocol = {
  name: "mistral-chat",
  speaks: new Map([
    ["chat", MistralChat],
    ["embeddings", MistralEmbeddings],
    ["moderations", OpenAiModerations]
  ]),
  framing: serverSentEvents,
  failure
}
