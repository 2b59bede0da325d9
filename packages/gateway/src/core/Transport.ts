/** How bytes reach an upstream. The live layer keeps one HTTP pool per origin; tests and the demo vendor answer in process. */
import { Context, Schema, type Effect, type Scope, type Stream } from "effect"
import type { Timeouts } from "./Deployment.ts"

/**
 * No usable answer came. `refused`: no connection (also name and TLS errors). `reset`: the connection broke before an answer
 * began, `cut`: after that. `connect_timeout`,
 * `first_byte_timeout`: the deployment's `connect` and `firstToken` ran out; `idle_timeout`: nothing for `idle`, or the whole call
 * took longer than `total`. `too_large`: the body exceeded the bound (64 MiB).
 */
export class TransportFailure extends Schema.TaggedError<TransportFailure>()("TransportFailure", {
  kind: Schema.Literals([
    "refused",
    "reset",
    "cut",
    "connect_timeout",
    "first_byte_timeout",
    "idle_timeout",
    "too_large"
  ]),
  message: Schema.String
}) {}

export interface UpstreamRequest {
  /** Origin and base path, no trailing slash, e.g. `https://api.openai.com/v1`, or `demo:` for the built-in vendor. */
  readonly baseUrl: string
  /** Starts with `/`. */
  readonly path: string
  readonly headers: { readonly [name: string]: string }
  readonly body: string | Uint8Array
  readonly timeouts: Timeouts
}

/** Header names are in lower case. */
export interface UpstreamHead {
  readonly status: number
  readonly headers: { readonly [name: string]: string | undefined }
}

export interface WholeResponse extends UpstreamHead {
  readonly text: string
}

/** The body as it arrives; closing the Scope of the call closes the connection. */
export interface OpenResponse extends UpstreamHead {
  readonly chunks: Stream.Stream<Uint8Array, TransportFailure>
}

export class Transport extends Context.Service<
  Transport,
  {
    /** POSTs and reads the whole answer. Interruption closes the connection. */
    readonly whole: (request: UpstreamRequest) => Effect.Effect<WholeResponse, TransportFailure>
    /** POSTs and answers as soon as the head is there. */
    readonly open: (request: UpstreamRequest) => Effect.Effect<OpenResponse, TransportFailure, Scope.Scope>
  }
>()("gateway/core/Transport") {}
