/** Which recorded families are replayed through the gateway, and at which endpoint. A new family is a line here. */

import type { JsonObject } from "../../src/core/domain/Json.ts"
import { asChat, asEmbeddings, plainContents, recordedModel } from "../support/GeminiRequests.ts"
import type { Exchange } from "../support/Transcripts.ts"
import {
  chatOfConverse,
  embeddingsOfInvoke,
  isEmbedding,
  isMessages,
  messagesOfInvoke,
  plainConverse,
  plainEmbeddings,
  withAddress
} from "./Bedrock.ts"

export interface Family {
  /** As in the name of the recordings' file: `openai.chat.completions`. */
  readonly name: string
  /** The vendor's name in the configuration; left out: a compatible server. */
  readonly vendor?: string
  /** `{model}`: the model is there, and not in the body. */
  readonly path: string
  /** A complete answer comes out as it was recorded, but for `gateway`. */
  readonly isSame?: boolean
  /** What its models serve natively; left out: as the vendor's file says. */
  readonly operations?: ReadonlyArray<string>
  /** The deployment for requests without a model; left out: there are none. */
  readonly model?: string
  /** The schema of a complete answer in OpenAI's description; left out: its shape is another vendor's. */
  readonly whole?: string | undefined
  /** The schema of one event of a stream. */
  readonly event?: string | undefined
  /** Which of the recordings; left out: all. */
  readonly only?: (exchange: Exchange) => boolean
  /** The exchange with what its address says in the body. */
  readonly prepared?: (exchange: Exchange) => Exchange
  /**
   * The caller's request, where what was recorded is the vendor's own API, which the gateway does not speak to callers. Undefined: the
   * gateway refuses it on purpose.
   */
  readonly ask?: (exchange: Exchange) => JsonObject | undefined
  /** A request without what makes no difference, for the comparison of the recorded one with the one that was sent. */
  readonly plain?: (body: JsonObject) => JsonObject
  /** What the provider's configuration has beside a key. */
  readonly provider?: JsonObject
  /** Fields that the gateway adds, drops or renames on the way to this vendor, each for a reason that was reviewed. */
  readonly changes?: ReadonlyArray<string>
}

/**
 * Recordings that are not replayed, with the reason. Everything else is in the list below.
 */
export const leftOut: { readonly [family: string]: string } = {
  "cohere.v1_chat": "version 1 of Cohere's API is gone: its models were removed on September 15, 2025",
  "cohere.v1_tokenize": "no endpoint of the gateway tokenizes",
  "ollama.api_generate": "the gateway speaks /api/chat, which does the same",
  "ollama.api_embeddings": "replaced by /api/embed, and its request has no input"
}

/**
 * `stream_options`: the gateway always asks for the usage. `max_tokens`, `max_completion_tokens`: one of both, by what the model takes.
 * `messages`: servers other than OpenAI get the role `developer` as `system`. `reasoning_effort`: not for models without reasoning.
 */
const CHAT_CHANGES = ["stream_options", "max_tokens", "max_completion_tokens", "messages", "reasoning_effort"]

const chat = (name: string, vendor?: string): Family => ({
  name,
  ...(vendor === undefined ? undefined : { vendor }),
  path: "/v1/chat/completions",
  whole: "CreateChatCompletionResponse",
  event: "CreateChatCompletionStreamResponse",
  changes: CHAT_CHANGES
})

/** `store`: the gateway keeps responses itself. `include`: without it, a later turn could not go on with the reasoning. */
const responses = (name: string, vendor?: string): Family => ({
  name,
  ...(vendor === undefined ? undefined : { vendor }),
  path: "/v1/responses",
  operations: ["responses"],
  whole: "Response",
  event: "ResponseStreamEvent",
  changes: ["store", "include"]
})

/** `encoding_format`: the gateway packs vectors itself, as many servers can't. */
const embeddings = (name: string, vendor?: string): Family => ({
  name,
  ...(vendor === undefined ? undefined : { vendor }),
  path: "/v1/embeddings",
  operations: ["embeddings"],
  whole: "CreateEmbeddingResponse",
  changes: ["encoding_format"]
})

/** The model may be left out, and the vendor chooses; here the gateway does. */
const noModel = { model: "omni-moderation-latest", changes: ["model"] }

const plain = (name: string, path: string, operation: string, vendor: string, whole?: string): Family => ({
  name,
  vendor,
  path,
  operations: [operation],
  ...(whole === undefined ? undefined : { whole }),
  // `stream_options`: as for chat. `max_tokens`: the vendor's own default is said, so that a budget can rely on it.
  ...(operation === "completions"
    ? { event: "CreateCompletionResponse", changes: ["stream_options", "max_tokens"] }
    : undefined)
})

const VERTEX = { project: "recorded", location: "global" }

/** What goes up is compared in `providers/protocols/gemini/request/RecordedRequests.test.ts`. */
const gemini = (name: string, vendor: string): Family => ({
  name,
  vendor,
  ...(vendor === "vertex" ? { provider: VERTEX } : undefined),
  path: "/v1/chat/completions",
  whole: "CreateChatCompletionResponse",
  event: "CreateChatCompletionStreamResponse",
  ask: (exchange) => ({ ...asChat(exchange), model: recordedModel(exchange) })
})

/** Google's own API to callers, before Google. */
const contents = (name: string, vendor: string, verb: string): Family => ({
  ...gemini(name, vendor),
  path: `/v1beta/models/{model}:${verb}`,
  // A request that says nothing gets its instruction as a turn.
  only: ({ request }) => !/"contents":\[\{"parts":\[\{"text":""\}\]/.test(JSON.stringify(request.body)),
  // A count is a number: where it was told with more, that is left out.
  isSame: verb !== "countTokens",
  event: undefined,
  whole: undefined,
  ask: (exchange) => ({ ...exchange.request.body, model: recordedModel(exchange) }),
  plain: plainContents,
  // Counts of AI Studio have the request in a field.
  changes: verb === "countTokens" ? ["contents", "generationConfig", "generateContentRequest"] : []
})

const geminiVectors = (name: string, vendor: string): Family => ({
  ...gemini(name, vendor),
  path: "/v1/embeddings",
  whole: "CreateEmbeddingResponse",
  ask: (exchange) => ({ ...asEmbeddings(exchange), model: recordedModel(exchange) })
})

/** `model`, `stream`: in the address there. */
const bedrock = (
  name: string,
  path: string,
  ask: (body: JsonObject) => JsonObject | undefined,
  more: Partial<Family>
): Family => ({
  name: `bedrock.${name}`,
  vendor: "bedrock",
  path,
  prepared: withAddress,
  ask: ({ request }) => (request.body === undefined ? undefined : ask(request.body)),
  plain: (body) => body,
  changes: ["model", "stream"],
  ...more
})

const converse = (name: string): Family =>
  bedrock(name, "/v1/chat/completions", chatOfConverse, {
    operations: ["chat"],
    plain: plainConverse,
    whole: "CreateChatCompletionResponse",
    event: "CreateChatCompletionStreamResponse"
  })

const invoked = (name: string): Family =>
  bedrock(name, "/v1/messages", messagesOfInvoke, { only: isMessages, operations: ["messages"] })

export const recordedFamilies: ReadonlyArray<Family> = [
  chat("openai.chat.completions", "openai"),
  chat("azure.chat", "azure"),
  chat("cerebras.chat_completions", "cerebras"),
  chat("crusoe.chat", "crusoe"),
  chat("deepseek.chat_completions", "deepseek"),
  chat("groq.chat_completions", "groq"),
  chat("huggingface.chat_completions", "huggingface"),
  {
    ...chat("mistral.chat_completions", "mistral"),
    // It tells the usage unasked. `tools`: an empty list is left out. `seed`: under Mistral's name.
    changes: [...CHAT_CHANGES, "tools", "tool_choice", "seed", "random_seed"]
  },
  chat("ollama.chat_completions"),
  {
    ...chat("ollama.api_chat", "ollama"),
    provider: { base_url: "https://recorded.test" },
    // Ollama's own words are taken by the same name. Calls need ids, and arguments as a text.
    ask: asked((body) => ({ ...body, messages: objectsIn(body["messages"]).map(withIds) })),
    // `options`: the configured window. `tools`, `format`: an empty one is left out.
    changes: ["options", "tools", "format"]
  },
  {
    ...chat("cohere.v2_chat", "cohere"),
    ask: asked((body) => ({ ...body, tool_choice: body["tool_choice"] === "REQUIRED" ? "required" : undefined })),
    // Contents of nothing but text are a text.
    changes: ["messages"]
  },
  // Names in `models` that the gateway does not serve are skipped.
  { ...chat("openrouter.chat_completions", "openrouter"), operations: ["chat"], changes: [...CHAT_CHANGES, "models"] },
  chat("snowflake.chat", "snowflake"),
  chat("together.chat_completions", "together"),
  chat("zai.chat_completions", "zai"),
  responses("openai.responses", "openai"),
  responses("azure.responses", "azure"),
  responses("openrouter.v1_responses", "openrouter"),
  responses("deepseek.responses", "deepseek"),
  responses("bedrock-mantle.responses"),
  embeddings("openai.embeddings", "openai"),
  embeddings("azure.embeddings", "azure"),
  embeddings("mistral.v1_embeddings", "mistral"),
  plain("together.v1_completions", "/v1/completions", "completions", "together", "CreateCompletionResponse"),
  {
    ...embeddings("cohere.v2_embed", "cohere"),
    ask: asked((body) => ({ ...body, input: body["texts"], texts: undefined })),
    changes: ["embedding_types"]
  },
  plain("openai.completions", "/v1/completions", "completions", "openai", "CreateCompletionResponse"),
  {
    ...plain("openai.moderations", "/v1/moderations", "moderations", "openai", "CreateModerationResponse"),
    ...noModel
  },
  plain("openai.images.generations", "/v1/images/generations", "images", "openai", "ImagesResponse"),
  plain("openai.images.edits", "/v1/images/edits", "image_edits", "openai", "ImagesResponse"),
  plain("openai.images.variations", "/v1/images/variations", "image_variations", "openai", "ImagesResponse"),
  plain("openai.audio.transcriptions", "/v1/audio/transcriptions", "transcriptions", "openai"),
  plain("openai.audio.translations", "/v1/audio/translations", "translations", "openai"),
  embeddings("voyage.v1_embeddings", "voyage"),
  {
    ...plain("voyage.v1_rerank", "/v1/rerank", "rerank", "voyage"),
    ask: asked((body) => ({ ...body, top_n: body["top_k"], top_k: undefined })),
    changes: []
  },
  plain("cohere.v2_rerank", "/v1/rerank", "rerank", "cohere"),
  plain("cohere.v1_rerank", "/v1/rerank", "rerank", "cohere"),
  { name: "anthropic.messages", vendor: "anthropic", path: "/v1/messages" },
  plain("anthropic.count_tokens", "/v1/messages/count_tokens", "count_tokens", "anthropic"),
  converse("converse"),
  converse("converse-stream"),
  invoked("invoke"),
  invoked("invoke-with-response-stream"),
  bedrock("invoke", "/v1/embeddings", embeddingsOfInvoke, {
    only: isEmbedding,
    plain: plainEmbeddings,
    operations: ["embeddings"],
    whole: "CreateEmbeddingResponse"
  }),
  chat("bedrock-mantle.completions"),
  gemini("gemini.generateContent", "google-ai-studio"),
  gemini("gemini.streamGenerateContent", "google-ai-studio"),
  gemini("vertex.generateContent", "vertex"),
  contents("gemini.generateContent", "google-ai-studio", "generateContent"),
  contents("gemini.streamGenerateContent", "google-ai-studio", "streamGenerateContent?alt=sse"),
  contents("gemini.countTokens", "google-ai-studio", "countTokens"),
  contents("vertex.generateContent", "vertex", "generateContent"),
  contents("vertex.countTokens", "vertex", "countTokens"),
  geminiVectors("gemini.batchEmbedContents", "google-ai-studio"),
  geminiVectors("vertex.predict", "vertex")
]

const objectsIn = (value: unknown): ReadonlyArray<JsonObject> =>
  Array.isArray(value) ? (value as ReadonlyArray<JsonObject>) : []

/** A message whose calls have ids, and arguments as a text. */
function withIds(message: JsonObject): JsonObject {
  const calls = objectsIn(message["tool_calls"])
  if (calls.length === 0) return message
  const tool_calls = calls.map((call, index) => {
    const called = call["function"] as JsonObject
    return {
      id: `call_${index}`,
      type: "function",
      function: { ...called, arguments: JSON.stringify(called["arguments"]) }
    }
  })
  return { ...message, tool_calls }
}

/** The recorded request in the words of the endpoint. */
function asked(say: (recorded: JsonObject) => JsonObject): NonNullable<Family["ask"]> {
  return ({ request: { body } }) => (body === undefined ? undefined : say(body))
}
