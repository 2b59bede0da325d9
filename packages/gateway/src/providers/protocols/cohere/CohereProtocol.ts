/**
 * Cohere's API, version 2: https://docs.cohere.com/v2/docs/how-does-cohere-pricing-work.md, and the types of `cohere-ai` 8.1.0 (2026-11-22).
 * Version 1 is not supported: its models are gone. Errors (`{id, message}`) are as OpenAI's reader knows them.
 */
import type { Dialect, Protocol } from "../../../core/pool/Protocol.ts"
import { completionEvents } from "../shared/CompletionEvents.ts"
import { serverSentEvents } from "../../framing/Sse.ts"
import { failure } from "../openai/OpenAiErrors.ts"
import { lift } from "./answer/CohereChatResponse.ts"
import { stream } from "./answer/CohereChatStream.ts"
import { CohereEmbeddings } from "./CohereEmbeddings.ts"
import { CohereRerank } from "./CohereRerank.ts"
import { lower } from "./request/CohereChatRequest.ts"

export const CohereChat: Dialect = { lower, lift, stream, replay: completionEvents, idPrefix: "chatcmpl-" }

export const CohereProtocol: Protocol = {
  name: "cohere-v2",
  speaks: new Map([
    ["chat", CohereChat],
    ["embeddings", CohereEmbeddings],
    ["rerank", CohereRerank]
  ]),
  framing: serverSentEvents,
  failure
}
