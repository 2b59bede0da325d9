/** Chat, and the older completions. */
import { type Call, answered, streamed } from "../Call.ts"
import type { Connection, Outgoing } from "../connection/Connection.ts"
import type { Answered } from "../Decision.ts"
import type { CallOptions } from "../Settings.ts"
import { type CompletionChunk, chatCollector, completionCollector } from "../stream/ChatCollector.ts"
import type { GatewayStream } from "../stream/GatewayStream.ts"
import type {
  ChatCompletion,
  ChatCompletionChunk,
  ChatRequest,
  Completion,
  CompletionRequest
} from "../wire/Inference.ts"
import { type Parsed, type ParseRequest, parsing } from "./Parse.ts"
import { Part } from "./Part.ts"

export type ChatStream = GatewayStream<ChatCompletionChunk, ChatCompletion>
export type CompletionStream = GatewayStream<CompletionChunk, Completion>

/** A request that asks for a stream gets one, from `create` too. */
export type Streaming<Request> = Request & { readonly stream: true }
export type Whole<Request> = Request & { readonly stream?: false | null | undefined }

class ChatCompletions extends Part {
  create(body: Streaming<ChatRequest>, options?: CallOptions): Call<ChatStream>
  create(body: Whole<ChatRequest>, options?: CallOptions): Call<Answered<ChatCompletion>>
  create(body: ChatRequest, options?: CallOptions): Call<ChatStream> | Call<Answered<ChatCompletion>>
  create(body: ChatRequest, options?: CallOptions): Call<ChatStream> | Call<Answered<ChatCompletion>> {
    if (body.stream === true) return this.stream(body, options)
    return answered<ChatCompletion>(this.connection, chat(body, options), "choices")
  }

  stream(body: ChatRequest, options?: CallOptions): Call<ChatStream> {
    return streamed(this.connection, chat(streaming(body), options), chatCollector())
  }

  /** The content as JSON, by the schema of `response_format`; a `schema` of Zod or another Standard Schema checks it. */
  parse<Output = unknown>(body: ParseRequest<Output>, options?: CallOptions): Call<Parsed<Output>> {
    const { read, request } = parsing(body)
    return answered<ChatCompletion>(this.connection, chat(request, options), "choices").map(read)
  }
}

/** Token counts come in the last chunk, which has no choices, unless the request says otherwise. */
const streaming = <Request extends ChatRequest | CompletionRequest>(body: Request): Request => ({
  ...body,
  stream: true,
  stream_options: { include_usage: true, ...(body.stream_options as object | null | undefined) }
})

const chat = (body: ChatRequest, options: CallOptions | undefined): Outgoing => ({
  method: "POST",
  path: "/v1/chat/completions",
  body,
  options
})

export class Chat {
  readonly completions: ChatCompletions

  constructor(connection: Connection) {
    this.completions = new ChatCompletions(connection)
  }
}

export class Completions extends Part {
  create(body: Streaming<CompletionRequest>, options?: CallOptions): Call<CompletionStream>
  create(body: Whole<CompletionRequest>, options?: CallOptions): Call<Answered<Completion>>
  create(body: CompletionRequest, options?: CallOptions): Call<CompletionStream> | Call<Answered<Completion>>
  create(body: CompletionRequest, options?: CallOptions): Call<CompletionStream> | Call<Answered<Completion>> {
    if (body.stream === true) return this.stream(body, options)
    return answered<Completion>(this.connection, { method: "POST", path: "/v1/completions", body, options }, "choices")
  }

  stream(body: CompletionRequest, options?: CallOptions): Call<CompletionStream> {
    const request: Outgoing = { method: "POST", path: "/v1/completions", body: streaming(body), options }
    return streamed(this.connection, request, completionCollector())
  }
}
