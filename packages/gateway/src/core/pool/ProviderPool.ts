/** The deployments: which there are, which are in rotation, how they fare, and how they are called. */
import { Context, type Effect, type Scope, type Stream } from "effect"
import type { Deployment } from "../domain/Deployment.ts"
import type { NotFound, StoreUnavailable } from "../domain/Errors.ts"
import type { HealthReport } from "./Health.ts"
import type { KeyReport } from "./KeyPool.ts"
import type { LiftedAnswer, StreamEvent } from "../operations/LiftedAnswer.ts"
import type { OperationName } from "../operations/OperationName.ts"
import type { ChatCall } from "./Protocol.ts"
import type { ProviderFailure, Unsupported } from "../domain/Failures.ts"
import type { UpstreamLoad } from "./Transport.ts"

/** A whole completion. `dropped`: the caller's parameters that this provider can't take. */
export interface Completion extends LiftedAnswer {
  readonly dropped: ReadonlyArray<string>
}

/** A completion as it arrives. The stream's chunks are the network's: events that came together go on together. */
export interface CompletionStream {
  readonly events: Stream.Stream<StreamEvent, ProviderFailure>
  readonly dropped: ReadonlyArray<string>
  /**
   * To be called at the first content (when that was, epoch ms), and at the end with what went wrong, if anything did: this decides
   * the health.
   */
  readonly started: Effect.Effect<number>
  readonly ended: (failure: ProviderFailure | undefined) => Effect.Effect<void>
}

export interface DeploymentStatus {
  readonly deployment: Deployment
  readonly inRotation: boolean
  readonly health: HealthReport
  readonly inFlight: number
  /** Its provider's keys, in the order of the configuration; empty where there are none. */
  readonly keys: ReadonlyArray<KeyReport>
}

export class ProviderPool extends Context.Service<
  ProviderPool,
  {
    readonly status: Effect.Effect<ReadonlyArray<DeploymentStatus>>
    /** All or nothing; lasts over restarts. The status of each, in the order given. */
    readonly setRotation: (
      ids: ReadonlyArray<string>,
      inRotation: boolean
    ) => Effect.Effect<ReadonlyArray<DeploymentStatus>, NotFound | StoreUnavailable>
    /** What it can be asked for. */
    readonly operations: (id: string) => ReadonlySet<OperationName>
    /** Whether new calls may go to it. */
    readonly isInRotation: (id: string) => boolean
    /** Whether it is worth a call now: its circuit lets calls through, it is not full, and a key of its provider may be used. */
    readonly isReady: (id: string, now: number) => boolean
    /** Whether nothing speaks against a call now: its circuit is closed, its last call went well, and it has room. */
    readonly isHealthy: (id: string, now: number) => boolean
    /** Whether its provider has a key that may be used now, besides those (by index). */
    readonly hasOtherKey: (id: string, now: number, tried: ReadonlyArray<number>) => boolean
    readonly inFlight: (id: string) => number
    /** The calls under way to the address of its provider, those to other deployments there included. */
    readonly load: (id: string) => UpstreamLoad
    /** Milliseconds, a peak EWMA; 0 while nothing is known. */
    readonly expectedFirstToken: (id: string, now: number) => number
    /** Tokens a second of one choice: the fastest that its answers were seen to be generated. */
    readonly outputRate: (id: string) => number
    readonly complete: (call: ChatCall) => Effect.Effect<Completion, ProviderFailure | Unsupported>
    /** The connection stays open until the Scope closes. A stream that closes before it ended says nothing about the health. */
    readonly stream: (call: ChatCall) => Effect.Effect<CompletionStream, ProviderFailure | Unsupported, Scope.Scope>
  }
>()("gateway/core/ProviderPool") {}
