/** Refusals and failures of the rules. `http/errors/WireError.ts` says how they look; `Failures.ts` has the providers'. */
import { Schema } from "effect"
import { failureClasses, GuardrailVerdict } from "@model-gateway/protocol"

/** The credential is not valid. `key`: the one that it opened, where that has expired, is disabled or was revoked. */
export class Unauthorized extends Schema.TaggedError<Unauthorized>()("Unauthorized", {
  code: Schema.Literals([
    "missing_api_key",
    "invalid_api_key",
    "revoked_api_key",
    "expired_api_key",
    "disabled_api_key",
    "suspended_api_key",
    "invalid_session",
    "invalid_service_token",
    "invalid_sign_in_link",
    "invalid_token",
    "expired_token",
    "unknown_issuer"
  ]),
  /** Of a token: the name of its issuer, and what is wrong with it. Nothing of the token. */
  issuer: Schema.optionalKey(Schema.String),
  detail: Schema.optionalKey(Schema.String),
  key: Schema.optionalKey(
    Schema.Struct({ id: Schema.String, name: Schema.NullOr(Schema.String), team: Schema.NullOr(Schema.String) })
  )
}) {}

/** A token is in order, or can't be checked now, and opens nothing. `issuer`: its name in the configuration. */
export class TokenRefused extends Schema.TaggedError<TokenRefused>()("TokenRefused", {
  code: Schema.Literals(["no_matching_rule", "too_many_jwt_subjects", "issuer_unavailable"]),
  issuer: Schema.String,
  rule: Schema.optionalKey(Schema.String)
}) {}

/** The roles of the principal do not allow the call. `needs` and `has` name roles. */
export class NotPermitted extends Schema.TaggedError<NotPermitted>()("NotPermitted", {
  action: Schema.String,
  needs: Schema.String,
  has: Schema.String
}) {}

/** A personal key would have what its team does not allow. `param`: the field of the request. */
export class OutsideTeamPolicy extends Schema.TaggedError<OutsideTeamPolicy>()("OutsideTeamPolicy", {
  param: Schema.String,
  message: Schema.String
}) {}

/** A key with a list of addresses was used from another one. `address`: "" where there is none. */
export class AddressNotAllowed extends Schema.TaggedError<AddressNotAllowed>()("AddressNotAllowed", {
  keyId: Schema.String,
  address: Schema.String
}) {}

/** A team that can't be deleted, because keys name it. */
export class TeamInUse extends Schema.TaggedError<TeamInUse>()("TeamInUse", {
  team: Schema.String,
  keys: Schema.Int
}) {}

/** A key, team, deployment or receipt that does not exist. `what`: `key`, `team` …; `hint`: a possible reason, as a sentence. */
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

/** A request continues a response that is unknown, expired, deleted or of another key: the message does not say which. */
export class PreviousResponseNotFound extends Schema.TaggedError<PreviousResponseNotFound>()(
  "PreviousResponseNotFound",
  { id: Schema.String }
) {}

/** There is no model of that name. `nearest`: similar names that the key may use, closest first. */
export class ModelNotFound extends Schema.TaggedError<ModelNotFound>()("ModelNotFound", {
  model: Schema.String,
  nearest: Schema.Array(Schema.String)
}) {}

/** The key may not use the model. `bucket`: for `auto`, the bucket that is out of reach while the key may use lower ones. */
export class ModelNotAllowed extends Schema.TaggedError<ModelNotAllowed>()("ModelNotAllowed", {
  model: Schema.String,
  keyId: Schema.String,
  bucket: Schema.optionalKey(Schema.String)
}) {}

/** No deployment can do what the request needs. `reasons`: one line each. `isTooLong`: only the prompt's length is at fault. */
export class NoCapableDeployment extends Schema.TaggedError<NoCapableDeployment>()("NoCapableDeployment", {
  model: Schema.String,
  isTooLong: Schema.Boolean,
  reasons: Schema.Array(Schema.String)
}) {}

/** The request's `provider` leaves no deployment of the model. `reasons`: one line per excluded deployment. */
export class NoAllowedProvider extends Schema.TaggedError<NoAllowedProvider>()("NoAllowedProvider", {
  model: Schema.String,
  reasons: Schema.Array(Schema.String)
}) {}

export class NoRouteMeetsPolicy extends Schema.TaggedError<NoRouteMeetsPolicy>()("NoRouteMeetsPolicy", {
  model: Schema.String,
  keyId: Schema.String,
  reasons: Schema.Array(Schema.String)
}) {}

/** Every deployment of the model is out of rotation. `bucket`: for `auto`, set if lower buckets still have one. */
export class OutOfRotation extends Schema.TaggedError<OutOfRotation>()("OutOfRotation", {
  model: Schema.String,
  bucket: Schema.optionalKey(Schema.String)
}) {}

/** What limits and budgets apply to. */
export const scopes = ["key", "team", "end_user", "session", "member"] as const
export type LimitScope = (typeof scopes)[number]

/** The models of the rule that refused a request; left out: all models. */
const models = Schema.optionalKey(Schema.Array(Schema.String))

/** A request without the end user that its key requires, or of one that is blocked. */
export class EndUserRefused extends Schema.TaggedError<EndUserRefused>()("EndUserRefused", {
  code: Schema.Literals(["end_user_required", "end_user_blocked"]),
  keyId: Schema.String,
  endUser: Schema.String,
  /** Where the key reads it from. */
  from: Schema.optionalKey(Schema.Array(Schema.Literals(["header", "field"])))
}) {}

/** Limits of end users, sessions and models can't be set while these gateways on the store run an older version. */
export class OlderGateways extends Schema.TaggedError<OlderGateways>()("OlderGateways", {
  names: Schema.Array(Schema.String)
}) {}

export class TooManyScopes extends Schema.TaggedError<TooManyScopes>()("TooManyScopes", {
  scopes: Schema.Int,
  most: Schema.Int
}) {}

/** The request asks for more tokens than its key or team may use in a minute, so it can never be admitted. */
export class RequestExceedsLimit extends Schema.TaggedError<RequestExceedsLimit>()("RequestExceedsLimit", {
  scope: Schema.Literals(scopes),
  /** The id of the key, end user or session, or the name of the team. */
  subject: Schema.String,
  models,
  keyId: Schema.String,
  limit: Schema.Finite,
  asked: Schema.Finite
}) {}

/** A limit refused the request and counts nothing. `retryAfterSeconds`: at least 1, then it is admitted. `resetsAt`: epoch ms. */
export class RateLimited extends Schema.TaggedError<RateLimited>()("RateLimited", {
  kind: Schema.Literals(["rpm", "tpm", "parallel", "feedback"]),
  scope: Schema.Literals(scopes),
  /** The id of the key, end user or session, or the name of the team. */
  subject: Schema.String,
  models,
  keyId: Schema.String,
  limit: Schema.Finite,
  used: Schema.Finite,
  retryAfterSeconds: Schema.Int,
  resetsAt: Schema.Finite
}) {}

/**
 * The remainder is smaller than the worst case. `budget`: exhausted until `resetsAt` (null: forever); `budget_reserved`:
 * requests in flight hold the rest. Amounts in nano-USD.
 */
export class BudgetExceeded extends Schema.TaggedError<BudgetExceeded>()("BudgetExceeded", {
  kind: Schema.Literals(["budget", "budget_reserved"]),
  scope: Schema.Literals(scopes),
  subject: Schema.String,
  models,
  keyId: Schema.String,
  window: Schema.String,
  limit: Schema.Finite,
  used: Schema.Finite,
  needed: Schema.Finite,
  retryAfterSeconds: Schema.Int,
  resetsAt: Schema.NullOr(Schema.Finite),
  /** Why the worst case is so large, and the setting that would lower it. */
  hint: Schema.optionalKey(Schema.String)
}) {}

/** A model rule refused the request: another deployment may still serve it. */
export const isOfRule = (error: unknown): error is RateLimited | BudgetExceeded =>
  (error instanceof RateLimited || error instanceof BudgetExceeded) && error.models !== undefined

/** A budget met an unknown price. `of`: the missing field of the deployment's `price`; left out: the model has none. */
export class PriceUnknown extends Schema.TaggedError<PriceUnknown>()("PriceUnknown", {
  model: Schema.String,
  keyId: Schema.String,
  of: Schema.optionalKey(Schema.String)
}) {}

/** Every deployment failed. `class`, `status`: of the reported failure; `retryAfterMs`: the shortest wait of a provider. */
export class Exhausted extends Schema.TaggedError<Exhausted>()("Exhausted", {
  class: Schema.Literals(failureClasses),
  status: Schema.Int,
  message: Schema.String,
  attempts: Schema.Int,
  retryAfterMs: Schema.optionalKey(Schema.Finite)
}) {}

/** No room for a body or its files. `key`, `process`: whose limit of bytes is reached; `disk`: `limitBytes` is 0. */
export class NoRoom extends Schema.TaggedError<NoRoom>()("NoRoom", {
  of: Schema.Literals(["key", "process", "disk"]),
  limitBytes: Schema.Int
}) {}

export class Draining extends Schema.TaggedError<Draining>()("Draining", {}) {}

/**
 * The store can't be used. `unreachable`: no response; `lease_over`: for longer than the lease; `replaced`: another gateway
 * has its place; no reason: it refuses (disk full, read-only, locked, corrupted).
 */
export class StoreUnavailable extends Schema.TaggedError<StoreUnavailable>()("StoreUnavailable", {
  message: Schema.String,
  reason: Schema.optionalKey(Schema.Literals(["unreachable", "lease_over", "replaced"]))
}) {}

/** `in_use`: the first request still runs; `reused`: it had another body; `answer_too_large`: its response was not kept. */
export class IdempotencyConflict extends Schema.TaggedError<IdempotencyConflict>()("IdempotencyConflict", {
  why: Schema.Literals(["in_use", "reused", "answer_too_large"])
}) {}

/** A guardrail denies a request or response. `place`: what can't be masked or read, a kind of text or the path of a file. */
export class GuardrailDenied extends Schema.TaggedError<GuardrailDenied>()("GuardrailDenied", {
  check: Schema.String,
  rule: Schema.String,
  stage: GuardrailVerdict.fields.stage,
  place: Schema.optionalKey(Schema.String),
  /** The check did not respond, and is asked again after so many seconds at the earliest. */
  retryAfter: Schema.optionalKey(Schema.Int),
  message: Schema.optionalKey(Schema.String),
  verdicts: Schema.Array(GuardrailVerdict)
}) {}

/** A request adds a policy that is not configured. `known`: those that are. */
export class GuardrailUnknown extends Schema.TaggedError<GuardrailUnknown>()("GuardrailUnknown", {
  name: Schema.String,
  known: Schema.Array(Schema.String)
}) {}
