/** The deployments: calls to their providers, their health, and their rotation. Each consumer takes the part that it uses. */
import { type Array, Context, type Effect, type Pull, type Scope } from "effect"
import type { NewAuditEntry } from "../domain/AuditRepository.ts"
import type { Deployment } from "../domain/Deployment.ts"
import type { NotFound, StoreUnavailable } from "../domain/Errors.ts"
import type { HealthReport } from "./Health.ts"
import type { KeyReport } from "./KeyPool.ts"
import type { LiftedAnswer, StreamEvent } from "../operations/LiftedAnswer.ts"
import type { OperationName } from "../domain/OperationName.ts"
import type { UpstreamCall } from "./Protocol.ts"
import type { ProviderFailure, Unsupported } from "../domain/Failures.ts"
import type { UpstreamLoad } from "./Transport.ts"

/** A complete response. `dropped`: the caller's parameters that this provider does not support. */
export interface Completion extends LiftedAnswer {
  readonly dropped: ReadonlyArray<string>
}

/** A streamed response. Events that arrived in one piece are passed on in one piece. */
export interface CompletionStream {
  readonly events: Pull.Pull<Array.NonEmptyReadonlyArray<StreamEvent>, ProviderFailure>
  readonly dropped: ReadonlyArray<string>
  /** Run `started` at the first content (returns epoch ms), and `ended` at the end. They decide the health. */
  readonly started: Effect.Effect<number>
  readonly ended: (failure: ProviderFailure | undefined) => Effect.Effect<void>
}

export interface ProviderCalls {
  readonly complete: (call: UpstreamCall) => Effect.Effect<Completion, ProviderFailure | Unsupported>
  /** The connection stays open until the Scope closes. Closing a stream early does not count in the health. */
  readonly stream: (call: UpstreamCall) => Effect.Effect<CompletionStream, ProviderFailure | Unsupported, Scope.Scope>
}

/** What routing and failover need to know of a deployment, by its ID. `now`: epoch milliseconds. */
export interface DeploymentHealth {
  /** What it can be asked for. */
  readonly operations: (deployment: Deployment) => ReadonlySet<OperationName>
  /** Whether new calls may go to the deployment. */
  readonly isInRotation: (id: string) => boolean
  /** Whether a call now is worthwhile: the circuit lets it through, there is room, and a key is usable. */
  readonly isReady: (id: string, now: number) => boolean
  /** Why it is not ready, in words: the circuit, the keys or the calls in flight. */
  readonly whyNotReady: (id: string, now: number) => string
  /** Whether the deployment has no known problem: its circuit is closed, its last call succeeded, and there is room. */
  readonly isHealthy: (id: string, now: number) => boolean
  /** Whether its provider has a usable key other than these (by index). */
  readonly hasOtherKey: (id: string, now: number, tried: ReadonlyArray<number>) => boolean
  readonly inFlight: (id: string) => number
  /** The concurrent calls to its provider's address, those to other deployments there included. */
  readonly load: (id: string) => UpstreamLoad
  /** Milliseconds, a peak EWMA; 0 while nothing is known. */
  readonly expectedFirstToken: (id: string, now: number) => number
  /** Recent tokens per second after the first token. Infinity: unknown, and no call is under way; 0 while one is. */
  readonly throughput: (id: string, now: number) => number
  /** Tokens per second of one choice: the fastest generation so far. */
  readonly outputRate: (id: string) => number
}

export interface DeploymentStatus {
  readonly deployment: Deployment
  readonly inRotation: boolean
  readonly health: HealthReport
  readonly inFlight: number
  /** The provider's keys in configured order; empty where there are none. */
  readonly keys: ReadonlyArray<KeyReport>
}

export interface Rotation {
  readonly status: Effect.Effect<ReadonlyArray<DeploymentStatus>>
  /** Enables or disables deployments, all or none; survives restarts. Returns each status in the given order. */
  readonly setRotation: (
    ids: ReadonlyArray<string>,
    inRotation: boolean,
    entries?: ReadonlyArray<NewAuditEntry>
  ) => Effect.Effect<ReadonlyArray<DeploymentStatus>, NotFound | StoreUnavailable>
  /** Closes their circuits, all or none. Returns each status in the given order. */
  readonly reset: (
    ids: ReadonlyArray<string>
  ) => Effect.Effect<ReadonlyArray<DeploymentStatus>, NotFound | StoreUnavailable>
}

export class ProviderPool extends Context.Service<ProviderPool, ProviderCalls & DeploymentHealth & Rotation>()(
  "gateway/core/ProviderPool"
) {}
