/**
 * Refusals and failures of the rules themselves. What they look like on the wire is decided in one place, `http/WireError.ts`.
 * Provider and store failures live next to their contracts, `Provider.ts` and `Store.ts`.
 */
import { Schema } from "effect"
import { failureClasses } from "./Failures.ts"

/** The credential does not open anything. */
export class Unauthorized extends Schema.TaggedError<Unauthorized>()("Unauthorized", {
  code: Schema.Literals([
    "missing_api_key",
    "invalid_api_key",
    "revoked_api_key",
    "expired_api_key",
    "disabled_api_key"
  ])
}) {}

/** A key, team, deployment or receipt that does not exist. `what`: `key`, `team` …; `hint`: a sentence on why that may be. */
export class NotFound extends Schema.TaggedError<NotFound>()("NotFound", {
  what: Schema.String,
  id: Schema.String,
  hint: Schema.optionalKey(Schema.String)
}) {}

/** A field of the request is wrong; `message` says what would be right. */
export class InvalidField extends Schema.TaggedError<InvalidField>()("InvalidField", {
  param: Schema.String,
  message: Schema.String
}) {}

/** No model of that name; `nearest`: names that the key may use, best first. */
export class ModelNotFound extends Schema.TaggedError<ModelNotFound>()("ModelNotFound", {
  model: Schema.String,
  nearest: Schema.Array(Schema.String)
}) {}

/** `bucket`: of `auto`, where the key may use lower buckets only. */
export class ModelNotAllowed extends Schema.TaggedError<ModelNotAllowed>()("ModelNotAllowed", {
  model: Schema.String,
  keyId: Schema.String,
  bucket: Schema.optionalKey(Schema.String)
}) {}

/**
 * The model exists, but nothing that serves it can do what the request needs. `reasons`: one line per deployment left out.
 * `isTooLong`: all that is in the way is the length of the prompt.
 */
export class NoCapableDeployment extends Schema.TaggedError<NoCapableDeployment>()("NoCapableDeployment", {
  model: Schema.String,
  isTooLong: Schema.Boolean,
  reasons: Schema.Array(Schema.String)
}) {}

/** Everything that could serve the model is out of rotation. `bucket`: of `auto`, where there is something in lower buckets. */
export class OutOfRotation extends Schema.TaggedError<OutOfRotation>()("OutOfRotation", {
  model: Schema.String,
  bucket: Schema.optionalKey(Schema.String)
}) {}

export const scopes = ["key", "team"] as const
export type LimitScope = (typeof scopes)[number]

/**
 * A limit refused the request, which used nothing up. `retryAfterSeconds`: whole, at least 1; who waits that long is admitted.
 * `resetsAt`: epoch ms.
 */
export class RateLimited extends Schema.TaggedError<RateLimited>()("RateLimited", {
  kind: Schema.Literals(["rpm", "tpm", "parallel", "feedback"]),
  scope: Schema.Literals(scopes),
  /** The id of the key or the name of the team. */
  subject: Schema.String,
  keyId: Schema.String,
  limit: Schema.Finite,
  used: Schema.Finite,
  retryAfterSeconds: Schema.Int,
  resetsAt: Schema.Finite
}) {}

/**
 * The budget has no room for the worst case of this request. `budget`: it is used up until `resetsAt` (null: for good);
 * `budget_reserved`: requests in flight hold what is left. Amounts in nano-USD.
 */
export class BudgetExceeded extends Schema.TaggedError<BudgetExceeded>()("BudgetExceeded", {
  kind: Schema.Literals(["budget", "budget_reserved"]),
  scope: Schema.Literals(scopes),
  subject: Schema.String,
  keyId: Schema.String,
  window: Schema.String,
  limit: Schema.Finite,
  used: Schema.Finite,
  needed: Schema.Finite,
  retryAfterSeconds: Schema.Int,
  resetsAt: Schema.NullOr(Schema.Finite),
  /** Why so much is needed, and the setting that would help. */
  hint: Schema.optionalKey(Schema.String)
}) {}

/**
 * A key with a budget asked for something whose price nobody knows, and does not allow that. `of`: what it is in the deployment's
 * `price`, such as `audio_input`; left out where the model has no price at all.
 */
export class PriceUnknown extends Schema.TaggedError<PriceUnknown>()("PriceUnknown", {
  model: Schema.String,
  keyId: Schema.String,
  of: Schema.optionalKey(Schema.String)
}) {}

/**
 * Every deployment failed. `class` and `status` are the last one's; `attempts`: how many were made; `retryAfterMs`: the
 * shortest wait any of them asked for.
 */
export class Exhausted extends Schema.TaggedError<Exhausted>()("Exhausted", {
  class: Schema.Literals(failureClasses),
  status: Schema.Int,
  message: Schema.String,
  attempts: Schema.Int,
  retryAfterMs: Schema.optionalKey(Schema.Finite)
}) {}

/** No new work: the gateway is shutting down. */
export class Draining extends Schema.TaggedError<Draining>()("Draining", {}) {}

/** The gateway's own store can't be written or read: disk full, read-only, locked, corrupted. */
export class StoreUnavailable extends Schema.TaggedError<StoreUnavailable>()("StoreUnavailable", {
  message: Schema.String
}) {}
