/** Made from openapi.json by `npm run openapi`: change the description there, not this file. */
import type { RouteFeature, ShadowDecision } from "./Receipts.ts"

/** What would be done with a request, and why. Nobody is called, nothing is booked, nothing is remembered. */
export interface RouteExplanation {
  readonly object: "route.explanation"
  readonly endpoint: string
  readonly requested_model: string
  /** The prompt's, by its score; `none` for embeddings. */
  readonly bucket: string
  /** The prompt's rank in the reference mix, 0 to 1: 0.7 means that 30 % of the mix needs a strong model more. */
  readonly score: number
  /** Where each bucket ends and the next begins, as `prefer` moved them. */
  readonly cut_points: ReadonlyArray<number>
  readonly prefer: "cost" | "quality" | null
  /** What weighed most, strongest first. */
  readonly features: ReadonlyArray<RouteFeature>
  /** What would be done now; null: the request would be refused. */
  readonly decision: {
    readonly provider: string
    readonly model: string
    readonly deployment: string
    /** `none` where the caller names the model. */
    readonly bucket: string
    /** 0 when no score decides. */
    readonly score: number
    readonly reasons: ReadonlyArray<string>
  } | null
  /** The error that the caller would get. */
  readonly refusal: {
    readonly status: number
    readonly type: string
    readonly code: string
    readonly message: string
  } | null
  /** By bucket, lowest first. */
  readonly candidates: ReadonlyArray<RouteCandidate>
  readonly expected_cost: {
    /** At the deployment that is tried first; null: nobody knows. */
    readonly usd: number | null
    readonly input_tokens: number
    readonly output_tokens: number
    readonly assumption: string
  }
  readonly shadow: ShadowDecision | null
  readonly model: RouterModel
}

export interface RouterModel {
  readonly name: string
  /** Of its training, `YYYY-MM-DD`. */
  readonly date: string
  /** null: the model that ships. */
  readonly file: string | null
  /** RFC 3339 in UTC. */
  readonly loaded_at: string
  /** The file holds something else by now that can't be used; the model before it goes on. */
  readonly refused: {
    /** RFC 3339 in UTC. */
    readonly at: string
    readonly message: string
  } | null
}

/** A deployment, and what becomes of it. */
export interface RouteCandidate {
  readonly deployment: string
  readonly provider: string
  readonly model: string
  /** null: no bucket was asked for. A deployment in several buckets is listed in each. */
  readonly bucket: string | null
  /** `chosen`: it is tried first. `spare`: it is tried when those before it failed. `unhealthy`: it is tried last, since its circuit is open, it is full or it asked for a pause. `filtered`: it can't serve this request. `lower_bucket`: it is in a bucket below the prompt's, which is never used. `not_needed`: it could, and is not tried. */
  readonly fate: "chosen" | "spare" | "unhealthy" | "filtered" | "lower_bucket" | "not_needed"
  /** Its place among those that are tried, from 1; null: it is not. */
  readonly place: number | null
  /** Why it is filtered. */
  readonly why: string | null
  /** null: nobody knows its price. */
  readonly expected_cost_usd: number | null
}

export interface RouteQuestion {
  /** The body as it would be sent to the endpoint. Without `model` it asks for `auto`. */
  readonly request: { readonly [field: string]: unknown }
  /** Default: `/v1/chat/completions`. */
  readonly endpoint?:
    | "/v1/chat/completions"
    | "/v1/messages"
    | "/v1/responses"
    | "/v1/completions"
    | "/v1/embeddings"
    | undefined
  /** The id of the virtual key whose rights apply. Default: every deployment is allowed. */
  readonly key?: string | undefined
  /** As `X-Gateway-Route-Prefer`. */
  readonly prefer?: "cost" | "quality" | undefined
  /** As `X-Gateway-Session-Id`; with `key`. */
  readonly session_id?: string | undefined
}
