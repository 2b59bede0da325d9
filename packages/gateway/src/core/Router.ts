/** Which deployments may serve a request, in the order they are tried. */
import { Context, type Effect } from "effect"
import type { ChatRequest } from "./ChatRequest.ts"
import type { Deployment } from "./Deployment.ts"
import type { ModelNotAllowed, ModelNotFound, NoCapableDeployment, OutOfRotation, PriceUnknown } from "./Errors.ts"
import type { Caller } from "./KeyStore.ts"

export interface Decision {
  /** At least one; the first is tried first. */
  readonly candidates: ReadonlyArray<Deployment>
  /** The classifier's bucket for `auto`; `none` when the caller named the model. */
  readonly bucket: string
  /** 0 to 1; 0 when the caller named the model. */
  readonly score: number
  /** Why: the classifier's reasons, and what was left out. */
  readonly reasons: ReadonlyArray<string>
}

/** A model name that a key may use, as `GET /v1/models` lists it. */
export interface ModelEntry {
  readonly id: string
  readonly kind: "auto" | "alias" | "deployment"
  /** In order; for `auto` every deployment of every bucket. */
  readonly deployments: ReadonlyArray<Deployment>
  readonly bucket: string | null
}

export type RoutingError = ModelNotFound | ModelNotAllowed | NoCapableDeployment | OutOfRotation | PriceUnknown

export class Router extends Context.Service<
  Router,
  {
    readonly decide: (request: ChatRequest, caller: Caller) => Effect.Effect<Decision, RoutingError>
    /** Everything this caller may name, `auto` first. */
    readonly models: (caller: Caller) => ReadonlyArray<ModelEntry>
    /** The names of the buckets that a deployment serves. */
    readonly bucketsOf: (deploymentId: string) => ReadonlyArray<string>
  }
>()("gateway/core/Router") {}
