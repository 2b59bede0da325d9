/** The endpoints for callers of models, under `/v1`: the vendor-defined API. */
import { Response, ResponseRequest } from "./Responses.ts"
import { Schema } from "effect"
import { HttpApi, HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { audio } from "./Audio.ts"
import { ChatCompletion, ChatRequest } from "./Chat.ts"
import { Completion, CompletionRequest } from "./Completions.ts"
import { anthropicError, callFailures, documented } from "../Documented.ts"
import { contents } from "./Contents.ts"
import { Embeddings, EmbeddingsRequest } from "./Embeddings.ts"
import { numericHeaders, RequestHeaders, RoutingHeaders } from "./Headers.ts"
import { images } from "./Images.ts"
import { OwnKey, OwnKeyQuery } from "../admin/Keys.ts"
import { CountTokensRequest, Message, MessagesRequest, TokensCount } from "./Messages.ts"
import { Model, ModelList } from "./Models.ts"
import { Moderation, ModerationRequest } from "./Moderations.ts"
import { Ranking, RerankRequest } from "./Rerank.ts"
import { Feedback, GiveFeedback, Receipt } from "../Receipts.ts"
import { VirtualKeyAuthorization } from "../Security.ts"
import { storedResponses } from "./StoredResponses.ts"

/** A stream is text to this description; each event's data is a `ChatCompletionChunk`. */
const Events = Schema.String.pipe(HttpApiSchema.asText({ contentType: "text/event-stream" })).annotate({
  description:
    'With `stream: true`: one `data: <ChatCompletionChunk>` per event, `data: [DONE]` at the end. A stream that broke off ends with one `data: {"error": …}` and no `[DONE]`.'
})

const chat = HttpApiGroup.make("chat")
  .add(
    HttpApiEndpoint.post("createChatCompletion", "/v1/chat/completions", {
      headers: RequestHeaders,
      payload: ChatRequest,
      success: [HttpApiSchema.WithHeaders(ChatCompletion, RoutingHeaders), Events]
    }).annotateMerge(
      documented({
        failures: callFailures,
        numbers: numericHeaders,
        summary: "Create a chat completion",
        description:
          "The vendor-defined chat endpoint. With `model: auto` the prompt decides which deployment serves it. When a call fails it is tried on another one. The headers of the answer say which one it was and what it cost."
      })
    )
  )
  .annotateMerge(OpenApi.annotations({ title: "Chat", description: "Chat completions, streamed or whole." }))

/** Each event's data is one of the vendor's events. */
const ResponseEvents = Schema.String.pipe(HttpApiSchema.asText({ contentType: "text/event-stream" })).annotate({
  description:
    "With `stream: true`: `event: <type>` and `data: <event>` for each event, with a rising `sequence_number` and no end mark. The last one is `response.completed` or `response.incomplete` and tells the exact cost. A stream that broke off ends with `error` and `response.failed`."
})

const responses = HttpApiGroup.make("responses")
  .add(
    HttpApiEndpoint.post("createResponse", "/v1/responses", {
      headers: RequestHeaders,
      payload: ResponseRequest,
      success: [HttpApiSchema.WithHeaders(Response, RoutingHeaders), ResponseEvents]
    }).annotateMerge(
      documented({
        failures: callFailures,
        numbers: numericHeaders,
        summary: "Create a response",
        description:
          "The vendor-defined Responses endpoint, at every model that has it or chat. The ids of the response and its items are the gateway's own, so a conversation can go on at another provider. Tools that run at a vendor go to providers that have them; elsewhere they are left out and named in `X-Gateway-Dropped-Params`, and refused with `X-Gateway-Strict` or where `tool_choice` asks for one. With `background: true` the answer is `queued`, and the response is read later. `conversation` is refused. `GET /v1/responses` opens a WebSocket: see docs/websocket.md."
      })
    ),
    HttpApiEndpoint.post("cancelResponse", "/v1/responses/:id/cancel", {
      params: { id: Schema.String.annotate({ description: "The id of a response." }) },
      success: Response
    }).annotateMerge(
      documented({
        failures: [400, 401, 403, 404, 429, 500, 503],
        summary: "Cancel a response",
        description:
          "Ends a response that runs in the background, and returns it. One that has ended stays as it is. Others are refused."
      })
    )
  )
  .annotateMerge(OpenApi.annotations({ title: "Responses", description: "Responses, streamed or whole." }))

const CompletionEvents = Schema.String.pipe(HttpApiSchema.asText({ contentType: "text/event-stream" })).annotate({
  description:
    'With `stream: true`: one `data: <Completion>` per event, `data: [DONE]` at the end. A stream that broke off ends with one `data: {"error": …}` and no `[DONE]`.'
})

const completions = HttpApiGroup.make("completions")
  .add(
    HttpApiEndpoint.post("createCompletion", "/v1/completions", {
      headers: RequestHeaders,
      payload: CompletionRequest,
      success: [HttpApiSchema.WithHeaders(Completion, RoutingHeaders), CompletionEvents]
    }).annotateMerge(
      documented({
        failures: callFailures,
        numbers: numericHeaders,
        summary: "Create a legacy completion",
        description:
          "The vendor-defined endpoint. Models that only chat serve it too: the prompt is the user's message, and the answer is the text."
      })
    )
  )
  .annotateMerge(OpenApi.annotations({ title: "Completions", description: "Legacy completions, streamed or whole." }))

const moderations = HttpApiGroup.make("moderations")
  .add(
    HttpApiEndpoint.post("createModeration", "/v1/moderations", {
      headers: RequestHeaders,
      payload: ModerationRequest,
      success: HttpApiSchema.WithHeaders(Moderation, RoutingHeaders)
    }).annotateMerge(
      documented({
        failures: callFailures,
        numbers: numericHeaders,
        summary: "Judge texts and images",
        description: "The vendor-defined endpoint. Where no configured model has it, a 400 says so."
      })
    )
  )
  .annotateMerge(OpenApi.annotations({ title: "Moderations", description: "Whether contents are harmful." }))

const rerank = HttpApiGroup.make("rerank")
  .add(
    HttpApiEndpoint.post("createRanking", "/v1/rerank", {
      headers: RequestHeaders,
      payload: RerankRequest,
      success: HttpApiSchema.WithHeaders(Ranking, RoutingHeaders)
    }).annotateMerge(
      documented({
        failures: callFailures,
        numbers: numericHeaders,
        summary: "Rank documents",
        description:
          "In the shape of Cohere and Jina, at these and at every server that has `/rerank`. Where no configured model has it, a 400 says so. `/v2/rerank`, Cohere's newer path, is the same endpoint."
      })
    )
  )
  .annotateMerge(OpenApi.annotations({ title: "Rerank", description: "Documents by how well they match a query." }))

const embeddings = HttpApiGroup.make("embeddings")
  .add(
    HttpApiEndpoint.post("createEmbeddings", "/v1/embeddings", {
      headers: RequestHeaders,
      payload: EmbeddingsRequest,
      success: HttpApiSchema.WithHeaders(Embeddings, RoutingHeaders)
    }).annotateMerge(
      documented({
        failures: callFailures,
        numbers: numericHeaders,
        summary: "Create embeddings",
        description:
          "The vendor-defined endpoint. Vectors of two models can't be compared: when a call fails, it is tried only where the same model is served."
      })
    )
  )
  .annotateMerge(OpenApi.annotations({ title: "Embeddings", description: "Vectors of texts." }))

const MessageEvents = Schema.String.pipe(HttpApiSchema.asText({ contentType: "text/event-stream" })).annotate({
  description:
    "With `stream: true`: Anthropic's events, named by their types. The last `message_delta` carries `gateway` and `usage.cost`. A stream that broke off ends with an event `error`."
})

const messages = HttpApiGroup.make("messages")
  .add(
    HttpApiEndpoint.post("createMessage", "/v1/messages", {
      headers: RequestHeaders,
      payload: MessagesRequest,
      success: [HttpApiSchema.WithHeaders(Message, RoutingHeaders), MessageEvents]
    }).annotateMerge(
      documented({
        failures: [...callFailures, 529],
        error: anthropicError,
        numbers: numericHeaders,
        summary: "Create a message",
        description:
          "Anthropic's Messages API, on every deployment that can chat. Deployments of that API get the request, `anthropic-version` and `anthropic-beta` as they came; for others it is translated."
      })
    ),
    HttpApiEndpoint.post("countTokens", "/v1/messages/count_tokens", {
      headers: RequestHeaders,
      payload: CountTokensRequest,
      success: HttpApiSchema.WithHeaders(TokensCount, RoutingHeaders)
    }).annotateMerge(
      documented({
        failures: [...callFailures, 529],
        error: anthropicError,
        numbers: numericHeaders,
        summary: "Count the tokens of a message",
        description:
          "Free. Anthropic counts for its own models; for others the gateway counts, and says so with `gateway.estimated`."
      })
    )
  )
  .annotateMerge(OpenApi.annotations({ title: "Messages", description: "Anthropic's Messages API." }))

const models = HttpApiGroup.make("models")
  .add(
    HttpApiEndpoint.get("listModels", "/v1/models", {
      success: ModelList
    }).annotateMerge(
      documented({
        failures: [401, 403, 429, 500, 503],
        summary: "List models",
        description:
          "Everything that the calling key may send as `model`, aliases with `*` aside. With an `anthropic-version` header the answer has Anthropic's shape."
      })
    ),
    HttpApiEndpoint.get("getModel", "/v1/models/:id", {
      params: {
        id: Schema.String.annotate({ description: "The name of the model; a slash in it may stay as it is." })
      },
      success: Model
    }).annotateMerge(
      documented({
        failures: [401, 403, 404, 429, 500, 503],
        summary: "Inspect a model",
        description: "One of those that the calling key may use."
      })
    )
  )
  .annotateMerge(OpenApi.annotations({ title: "Models", description: "What there is to ask." }))

const ownKey = HttpApiGroup.make("key")
  .add(
    HttpApiEndpoint.get("getOwnKey", "/v1/key", { query: OwnKeyQuery, success: OwnKey }).annotateMerge(
      documented({
        failures: [400, 401, 403, 429, 500, 503],
        summary: "Inspect the calling key",
        description: "Its limits, budgets and what is left of them, and what it spent: also where it has no budget."
      })
    )
  )
  .annotateMerge(OpenApi.annotations({ title: "Calling key", description: "What a caller may know of its own key." }))

const receiptId = {
  id: Schema.String.annotate({
    description: "What `X-Gateway-Receipt-Id` said, `rcpt_…`, or the id of the request, `req_…`."
  })
}

const receipts = HttpApiGroup.make("receipts")
  .add(
    HttpApiEndpoint.get("getReceipt", "/v1/receipts/:id", {
      params: receiptId,
      success: Receipt
    }).annotateMerge(
      documented({
        failures: [401, 403, 404, 500, 503],
        summary: "Inspect a request of the calling key",
        description:
          "Its receipt: how it was routed, every attempt, what it cost. A request that still runs has none yet; those of other keys are not found."
      })
    ),
    HttpApiEndpoint.post("giveFeedback", "/v1/receipts/:id/feedback", {
      params: receiptId,
      payload: GiveFeedback,
      success: Feedback
    }).annotateMerge(
      documented({
        failures: [400, 401, 403, 404, 413, 415, 429, 500, 503],
        summary: "Say how good an answer was",
        description:
          "A score for the answer to a request of the calling key, in place of an earlier one. It stands in the receipt, and `router export` writes it for `router train`. It is kept for as long as the receipt; repeating it is harmless. Scores are not requests: they take nothing of the key's requests per minute, and have a limit of their own that is as high (`kind: feedback`)."
      })
    )
  )
  .annotateMerge(OpenApi.annotations({ title: "Receipts", description: "What happened to each request." }))

/** Everything under `/v1`. */
export const ProxyApi = HttpApi.make("model-gateway")
  .add(
    chat,
    responses,
    storedResponses,
    messages,
    contents,
    completions,
    embeddings,
    moderations,
    rerank,
    audio,
    images,
    models,
    ownKey,
    receipts
  )
  .middleware(VirtualKeyAuthorization)
