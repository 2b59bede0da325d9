/** An endpoint as a value, without `node:http`. `Proxy.ts` handles paths, keys, draining, error bodies and common headers. */
import type { ErrorBody } from "@model-gateway/protocol"
import type { Effect, Scope, Stream } from "effect"
import type { Departure } from "../../core/call/Departure.ts"
import type { NoRoom } from "../../core/domain/Errors.ts"
import type { Caller } from "../../core/keys/Caller.ts"
import type { KeyRecord } from "../../core/keys/KeyRepository.ts"
import type { HeldBytes } from "../../core/limits/BytesInFlight.ts"
import type { ConnectionMemory } from "../../core/responses/ConnectionMemory.ts"
import type { ErrorShape } from "../errors/ErrorShape.ts"
import type { BodyTooLarge, InvalidForm, InvalidJson } from "../errors/RequestErrors.ts"
import type { EndpointError } from "../errors/WireError.ts"

export interface Endpoint {
  /** `HEAD` goes with `GET`. */
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE"
  /** Begins with `/v1/` and has at most one parameter, which may hold slashes: `/v1/models/{id}`. */
  readonly path: string
  /** How its errors look, if it depends on the request. Left out: as OpenAI's. */
  readonly errors?: ErrorShape | ((request: AskedBy) => ErrorShape)
  /** Its resources live until the response is written, when the Scope closes. */
  readonly handle: (request: HttpRequest, caller: Caller) => Effect.Effect<WireAnswer, EndpointError, Scope.Scope>
}

/** What tells whose API a caller speaks. */
export type AskedBy = Pick<HttpRequest, "headers" | "target">

export type RefusedKey = Pick<KeyRecord, "id" | "name" | "team">

export interface EndpointOptions {
  readonly maxBodyBytes: number
  /** Of a form with files. */
  readonly maxUploadBytes: number
  /** Values, lists and objects of a JSON body. */
  readonly maxBodyValues: number
  /** Of bodies and large responses of all requests together. */
  readonly maxBytesInFlight: number
  /** Milliseconds until an unanswered stream gets its head; undefined: the head waits for the response. */
  readonly earlyKeepaliveMs: number | undefined
}

/** Names are in lower case. */
export interface RequestHeaders {
  readonly [name: string]: string | ReadonlyArray<string> | undefined
  readonly authorization?: string | undefined
  readonly "content-encoding"?: string | undefined
  readonly "content-length"?: string | undefined
  readonly "content-type"?: string | undefined
}

export interface HttpRequest {
  readonly method: string
  /** Path and query as they came. */
  readonly target: string
  readonly params: { readonly [name: string]: string }
  readonly headers: RequestHeaders
  readonly remoteAddress: string | undefined
  /** Its name in the ledger. */
  readonly requestId: string
  /** The id for the `x-request-id` header. */
  readonly echoedId: string
  /** Signals that the client disconnected before its response was complete. */
  readonly departure: Departure
  /** When the check of its key began, in epoch milliseconds. */
  checkedAt?: number | undefined
  /** The key, once it is known: for the receipt of a refusal. */
  key?: RefusedKey | undefined
  /** What the request holds of the bytes in flight, once its endpoint takes some. They are free when the request ends. */
  held?: HeldBytes | undefined
  /** The WebSocket connection that the request came over. Left out: it came over HTTP. */
  readonly connection?: ConnectionMemory
  /** The client has disconnected. */
  readonly isGone: () => boolean
  /** The complete body; call it once. `readJson` reads JSON. `held`: its bytes are taken there before they are read. */
  bytes(maxBytes: number, held?: HeldBytes): Effect.Effect<Buffer, BodyTooLarge | InvalidJson | NoRoom>
  /** Gives `take` the body piece by piece, each when it is done with the one before; in place of `bytes`. `readForm` reads forms. */
  pieces<E>(
    maxBytes: number,
    take: (piece: Uint8Array) => Effect.Effect<void, E>
  ): Effect.Effect<void, E | BodyTooLarge | InvalidForm>
}

/** Names are in lower case. The writer of the response adds further headers. */
export type AnswerHeaders = Record<string, string | number>

export type WireAnswer = WholeAnswer | EventAnswer | EarlyAnswer

export type WholeAnswer = JsonAnswer | BytesAnswer

export interface JsonAnswer {
  readonly kind: "json"
  readonly status: number
  readonly headers: AnswerHeaders
  readonly text: string
  /** Runs when the response is written, as part of its request. */
  readonly after?: Effect.Effect<void, never, Scope.Scope>
}

interface BytesAnswer {
  readonly kind: "bytes"
  readonly status: number
  /** Including `content-type`. */
  readonly headers: AnswerHeaders
  readonly bytes: Uint8Array
}

/** Server-sent events. */
export interface EventAnswer {
  readonly kind: "stream"
  readonly headers: AnswerHeaders
  /** Ready to write. A failure becomes the last event. */
  readonly events: Stream.Stream<string, EndpointError>
  /** The text that ends it after a failure; left out: the error event of the endpoint's shape. */
  readonly broken?: ((error: ErrorBody["error"]) => string | undefined) | undefined
  /** The names of its trailers, joined by commas. */
  readonly announced: string
  /** Called once after the last event. `isEarly`: the head was that of an `EarlyAnswer`. */
  readonly trailers: (isEarly: boolean) => Record<string, string> | undefined
}

/** A stream that may take long to begin: after `afterMs` without a response its head is sent. */
export interface EarlyAnswer {
  readonly kind: "early"
  readonly afterMs: number
  /** Completes when the headers are known. */
  readonly headers: Effect.Effect<AnswerHeaders>
  /** The names of its trailers if the head is sent early. */
  readonly announced: string
  readonly answer: Effect.Effect<WholeAnswer | EventAnswer, EndpointError, Scope.Scope>
}

export const json = (body: unknown): JsonAnswer => ({
  kind: "json",
  status: 200,
  headers: {},
  text: JSON.stringify(body)
})
