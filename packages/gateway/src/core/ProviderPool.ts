/** The deployments: which there are, which are in rotation, how they fare, and how they are called. */
import { Context, type Effect, type Scope, type Stream } from "effect"
import type { JsonObject } from "./ChatRequest.ts"
import type { Deployment } from "./Deployment.ts"
import type { NotFound } from "./Errors.ts"
import type { HealthReport } from "./Health.ts"
import type { ChatCall, ProviderFailure, StreamEvent, Unsupported } from "./Provider.ts"
import type { StoreUnavailable } from "./Store.ts"
import type { Usage } from "./Usage.ts"

/** What came back: a whole completion, or its events as they arrive (one array per network chunk). */
export type ProviderAnswer =
  | {
      readonly kind: "whole"
      readonly body: JsonObject
      readonly usage: Usage | undefined
      readonly dropped: ReadonlyArray<string>
    }
  | {
      readonly kind: "stream"
      readonly events: Stream.Stream<ReadonlyArray<StreamEvent>, ProviderFailure>
      readonly dropped: ReadonlyArray<string>
    }

export interface DeploymentStatus {
  readonly deployment: Deployment
  readonly inRotation: boolean
  readonly health: HealthReport
  readonly inFlight: number
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
    /** Whether new calls may go to it. */
    readonly isInRotation: (id: string) => boolean
    readonly call: (call: ChatCall) => Effect.Effect<ProviderAnswer, ProviderFailure | Unsupported, Scope.Scope>
  }
>()("gateway/core/ProviderPool") {}
