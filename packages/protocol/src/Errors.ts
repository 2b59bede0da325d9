/** The one shape of every error body, on every path. */
import { Schema } from "effect"

export const errorTypes = [
  "invalid_request_error",
  "authentication_error",
  "permission_error",
  "rate_limit_exceeded",
  "insufficient_quota",
  "upstream_error",
  "server_error"
] as const

/** The kinds of limit that answer 429; also the value of `X-Gateway-Limit-Kind`. */
export const limitKinds = [
  "rpm",
  "tpm",
  "parallel",
  "feedback",
  "budget",
  "budget_reserved",
  "upstream",
  "auth_failures"
] as const

/** What limits and budgets apply to. */
export const limitScopes = ["key", "team", "end_user", "session", "member"] as const

/** What went wrong. The fields from `kind` on are there on a 429 only. */
export const ErrorDetail = Schema.Struct({
  type: Schema.String.annotate({
    description: `What sort of error it is, one of: ${errorTypes.join(", ")}. Where the provider found fault with the request, it is the provider's own.`
  }),
  message: Schema.String.annotate({ description: "For people: what is wrong and what would be right." }),
  param: Schema.NullOr(Schema.String).annotate({
    description: "The field of the request that is wrong, as a path, e.g. `budgets[0].usd`."
  }),
  code: Schema.NullOr(Schema.String).annotate({
    description: "For programs: the exact reason, e.g. `invalid_api_key`, `model_not_found`, `invalid_field`."
  }),
  kind: Schema.optionalKey(Schema.Literals(limitKinds)).annotate({
    description:
      "The limit that was hit: requests per minute, tokens per minute, requests at once, scores for answers per minute, a budget that is used up, a budget held by requests in flight, the provider's own, or wrong credentials from one address."
  }),
  retry_after_seconds: Schema.optionalKey(Schema.Int).annotate({
    description: "Seconds to wait, at least 1. Equals the `Retry-After` header. Who waits that long is admitted."
  }),
  limit: Schema.optionalKey(Schema.Finite).annotate({
    description: "The limit: requests, tokens, or USD where it is a budget."
  }),
  used: Schema.optionalKey(Schema.Finite).annotate({
    description: "How much of the limit is in use, in the same unit as `limit`."
  }),
  scope: Schema.optionalKey(Schema.Literals(limitScopes)).annotate({
    description:
      "What the limit applies to: the key, its team, the end user, the session, or all personal keys of a person in the team (`member`)."
  }),
  subject: Schema.optionalKey(Schema.String).annotate({
    description:
      "The id of that key, end user, session or person, or the name of the team. Left out: the limit is the key's or team's own."
  }),
  models: Schema.optionalKey(Schema.Array(Schema.String)).annotate({
    description: "The models of the rule that the limit is in. Left out: it is no model rule's."
  }),
  guardrail: Schema.optionalKey(Schema.Struct({ check: Schema.String, rule: Schema.String })).annotate({
    description: "With the code `guardrail_denied`: the check, and the rule that found a match."
  }),
  resets_at: Schema.optionalKey(Schema.NullOr(Schema.String)).annotate({
    description: "When there is room again, RFC 3339 in UTC; null for a budget that never resets."
  })
})
export type ErrorDetail = typeof ErrorDetail.Type

export const ErrorBody = Schema.Struct({ error: ErrorDetail }).annotate({
  identifier: "Error",
  title: "Error",
  description: "Every error answer has this body."
})
export type ErrorBody = typeof ErrorBody.Type
