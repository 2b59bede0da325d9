/**
 * The contract between the rules and the vendors: what a protocol does to a call on its way out and to the answer on its
 * way back. Protocols are pure; `Transport` moves the bytes.
 */
import type { Result } from "effect"
import type { Framing, WireEvent } from "./Framing.ts"
import type { OperationName } from "../operations/OperationName.ts"
import type { LiftedAnswer, StreamEvent } from "../operations/LiftedAnswer.ts"
import type { ChatRequest } from "../operations/ChatRequest.ts"
import type { Deployment, ProtocolName } from "../domain/Deployment.ts"
import type { ProviderFailure, Unsupported } from "../domain/Failures.ts"

/** One call: the caller's request aimed at one deployment. */
export interface ChatCall {
  readonly operation: OperationName
  readonly request: ChatRequest
  readonly deployment: Deployment
  /** Output tokens to ask for: the caller's own, or one the budget has room for; undefined leaves it to the provider. */
  readonly maxOutput: number | undefined
  /** The service tier to ask for in place of the caller's; left out: as the caller said. */
  readonly serviceTier?: string | undefined
  /** Fail with `Unsupported` instead of dropping a parameter the provider can't take. */
  readonly strict: boolean
  /** When the call was made, epoch milliseconds: protocols have no clock, and answers need a `created`. */
  readonly now: number
  /** The id of the caller's key. */
  readonly callerId?: string | undefined
  /** Takes who is to be told when the caller leaves, though the call goes on. */
  readonly onLeave?: ((listener: () => void) => void) | undefined
  /** Indices of the provider's keys that failed for this request: another one is used. */
  readonly triedKeys?: ReadonlyArray<number> | undefined
}

/** The upstream's HTTP request. `path` is appended to the deployment's base URL; authentication is added by the vendor. */
export interface WireRequest {
  readonly path: string
  readonly headers: { readonly [name: string]: string }
  readonly body: string
  /** Makes the bytes to send of `body`, where long strings are left out of it. */
  readonly splice?: (json: string) => Uint8Array
  /** Names of the caller's parameters that this provider can't take and that were left out. */
  readonly dropped: ReadonlyArray<string>
}

/** The state machine of one streamed answer. */
export interface StreamLifter {
  readonly push: (event: WireEvent) => ReadonlyArray<StreamEvent>
  /** The upstream closed. What is still to be said (a held usage chunk …); never an invented finish or end mark. */
  readonly end: () => ReadonlyArray<StreamEvent>
}

/** How one operation is spoken. Every folder of this shape has the same files: request, answer, stream, usage, errors. */
export interface Dialect {
  readonly lower: (call: ChatCall) => Result.Result<WireRequest, Unsupported>
  /** The text of a 2xx body; a body that is no answer (HTML, error object, empty) is a failure. */
  readonly lift: (text: string, call: ChatCall) => Result.Result<LiftedAnswer, ProviderFailure>
  readonly stream: (call: ChatCall) => StreamLifter
}

/** How one API speaks. */
export interface Protocol {
  readonly name: ProtocolName
  /** The operations that it has natively. */
  readonly speaks: ReadonlyMap<OperationName, Dialect>
  /** How its streams are cut into events. */
  readonly framing: Framing
  /** Any other status. `headers` are in lower case. */
  readonly failure: (answer: {
    readonly status: number
    readonly headers: { readonly [name: string]: string | undefined }
    readonly text: string
  }) => ProviderFailure
}
