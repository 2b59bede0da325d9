/** How bytes reach an upstream. The live layer keeps one HTTP pool per origin; tests and the demo vendor answer in process. */
import { Context, Schema, type Effect, type Scope, type Stream } from "effect"
import type { CallTimeouts } from "../domain/Deployment.ts"

/**
 * No usable answer came. `refused`: no connection (also name and TLS errors). `reset`: the connection broke before an answer
 * began, `cut`: after that. `connect_timeout`,
 * `first_byte_timeout`: the deployment's `connect` and `firstToken` ran out; `idle_timeout`: nothing for `idle`, or the whole call
 * took longer than `total`. `too_large`: the body exceeded the bound (64 MiB). `full`: as many calls as may be are under way to
 * that address; nothing was sent.
 */
export class TransportFailure extends Schema.TaggedError<TransportFailure>()("TransportFailure", {
  kind: Schema.Literals([
    "refused",
    "reset",
    "cut",
    "connect_timeout",
    "first_byte_timeout",
    "idle_timeout",
    "too_large",
    "full"
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
  readonly timeouts: CallTimeouts
  /** Calls that may be under way to the address at once, this one included. */
  readonly maxConnections?: number | undefined
}

/** The calls to one address: those whose request is on its way or being answered, and those that wait for a connection. */
export interface UpstreamLoad {
  readonly open: number
  readonly waiting: number
}

export const noLoad: UpstreamLoad = { open: 0, waiting: 0 }

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
    /** The calls under way to the address of a base URL. */
    readonly load: (baseUrl: string) => UpstreamLoad
  }
>()("gateway/core/Transport") {}
