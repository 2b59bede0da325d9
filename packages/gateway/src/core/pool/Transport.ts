/** Sends bytes to an upstream. The live layer keeps HTTP pools for each origin; tests and the demo vendor answer in process. */
import { type Array, Context, type Effect, type Pull, Schema, type Scope } from "effect"
import type { HeldBytes } from "../limits/BytesInFlight.ts"
import type { UpstreamConnection } from "../domain/Connection.ts"
import type { CallTimeouts } from "../domain/Deployment.ts"

/**
 * There was no usable answer. `refused`: no connection, also after name and TLS errors. `reset`: the connection broke before the
 * answer began; `cut`: after that. `connect_timeout` and `first_byte_timeout`: the deployment's `connect` or `firstToken` ran out.
 * `idle_timeout`: nothing came for `idle`. `total_timeout`: the whole call took longer than `total`. `too_large`: the body is over 64 MiB, or
 * over `largestAnswer`. `no_room`: `held` has no room for it.
 * `full`: the address has as many concurrent calls as allowed, so nothing was sent.
 */
export class TransportFailure extends Schema.TaggedError<TransportFailure>()("TransportFailure", {
  kind: Schema.Literals([
    "refused",
    "reset",
    "cut",
    "connect_timeout",
    "first_byte_timeout",
    "idle_timeout",
    "total_timeout",
    "too_large",
    "no_room",
    "full"
  ]),
  message: Schema.String
}) {}

/** A body that is read while it is sent: files of a form. Another attempt reads it again. */
export interface PiecedBody {
  /** Bytes. */
  readonly length: number
  readonly pieces: () => AsyncIterable<Uint8Array>
}

export type UpstreamBody = string | Uint8Array | PiecedBody

export interface UpstreamRequest {
  /** Origin and base path, no trailing slash, e.g. `https://api.openai.com/v1`, or `demo:` for the built-in vendor. */
  readonly baseUrl: string
  /** Starts with `/`. */
  readonly path: string
  /** Left out: POST. A GET has no body. */
  readonly method?: "GET"
  readonly headers: { readonly [name: string]: string }
  readonly body: UpstreamBody
  readonly timeouts: CallTimeouts
  /** Bytes of the largest complete response that is read. Left out: 64 MiB. */
  readonly largestAnswer?: number | undefined
  /** Where a complete response takes room as it arrives, and gives it back if it fails. */
  readonly held?: Pick<HeldBytes, "answered" | "unanswered"> | undefined
  /** The most concurrent calls to the address, including this one. */
  readonly maxConnections?: number | undefined
  /** Proxy and certificates. Left out: those of the system. */
  readonly connection?: UpstreamConnection | undefined
}

/** The calls to one address: those sent or being answered, and those that wait for a connection. */
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
  /** The same undecoded; left out where the response is only known as text. */
  readonly bytes?: Uint8Array
}

/** The body as it arrives. Closing the call's Scope closes the connection. */
export interface OpenResponse extends UpstreamHead {
  readonly chunks: Pull.Pull<Array.NonEmptyReadonlyArray<Uint8Array>, TransportFailure>
}

/** The transport for what a provider's authentication calls: those calls go the way of the provider's own. */
export const transportBy = (
  connection: UpstreamConnection | undefined,
  transport: Transport["Service"]
): Transport["Service"] =>
  connection === undefined
    ? transport
    : {
        whole: (request) => transport.whole({ ...request, connection }),
        open: (request) => transport.open({ ...request, connection }),
        load: transport.load
      }

export class Transport extends Context.Service<
  Transport,
  {
    /** Sends the request and reads the complete response. Interruption closes the connection. */
    readonly whole: (request: UpstreamRequest) => Effect.Effect<WholeResponse, TransportFailure>
    /** Sends the request and returns as soon as the head is there. */
    readonly open: (request: UpstreamRequest) => Effect.Effect<OpenResponse, TransportFailure, Scope.Scope>
    /** The concurrent calls to the address of a base URL. */
    readonly load: (baseUrl: string) => UpstreamLoad
  }
>()("gateway/core/Transport") {}
