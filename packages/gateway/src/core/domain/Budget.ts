/** What keys and teams may use: money budgets, and limits of requests and tokens. All times are epoch milliseconds. */
import type { CacheRules } from "@model-gateway/protocol"
import type { NanoUsd } from "./Money.ts"

export const windows = ["hour", "day", "week", "month", "total"] as const

export type Window = (typeof windows)[number]

export interface Budget {
  readonly limit: NanoUsd
  readonly window: Window
  /** IANA name, e.g. `UTC`, `Europe/Berlin`: where hour, day, week and month begin. */
  readonly timeZone: string
  /** What is added to the limit for a time. Left out: nothing. */
  readonly raises?: ReadonlyArray<BudgetRaise> | undefined
  /** Above this amount responses say so; nothing is refused. */
  readonly soft?: NanoUsd | undefined
}

/** It ends by the clock, without a job. */
export interface BudgetRaise {
  readonly add: NanoUsd
  /** Epoch ms, inclusive; 0: immediately. */
  readonly from: number
  /** Exclusive. */
  readonly until: number
  readonly reason: string
}

/** Requests per minute, tokens per minute, requests at once; undefined is unlimited. */
export interface Limits {
  readonly rpm: number | undefined
  readonly tpm: number | undefined
  readonly maxParallel: number | undefined
}

/** Limits and budgets of the requests to some models. Its spending is counted from when it was set. */
export interface ModelRule {
  /** Globs of `<provider>/<model>` or of a model's name, at least one. */
  readonly match: ReadonlyArray<string>
  readonly limits: Limits
  readonly budgets: ReadonlyArray<Budget>
}

/** Limits and budgets of each end user or session without a record of its own. */
export interface ScopeTemplate {
  readonly limits: Limits
  readonly budgets: ReadonlyArray<Budget>
  readonly modelRules: ReadonlyArray<ModelRule>
}

export interface EndUserSource {
  /** `header`: `X-Gateway-End-User`. `field`: `safety_identifier`, `user` or `metadata.user_id` of the body. */
  readonly from: ReadonlyArray<"header" | "field">
  /** A request without an end user is refused. */
  readonly required: boolean
  /** Every request of the key counts for this end user; headers and body fields are ignored. */
  readonly fixed: string | null
}

/** What a key or team has beyond its own limits and budgets. */
export interface ScopeRules {
  readonly modelRules: ReadonlyArray<ModelRule>
  readonly perEndUser: ScopeTemplate | null
  readonly perSession: ScopeTemplate | null
  /** Of keys only; null: the header, not required. */
  readonly endUser: EndUserSource | null
  /** Left out: as the team or the file says. */
  readonly cache?: CacheRules | undefined
}

/** What a team allows its members. Without one, and while it is not enabled, personal keys of the team are refused. */
export interface PersonalKeyPolicy {
  readonly enabled: boolean
  /** Keys of one member that are not revoked. */
  readonly maxKeys: number
  /** The longest time from creation to expiry, in seconds; null: a key need not expire. */
  readonly maxLifetimeSeconds: number | null
  /** Names or globs of the models; empty: all. A request must match these and the models of its key. */
  readonly models: ReadonlyArray<string>
  /** Of all personal keys of one member together. */
  readonly limits: Limits
  readonly budgets: ReadonlyArray<Budget>
}
