/**
 * An endpoint of the proxy as a value: what it is asked with, and what it answers. Nothing here knows `node:http`; paths, credentials,
 * draining, error bodies and the headers of every answer are the business of `Proxy.ts`, which is around all of them.
 */
import type { Effect, Scope, Stream } from "effect"
import type { Departure } from "../../core/call/Departure.ts"
import type { Caller } from "../../core/keys/Caller.ts"
import type { BodyTooLarge, InvalidJson } from "../HttpErrors.ts"
import type { GatewayError } from "../WireError.ts"

export interface Endpoint {
  /** `HEAD` goes with `GET`. */
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE"
  /** Begins with `/v1/` and has at most one parameter, which may hold slashes: `/v1/models/{id}`. */
  readonly path: string
  /** What it needs lives until the answer is out: closing the Scope ends it. */
  readonly handle: (request: WireRequest, caller: Caller) => Effect.Effect<WireAnswer, GatewayError, Scope.Scope>
}

/** What endpoints are configured with. */
export interface EndpointOptions {
  readonly maxBodyBytes: number
  /** Milliseconds until a stream that was not answered gets its head; undefined: it waits. */
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

export interface WireRequest {
  readonly method: string
  /** Path and query as they came. */
  readonly target: string
  /** What stands for the path's parameter, decoded. */
  readonly params: { readonly [name: string]: string }
  readonly headers: RequestHeaders
  readonly remoteAddress: string | undefined
  /** Its name in the books. */
  readonly requestId: string
  /** What goes back as `x-request-id`. */
  readonly echoedId: string
  /** Told when the caller leaves before its answer is whole. */
  readonly departure: Departure
  /** The caller has left. */
  readonly isGone: () => boolean
  /** The whole body, once. JSON is read by `readJson`. */
  readonly bytes: (maxBytes: number) => Effect.Effect<Buffer, BodyTooLarge | InvalidJson>
}

/** Names in lower case. Whoever writes the answer adds to them. */
export type AnswerHeaders = Record<string, string | number>

export type WireAnswer = WholeAnswer | EventAnswer | EarlyAnswer

export type WholeAnswer = JsonAnswer | BytesAnswer

export interface JsonAnswer {
  readonly kind: "json"
  readonly status: number
  readonly headers: AnswerHeaders
  readonly text: string
}

export interface BytesAnswer {
  readonly kind: "bytes"
  readonly status: number
  /** Its `content-type` among them. */
  readonly headers: AnswerHeaders
  readonly bytes: Uint8Array
}

/** Server-sent events. */
export interface EventAnswer {
  readonly kind: "stream"
  readonly headers: AnswerHeaders
  /** Ready to write. What it fails with becomes its last event. */
  readonly events: Stream.Stream<string, GatewayError>
  /** The names of its trailers, joined by commas. */
  readonly announced: string
  /** Asked once after the last event. `isEarly`: the head was that of an `EarlyAnswer`. */
  readonly trailers: (isEarly: boolean) => Record<string, string> | undefined
}

/** A stream that may be long in coming: without an answer after `afterMs` the head goes out all the same. */
export interface EarlyAnswer {
  readonly kind: "early"
  readonly afterMs: number
  /** Completes when there is something to say. */
  readonly headers: Effect.Effect<AnswerHeaders>
  /** The names of its trailers, if the head goes out early. */
  readonly announced: string
  readonly answer: Effect.Effect<WholeAnswer | EventAnswer, GatewayError, Scope.Scope>
}

/** `body` as JSON. */
export const json = (body: unknown): JsonAnswer => ({
  kind: "json",
  status: 200,
  headers: {},
  text: JSON.stringify(body)
})
