/** What a request brings to the gateway, and what it gets back. */
import type { Effect, Stream } from "effect"
import type { CallRequest } from "../operations/CallRequest.ts"
import type { Permit } from "../limits/Admitted.ts"
import type { HeldBytes } from "../limits/BytesInFlight.ts"
import type {
  BudgetExceeded,
  Exhausted,
  GuardrailDenied,
  GuardrailUnknown,
  InvalidField,
  RateLimited,
  RequestExceedsLimit,
  StoreUnavailable
} from "../domain/Errors.ts"
import type { ContentCapture } from "../receipts/ContentLog.ts"
import type { GuardedCall } from "../guardrails/GuardedCall.ts"
import type { Preference } from "../routing/CutPoints.ts"
import type { JsonObject } from "../domain/Json.ts"
import type { Usage } from "../domain/Usage.ts"
import type { BinaryAnswer } from "../operations/LiftedAnswer.ts"
import type { OperationStream } from "../operations/Operation.ts"
import type { CacheDirectives } from "@model-gateway/protocol"
import type { Departure } from "./Departure.ts"
import type { Caller } from "../keys/Caller.ts"
import type { ProviderFailure, Unsupported } from "../domain/Failures.ts"
import type { RoutingMetadata } from "../operations/RoutingMetadata.ts"
import type { RoutingError } from "../routing/RoutingError.ts"

export interface CallInput {
  readonly requestId: string
  readonly caller: Caller
  /** The path of its endpoint, in canonical spelling. */
  readonly endpoint: string
  readonly request: CallRequest
  /** The admission that was taken before the body was read (`Gateway.admit`). Left out: the call takes its own. */
  readonly permit?: Permit | undefined
  /** What the request holds of the bytes in flight. Left out: its response is not counted. */
  readonly held?: HeldBytes | undefined
  /** Ask one deployment, once. */
  readonly noFallback: boolean
  /** Refuse rather than drop a parameter that the provider can't take. */
  readonly strict: boolean
  /** `buffer`: hold a stream until it is complete, so that every fault can fail over. Undefined: as configured. */
  readonly streamRecovery: "cut" | "buffer" | undefined
  readonly sessionId?: string | undefined
  /** The conversation of one agent of the session, where it has several. */
  readonly threadId?: string | undefined
  /** The client's name, from a closed list. Left out: not determined. */
  readonly client?: string | undefined
  /** Whether `auto` leans to cost or quality. */
  readonly prefer?: Preference | undefined
  readonly tags: ReadonlyArray<string>
  /** What its headers say of the response cache. Left out: nothing. */
  readonly cache?: CacheDirectives | undefined
  /** Policies of guardrails that the request adds to those of its key. */
  readonly guardrails?: ReadonlyArray<string> | undefined
  /** Set by `Gateway.call` where a policy holds. */
  readonly guarded?: GuardedCall | undefined
  /** The most that may be logged of its content. */
  readonly contentLevel?: "none" | "metadata" | undefined
  /** Set by `Gateway.call` where content is logged. */
  readonly captured?: ContentCapture | undefined
  /** Headers of the caller for a provider whose own API was asked for. */
  readonly forward?: { readonly [name: string]: string } | undefined
  readonly traceParent?: string | undefined
  /** Signals that the client disconnected. Left out: interrupting the request ends it at once. */
  readonly departure?: Departure | undefined
  /** Called before each attempt at a stream. The report's cost is the upper bound that was reserved. */
  readonly attempting?: ((report: RoutingMetadata) => void) | undefined
  /**
   * Called with each complete response after it is recorded, before its end is sent. `masked`: the request as guardrails
   * changed it. False: there was no room for it. A failure breaks the response off.
   */
  readonly keep?:
    | ((
        answer: JsonObject,
        usage: Usage,
        report: RoutingMetadata,
        masked: CallRequest | undefined
      ) => Effect.Effect<boolean, StoreUnavailable>)
    | undefined
  /** The caller can ask for the response again, so one that was paid for is given even if the client has disconnected. */
  readonly isRepeatable?: boolean | undefined
  /** Called when the request is interrupted: whether the client disconnected. Left out: it did. */
  readonly isCallerGone?: () => boolean
}

export type Answer =
  | {
      readonly kind: "whole"
      /** A text is JSON. */
      readonly content: string | BinaryAnswer
      readonly report: RoutingMetadata
    }
  | {
      readonly kind: "stream"
      /** Server-sent events, ready to write. It ends after the settlement is on disk. */
      readonly events: Stream.Stream<string, ProviderFailure | StoreUnavailable>
      /** Its cost is the upper bound that was reserved. */
      readonly report: RoutingMetadata
      /** The report with the exact cost, once the stream has ended well. */
      readonly settled: () => RoutingMetadata | undefined
      /** The text that ends it where it broke off; left out: one error event. */
      readonly broken?: OperationStream["broken"]
    }

export type GatewayError =
  | GuardrailDenied
  | GuardrailUnknown
  | InvalidField
  | RateLimited
  | RequestExceedsLimit
  | RoutingError
  | BudgetExceeded
  | ProviderFailure
  | Unsupported
  | Exhausted
  | StoreUnavailable
