/** How a protocol encodes a call and decodes its response. Protocols are pure; `Transport` moves the bytes. */
import type { Effect, Result } from "effect"
import type { Framing, WireEvent } from "./Framing.ts"
import type { OperationName } from "../domain/OperationName.ts"
import type { PiecedBody } from "./Transport.ts"
import type { LiftedAnswer, BinaryAnswer, StreamEvent } from "../operations/LiftedAnswer.ts"
import type { HeldBytes } from "../limits/BytesInFlight.ts"
import type { CallRequest } from "../operations/CallRequest.ts"
import type { Deployment, ProtocolName } from "../domain/Deployment.ts"
import type { ProviderFailure, Unsupported } from "../domain/Failures.ts"

/** What a dialect reads and writes. */
export type { LiftedAnswer, StreamEvent, WireEvent }

export interface UpstreamCall {
  readonly operation: OperationName
  readonly request: CallRequest
  readonly deployment: Deployment
  /** The output limit to send: the caller's, or the one that the budget has room for; undefined leaves it to the provider. */
  readonly maxOutput: number | undefined
  /** The service tier to ask for in place of the caller's; left out: the caller's. */
  readonly serviceTier?: string | undefined
  /** Fail with `Unsupported` instead of dropping a parameter that the provider does not support. */
  readonly strict: boolean
  /** When the call was made, epoch milliseconds: protocols have no clock, and answers need a `created`. */
  readonly now: number
  readonly callerId?: string | undefined
  /** What the call may cost is limited. */
  readonly hasBudget?: boolean
  /** Registers a listener for the caller leaving while the call goes on. */
  readonly onLeave?: ((listener: () => void) => void) | undefined
  /** Headers of the caller that a dialect of the API they belong to passes on. Names are in lower case. */
  readonly forward?: { readonly [name: string]: string } | undefined
  readonly dropped?: ReadonlyArray<string> | undefined
  /** The operation to ask the provider for, as it said when it refused the usual one. */
  readonly instead?: OperationName | undefined
  /** Indices of the provider's keys that failed for this request: a different one is used. */
  readonly triedKeys?: ReadonlyArray<number> | undefined
  /** Names the account of the provider's key that is used, where it has several keys: seals name it too. */
  readonly account?: string | undefined
  /** The second attempt: without what the provider could not verify in the history. */
  readonly portable?: boolean | undefined
  /** Where a complete response takes room as it arrives. */
  readonly held?: Pick<HeldBytes, "answered" | "unanswered"> | undefined
}

/** The HTTP request to the upstream. `path` follows the base URL; the vendor adds the authentication. */
export interface WireRequest {
  /** Left out: the deployment's. */
  readonly baseUrl?: string
  readonly path: string
  readonly headers: { readonly [name: string]: string }
  readonly body: string
  /** Sent in place of `body`: a form with files. */
  readonly form?: PiecedBody
  /** Encodes `body` as bytes with its long strings put back, where it has marks for them. */
  readonly splice?: ((json: string) => Uint8Array) | undefined
  /** The caller's parameters that were dropped because this provider does not support them. */
  readonly dropped: ReadonlyArray<string>
}

/** The state machine of one streamed response. */
export interface StreamLifter {
  push(event: WireEvent): ReadonlyArray<StreamEvent>
  /** The upstream closed the stream. Returns events still due, never an invented finish. */
  end(): ReadonlyArray<StreamEvent>
}

/** What a response only gives addresses of, and the response with the contents in their place. */
export interface RemoteContents {
  readonly urls: ReadonlyArray<string>
  /** Bytes of one of them, at most. */
  readonly largest: number
  readonly accepts: (mediaType: string) => boolean
  readonly placed: (contents: ReadonlyArray<Uint8Array>) => LiftedAnswer
}

/** How a protocol speaks one operation. One that is never streamed has no `stream`. */
export interface Dialect {
  readonly lower: (call: UpstreamCall) => Result.Result<WireRequest, Unsupported>
  /** Decodes the text of a 2xx body. A body without a response (HTML, an error object, nothing) is a failure. */
  readonly lift: (text: string, call: UpstreamCall) => Result.Result<LiftedAnswer, ProviderFailure>
  /** For answers that are not text, in place of `lift`. */
  readonly liftRaw?: (answer: BinaryAnswer, call: UpstreamCall) => Result.Result<LiftedAnswer, ProviderFailure>
  /** What must be fetched for a complete response before the caller gets it; undefined: nothing. */
  readonly remote?: (answer: LiftedAnswer, call: UpstreamCall) => RemoteContents | undefined
  readonly stream: (call: UpstreamCall) => StreamLifter
  /** The events of a complete response, for providers that response a stream request with one. Left out: that is a failure. */
  readonly replay?: (answer: LiftedAnswer, call: UpstreamCall) => ReadonlyArray<StreamEvent>
  /** Answers without asking the provider. */
  readonly here?: (call: UpstreamCall) => Effect.Effect<LiftedAnswer>
  /** Errors of an endpoint that speaks another protocol than the deployment. */
  readonly failure?: Protocol["failure"]
  /** What the provider is asked for, where that is another operation than the caller's. */
  readonly spoken?: OperationName
  /** How ids of responses begin, where clients need them to be unique and some servers repeat theirs. */
  readonly idPrefix?: string
}

export interface Protocol {
  readonly name: ProtocolName
  /** The operations that it supports natively. */
  readonly speaks: ReadonlyMap<OperationName, Dialect>
  /** How its streams are split into events. */
  readonly framing: Framing
  /** The failure for any other status. Header names are in lower case. */
  readonly failure: (answer: {
    readonly status: number
    readonly headers: { readonly [name: string]: string | undefined }
    readonly text: string
  }) => ProviderFailure
}
