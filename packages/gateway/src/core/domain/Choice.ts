/** What a request says about the providers that may serve it, in OpenRouter's fields. It narrows and orders what its key may use. */
import type { JsonObject } from "./Json.ts"

/** Tags that a deployment must have. A deployment without a tag does not have it. */
export interface Requirement {
  /** One of these. Left out: any. */
  readonly region?: ReadonlyArray<string> | undefined
  /** Zero data retention. */
  readonly zdr?: boolean | undefined
}

export const NO_REQUIREMENT: Requirement = {}

export const sorts = ["price", "throughput", "latency"] as const
export type Sort = (typeof sorts)[number]

/** USD per million tokens, per request or per image. */
export const maxPriceKinds = ["prompt", "completion", "request", "image", "audio"] as const
export type MaxPrice = { readonly [Kind in (typeof maxPriceKinds)[number]]?: number }

export interface Choice {
  /** Further model names, tried in this order after `model`. */
  readonly models: ReadonlyArray<string>
  /** Slugs in lower case: the name of a provider, its vendor, or the id of a deployment. */
  readonly order: ReadonlyArray<string> | undefined
  readonly only: ReadonlyArray<string> | undefined
  readonly ignore: ReadonlyArray<string>
  readonly allowFallbacks: boolean
  readonly sort: Sort | undefined
  readonly maxPrice: MaxPrice | undefined
  readonly requireParameters: boolean
  readonly zdr: boolean
  /** Fields that only OpenRouter can honour. */
  readonly foreign: ReadonlyArray<string>
  /** Fields that only OpenRouter follows, and that exclude nothing. */
  readonly wishes: ReadonlyArray<string>
  /** `provider` as the caller sent it, for OpenRouter. */
  readonly provider: JsonObject | undefined
  /** When the request came, epoch milliseconds: prices change. */
  readonly at: number
  /** The most tokens of input; undefined: nobody knows. */
  readonly mostInput: number | undefined
  /** Slugs of `order` and `only` that mean nothing here. They may be hosts that OpenRouter knows. */
  readonly hosts?: ReadonlyArray<string>
}
