/** How calls to providers fail. */
import { Predicate, Schema } from "effect"
import type { Usage } from "./Usage.ts"

/**
 * What went wrong upstream, as a closed union; `Failover` decides by it alone.
 *
 * - `rate_limited`: 429 that passes by itself. `quota_exhausted`: 429 `insufficient_quota`, 402, credit used up.
 * - `auth`: the provider refused our key. `unavailable`: 5xx, 529, refused or reset connections.
 * - `connections_full`: as many calls to it are under way as may be; it was not asked.
 * - `connect_timeout`, `first_token_timeout`: nothing came. `truncated`: the answer stopped or was garbage.
 * - `context_length`, `content_filter`, `bad_request`: the request is at fault. `model_not_found`: the provider does not know it.
 */
export const failureClasses = [
  "rate_limited",
  "quota_exhausted",
  "auth",
  "unavailable",
  "connections_full",
  "connect_timeout",
  "first_token_timeout",
  "truncated",
  "context_length",
  "content_filter",
  "bad_request",
  "model_not_found"
] as const

export type FailureClass = (typeof failureClasses)[number]

/**
 * A call to a provider failed. `status` is the provider's HTTP status (0 when there was none), `message`, `type`, `code` and
 * `param` are its own words, fit for the caller only where the request is at fault. `retryAfterMs`: the wait it asked for.
 * `mayBeOfRequest`: our key or credit is refused, but perhaps for this request only (a firewall's 403). `key`: the index of the
 * provider's key that was used, where it has several. `usage`: what the failed answer used, where the provider told.
 */
export class ProviderFailure extends Schema.TaggedError<ProviderFailure>()("ProviderFailure", {
  class: Schema.Literals(failureClasses),
  status: Schema.Int,
  message: Schema.String,
  type: Schema.NullOr(Schema.String),
  code: Schema.NullOr(Schema.String),
  param: Schema.NullOr(Schema.String),
  retryAfterMs: Schema.optionalKey(Schema.Finite),
  mayBeOfRequest: Schema.optionalKey(Schema.Boolean),
  key: Schema.optionalKey(Schema.Int),
  usage: Schema.optionalKey(Schema.declare((value): value is Usage => Predicate.hasProperty(value, "input")))
}) {}

/** The answer stopped, or was garbage: its head had said 200. */
export const truncated = (message: string): ProviderFailure =>
  new ProviderFailure({ class: "truncated", status: 200, message, type: null, code: null, param: null })

/** The request can't be expressed at this provider (or, with `X-Gateway-Strict`, not completely). Becomes a 400. */
export class Unsupported extends Schema.TaggedError<Unsupported>()("Unsupported", {
  message: Schema.String,
  param: Schema.String,
  /** `cost_unbounded`: it could be sent, but nobody knows the most it can cost, and there is a budget. */
  code: Schema.optionalKey(Schema.Literal("cost_unbounded"))
}) {}
