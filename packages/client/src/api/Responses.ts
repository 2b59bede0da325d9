/** Responses, those that the gateway keeps, and Anthropic's Messages. */
import { type Call, answered, plain, streamed } from "../Call.ts"
import type { Answered } from "../Decision.ts"
import { type OutputText, withOutputText } from "../OutputText.ts"
import type { CallOptions } from "../Settings.ts"
import { messageCollector, responseCollector, type TypedEvent } from "../stream/EventCollectors.ts"
import type { GatewayStream } from "../stream/GatewayStream.ts"
import type { CountTokensRequest, Message, MessagesRequest, TokensCount } from "../wire/Messages.ts"
import type { GetResponseQuery, ListInputItemsQuery } from "../wire/Queries.ts"
import type {
  Compaction,
  CompactionRequest,
  DeletedResponse,
  ResponseInputTokens,
  ResponseItemList,
  ResponseObject,
  ResponseRequest
} from "../wire/Responses.ts"
import type { Streaming, Whole } from "./Chat.ts"
import { Part } from "./Part.ts"

/** A response with its text in one piece. */
export type TextResponse = ResponseObject & OutputText
export type ResponseStream = GatewayStream<TypedEvent, TextResponse>
export type MessageStream = GatewayStream<TypedEvent, Message>

export class Responses extends Part {
  create(body: Streaming<ResponseRequest>, options?: CallOptions): Call<ResponseStream>
  create(body: Whole<ResponseRequest>, options?: CallOptions): Call<Answered<TextResponse>>
  create(body: ResponseRequest, options?: CallOptions): Call<ResponseStream> | Call<Answered<TextResponse>>
  create(body: ResponseRequest, options?: CallOptions): Call<ResponseStream> | Call<Answered<TextResponse>> {
    if (body.stream === true) return this.stream(body, options)
    const request = { method: "POST", path: "/v1/responses", body, options } as const
    return answered<ResponseObject>(this.connection, request, "output").map<Answered<TextResponse>>(withOutputText)
  }

  stream(body: ResponseRequest, options?: CallOptions): Call<ResponseStream> {
    const request = { method: "POST", path: "/v1/responses", body: { ...body, stream: true }, options } as const
    return streamed(this.connection, request, responseCollector())
  }

  get(id: string, query?: Pick<GetResponseQuery, "include">, options?: CallOptions): Call<TextResponse> {
    const request = { method: "GET", path: at(id), query, options } as const
    return plain<ResponseObject>(this.connection, request, "id").map(withOutputText)
  }

  /** The events of one that is kept, from the one after `starting_after` on. */
  replay(id: string, query?: Omit<GetResponseQuery, "stream">, options?: CallOptions) {
    const all = { ...query, stream: true }
    return streamed(this.connection, { method: "GET", path: at(id), query: all, options }, responseCollector())
  }

  delete(id: string, options?: CallOptions): Call<DeletedResponse> {
    return plain(this.connection, { method: "DELETE", path: at(id), options }, "id")
  }

  cancel(id: string, options?: CallOptions): Call<TextResponse> {
    const request = { method: "POST", path: `${at(id)}/cancel`, options } as const
    return plain<ResponseObject>(this.connection, request, "id").map(withOutputText)
  }

  inputItems(id: string, query?: ListInputItemsQuery, options?: CallOptions): Call<ResponseItemList> {
    return plain(this.connection, { method: "GET", path: `${at(id)}/input_items`, query, options }, "data")
  }

  compact(body: CompactionRequest, options?: CallOptions): Call<Answered<Compaction>> {
    return answered(this.connection, { method: "POST", path: "/v1/responses/compact", body, options }, "output")
  }

  countInputTokens(body: ResponseRequest, options?: CallOptions): Call<Answered<ResponseInputTokens>> {
    const request = { method: "POST", path: "/v1/responses/input_tokens", body, options } as const
    return answered(this.connection, request, "input_tokens")
  }
}

const at = (id: string): string => `/v1/responses/${encodeURIComponent(id)}`

export class Messages extends Part {
  create(body: Streaming<MessagesRequest>, options?: CallOptions): Call<MessageStream>
  create(body: Whole<MessagesRequest>, options?: CallOptions): Call<Answered<Message>>
  create(body: MessagesRequest, options?: CallOptions): Call<MessageStream> | Call<Answered<Message>>
  create(body: MessagesRequest, options?: CallOptions): Call<MessageStream> | Call<Answered<Message>> {
    if (body.stream === true) return this.stream(body, options)
    return answered<Message>(this.connection, { method: "POST", path: "/v1/messages", body, options }, "content")
  }

  stream(body: MessagesRequest, options?: CallOptions): Call<MessageStream> {
    const request = { method: "POST", path: "/v1/messages", body: { ...body, stream: true }, options } as const
    return streamed(this.connection, request, messageCollector())
  }

  countTokens(body: CountTokensRequest, options?: CallOptions): Call<Answered<TokensCount>> {
    const request = { method: "POST", path: "/v1/messages/count_tokens", body, options } as const
    return answered(this.connection, request, "input_tokens")
  }
}
