/** What a request comes to the gateway with, and how it ends. */
import type { Stream } from "effect"
import type { ChatRequest } from "../operations/ChatRequest.ts"
import type { BudgetExceeded, Exhausted, RateLimited, StoreUnavailable } from "../domain/Errors.ts"
import type { Preference } from "../routing/CutPoints.ts"
import type { Departure } from "./Departure.ts"
import type { Caller } from "../keys/Caller.ts"
import type { ProviderFailure, Unsupported } from "../domain/Failures.ts"
import type { RoutingMetadata } from "../operations/RoutingMetadata.ts"
import type { RoutingError } from "../routing/RoutingError.ts"

export interface ChatInput {
  readonly requestId: string
  readonly caller: Caller
  /** The path it came in by, in its usual spelling. */
  readonly endpoint: string
  readonly request: ChatRequest
  /** Ask one deployment, once. */
  readonly noFallback: boolean
  /** Refuse rather than drop a parameter that the provider can't take. */
  readonly strict: boolean
  /** `buffer`: hold a stream until it is whole, so that every fault can fail over. Undefined: as configured. */
  readonly streamRecovery: "cut" | "buffer" | undefined
  /** What the caller names its session. */
  readonly sessionId?: string | undefined
  /** Which way `auto` may lean. */
  readonly prefer?: Preference | undefined
  readonly tags: ReadonlyArray<string>
  /** The caller's `traceparent`, for the receipt. */
  readonly traceParent?: string | undefined
  /** Told when the caller leaves; without it, whoever interrupts the request ends it at once. */
  readonly departure?: Departure | undefined
  /** Told of each attempt at a stream before it is made; its cost is the upper bound that was reserved. */
  readonly attempting?: ((report: RoutingMetadata) => void) | undefined
  /** Asked when the request is interrupted: whether its caller left. It did, unless this says otherwise. */
  readonly isCallerGone?: () => boolean
}

export type Answer =
  | {
      readonly kind: "whole"
      /** JSON. */
      readonly text: string
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
    }

export type GatewayError =
  | RateLimited
  | RoutingError
  | BudgetExceeded
  | ProviderFailure
  | Unsupported
  | Exhausted
  | StoreUnavailable
