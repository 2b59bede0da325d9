/** What happened to one request. */
import { Schema } from "effect"
import { limitScopes } from "./Errors.ts"
import { page, TimestampInput, Timestamp, Usd } from "./Values.ts"

export const receiptStatuses = ["ok", "failed", "cut", "client_gone", "refused", "abandoned", "blocked"] as const

export const refusalLimits = ["rpm", "tpm", "parallel"] as const

/**
 * What went wrong upstream, as a closed union.
 *
 * - `rate_limited`: 429 that passes by itself. `quota_exhausted`: 429 `insufficient_quota`, 402, credit used up.
 * - `auth`: the provider refused our key. `unavailable`: 5xx, 529, refused or reset connections.
 * - `connections_full`: the address has as many concurrent calls as allowed, so it was not called.
 * - `connect_timeout`, `first_token_timeout`: nothing came. `idle_timeout`, `total_timeout`: the gateway's limit ended a response that had
 *   begun. `truncated`: the response stopped or was garbage. `no_room`: the gateway had no free memory for it.
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
  "idle_timeout",
  "total_timeout",
  "truncated",
  "no_room",
  "context_length",
  "content_filter",
  "bad_request",
  "model_not_found"
] as const

/** How an attempt ended: `ok`, what went wrong upstream, or what went wrong beside it. `unsupported`: the provider was not called. */
export const attemptOutcomes = [
  "ok",
  ...failureClasses,
  "unsupported",
  "client_gone",
  "shutdown",
  "abandoned",
  "failed"
] as const

export const ProviderError = Schema.Struct({
  message: Schema.String,
  code: Schema.NullOr(Schema.String),
  type: Schema.NullOr(Schema.String)
}).annotate({
  identifier: "ProviderError",
  title: "What the provider said",
  description:
    "The provider's words, 500 characters at most, credentials struck out; where it sent no HTTP status, the gateway's. They may quote the request."
})
export type ProviderError = typeof ProviderError.Type

const milliseconds = Schema.Int.annotate({ description: "Milliseconds since the request's `at`." })

export const ReceiptAttempt = Schema.Struct({
  deployment: Schema.String,
  outcome: Schema.Literals(attemptOutcomes).annotate({
    description:
      "`ok`, or why it failed. `unsupported`: the request could not be said to this provider, which was not called. `client_gone`: the caller left. `shutdown`: the gateway was stopped. `abandoned`: its process died. `failed`: nobody knows why."
  }),
  http_status: Schema.NullOr(Schema.Int).annotate({ description: "The provider's; null: none came." }),
  error: Schema.NullOr(ProviderError).annotate({
    description:
      "null: the call did not fail, or an earlier version did not record it. Callers see it only where the request is at fault (`bad_request`, `context_length`, `content_filter`)."
  }),
  adapted: Schema.optionalKey(Schema.Array(Schema.String)).annotate({
    description:
      "Names of the request's fields that were left out or changed for this deployment, as in `X-Gateway-Dropped-Params`, 20 at most. Left out: none, or an earlier version did not record them."
  }),
  started_ms: milliseconds,
  first_token_ms: Schema.NullOr(Schema.Int).annotate({
    description: "Milliseconds since the request's `at`; null: no content came, or all of it at once."
  }),
  duration_ms: Schema.Int.annotate({ description: "Milliseconds." }),
  cost_usd: Schema.NullOr(Usd).annotate({ description: "USD; null: nobody knows the price." }),
  service_tier: Schema.optionalKey(Schema.String).annotate({
    description: "The service tier whose prices were booked, such as `flex`. Left out: the standard one."
  })
}).annotate({ identifier: "ReceiptAttempt", title: "Attempt", description: "One call to one deployment." })
export type ReceiptAttempt = typeof ReceiptAttempt.Type

const tokens = (description: string) => Schema.Int.annotate({ description })
/** Rare. */
const some = (description: string) => Schema.optionalKey(Schema.Int).annotate({ description })

export const ReceiptUsage = Schema.Struct({
  input: tokens("Read, neither from a cache nor into one."),
  cached_input: tokens("Read from the provider's cache."),
  cache_write: tokens("Written to a cache that lives five minutes."),
  cache_write_1h: tokens("Written to a cache that lives an hour."),
  output: tokens("Visible output."),
  reasoning: tokens("Reasoning."),
  audio_input: tokens("Audio read."),
  audio_output: tokens("Audio produced."),
  cache_write_12h: some("Written to a cache that lives twelve hours."),
  cached_audio_input: some("Audio read from the provider's cache, where it is counted apart."),
  image_input: some("Tokens of images read, where they are counted apart."),
  image_output: some("Tokens of images produced."),
  images: some("Images that are billed by the piece."),
  audio_seconds: some("Seconds of audio."),
  characters: some("Characters."),
  rerank_units: some("Units of reranking."),
  request_fees: some("Calls with a fee of their own."),
  web_searches: some("Web searches by the provider."),
  file_searches: some("File searches by the provider."),
  code_executions: some("Code executions by the provider.")
}).annotate({
  identifier: "ReceiptUsage",
  title: "What a request used",
  description:
    "Of all attempts, in classes that do not overlap: tokens, whose sum is the total, and what else is billed. Those that are rare are left out where there is nothing of them."
})

export const ShadowDecision = Schema.Struct({
  bucket: Schema.String,
  score: Schema.Finite,
  deployment: Schema.NullOr(Schema.String).annotate({
    description: "null: nothing in that bucket or above could have served the request."
  }),
  expected_difference_usd: Schema.NullOr(Usd).annotate({
    description:
      "What the request was expected to cost more where it went than where `auto` would have sent it, USD; null: nobody knows a price."
  })
}).annotate({
  identifier: "ShadowDecision",
  title: "What auto would have done",
  description: "Where `router.shadow` is on: `auto` decides and records, and routes nothing. null: it is off."
})

export const RouteFeature = Schema.Struct({
  name: Schema.String.annotate({ description: "In plain words.", examples: ["code marks"] }),
  value: Schema.Finite.annotate({ description: "What the prompt has of it, in the feature's own unit." }),
  weight: Schema.Finite.annotate({
    description: "What it added to the score: 0.1 moves a typical prompt up by about a tenth of the reference mix."
  })
}).annotate({ identifier: "RouteFeature", title: "Feature" })
export type RouteFeature = typeof RouteFeature.Type

export const routeFates = ["chosen", "spare", "unhealthy", "filtered", "lower_bucket", "not_needed"] as const
export const RouteFate = Schema.Literals(routeFates)

export const Considered = Schema.Struct({
  deployment: Schema.String,
  fate: RouteFate.annotate({
    description:
      "`chosen`: it was to be tried first. `spare`: if those before it failed. `unhealthy`: last, since it was not ready. `filtered`: it could not serve this request. `lower_bucket`: it could, and its bucket is below the prompt's. `not_needed`: it could, and was not to be tried. What was really asked stands in `attempts`."
  }),
  why: Schema.NullOr(Schema.String).annotate({ description: "In words, where there is more to say." })
}).annotate({ identifier: "Considered", title: "Considered", description: "A deployment, and what became of it." })
export type Considered = typeof Considered.Type

export const PriceLine = Schema.Struct({
  attempt: Schema.Int.annotate({ description: "Which attempt it belongs to, from 1." }),
  deployment: Schema.String,
  class: Schema.String.annotate({
    description:
      "A class of `usage`. `held`: what was held for the attempt was booked, since what it used is not known or has no price.",
    examples: ["input"]
  }),
  count: Schema.NullOr(Schema.Int).annotate({ description: "null: `held`." }),
  unit: Schema.NullOr(Schema.String).annotate({ description: "null: `held`.", examples: ["token"] }),
  rate_usd: Schema.NullOr(Usd).annotate({ description: "USD for `per` units; null: `held`, or nobody knows." }),
  per: Schema.NullOr(Schema.Int).annotate({ description: "null: `held`.", examples: [1_000_000] }),
  cost_usd: Schema.NullOr(Usd).annotate({
    description:
      "USD. The cost is rounded to a billionth of a dollar once, and its lines are made to add up to it: one may differ from its count times its rate by a billionth. null: nobody knows the rate, and it is no part of the cost."
  })
}).annotate({ identifier: "PriceLine", title: "Line of the price", description: "A part of what a request cost." })
export type PriceLine = typeof PriceLine.Type

export const RefusedBy = Schema.Struct({
  limit: Schema.Literal("budget"),
  scope: Schema.Literals(limitScopes).annotate({ description: "Whose budget it is." }),
  subject: Schema.optionalKey(Schema.String).annotate({
    description: "The id of that key, end user or session, or the name of the team."
  }),
  models: Schema.optionalKey(Schema.Array(Schema.String)).annotate({
    description: "The models of the rule that the budget is in. Left out: it is no model rule's."
  }),
  window: Schema.String.annotate({ description: "The time it is for.", examples: ["month"] }),
  limit_usd: Usd.annotate({ description: "The amount, USD." }),
  used_usd: Usd.annotate({ description: "Spent; where requests in flight were the reason, held by them as well." }),
  needed_usd: Usd.annotate({ description: "What this request could have cost at most, USD." })
}).annotate({
  identifier: "RefusedBy",
  title: "The budget that refused it",
  description: "With its figures of that moment."
})
export type RefusedBy = typeof RefusedBy.Type

export const Refusal = Schema.Struct({
  method: Schema.String,
  http_status: Schema.Int,
  code: Schema.String.annotate({
    description: "The `code` of the error that the caller got.",
    examples: ["invalid_api_key"]
  }),
  message: Schema.String.annotate({ description: "Its message, 500 characters at most. It may quote the request." }),
  limit: Schema.NullOr(Schema.Literals(refusalLimits)).annotate({ description: "The limit of the key or its team." }),
  count: Schema.Int.annotate({
    description:
      "Requests that this receipt stands for. After ten receipts for one key and code in a minute, or a thousand in all, the others of that minute are one receipt, with the id of the first of them."
  })
}).annotate({
  identifier: "Refusal",
  title: "Refusal before routing",
  description: "The request reached no deployment, and nothing was reserved for it."
})
export type Refusal = typeof Refusal.Type

/** Weakest first. */
export const guardrailActions = ["pass", "flag", "mask", "error_allowed", "error_denied", "deny"] as const

export const GuardrailVerdict = Schema.Struct({
  check: Schema.String,
  stage: Schema.Literals(["request", "response"]),
  action: Schema.Literals(guardrailActions).annotate({
    description:
      "`pass`: it ran and found nothing. `error_allowed`, `error_denied`: it gave no verdict, which let the texts pass or denied them."
  }),
  rules: Schema.Record(Schema.String, Schema.Int).annotate({
    description: "How many matches each rule found. It never holds what was found.",
    examples: [{ email: 2 }]
  }),
  ms: Schema.optionalKey(Schema.Int).annotate({
    description: "Milliseconds that the caller waited for a webhook. Left out: it is no webhook."
  })
}).annotate({ identifier: "GuardrailVerdict", title: "Verdict of a guardrail" })
export type GuardrailVerdict = typeof GuardrailVerdict.Type

const feedback = {
  score: Schema.Finite.annotate({ description: "0 to 1: how good the answer was." }),
  at: Timestamp.annotate({ description: "When this score was given." })
}

export const Receipt = Schema.Struct({
  id: Schema.String.annotate({
    description: "`rcpt_…`; the id of the request is the same with `req_`.",
    examples: ["rcpt_01jcq7v5g8r2k0m4n6p9s3t1"]
  }),
  object: Schema.Literal("receipt"),
  at: Timestamp.annotate({ description: "When the request had been admitted and was routed, or when it was refused." }),
  duration_ms: Schema.Int.annotate({ description: "Milliseconds until it was over and booked." }),
  key_id: Schema.String.annotate({ description: "Empty: it was refused before its key was known." }),
  key_name: Schema.NullOr(Schema.String).annotate({
    description: "What the key was called then; null: it had no name, or an earlier version did not record it."
  }),
  team: Schema.NullOr(Schema.String),
  endpoint: Schema.NullOr(Schema.String).annotate({
    description: "The path of the endpoint; null: the path is no endpoint's, or it was lost with the process.",
    examples: ["/v1/chat/completions"]
  }),
  requested_model: Schema.NullOr(Schema.String).annotate({
    description: "The `model` that the caller sent; null: refused before it was read, or lost with the process."
  }),
  decision: Schema.Struct({
    provider: Schema.String,
    model: Schema.String,
    deployment: Schema.String,
    bucket: Schema.String.annotate({ description: "`none` when the caller named the model." }),
    score: Schema.Finite.annotate({ description: "0 to 1; 0 when no score decided." }),
    reasons: Schema.Array(Schema.String).annotate({ description: "Why, in plain words." }),
    cut_points: Schema.NullOr(Schema.Array(Schema.Finite)).annotate({
      description:
        "Where each bucket ended and the next began for this request; null: no score was asked for, or an earlier version did not record it."
    }),
    features: Schema.Array(RouteFeature).annotate({
      description:
        "What weighed most, strongest first, five at most; empty: nothing was scored, or it was not recorded."
    }),
    considered: Schema.NullOr(Schema.Array(Considered)).annotate({
      description:
        "Every deployment that was thought of: those that were to be tried, in order, then the others. Callers are not told of those that their keys may not use. null: lost with the process, or an earlier version did not record it."
    }),
    shadow: Schema.NullOr(ShadowDecision)
  }).annotate({
    description:
      "Who answered; without an answer who was asked last, or would have been. Its names are empty where the request was not routed."
  }),
  attempts: Schema.Array(ReceiptAttempt).annotate({ description: "In order; empty: no deployment was asked." }),
  usage: ReceiptUsage,
  cost_usd: Schema.NullOr(Usd).annotate({
    description: "All attempts together, USD, as the ledger has it; null: nobody knows the price."
  }),
  price_lines: Schema.NullOr(Schema.Array(PriceLine)).annotate({
    description:
      "What `cost_usd` is made of, to the billionth of a dollar; null: nobody knows the price, or an earlier version did not record the rates."
  }),
  baseline_usd: Schema.NullOr(Usd).annotate({
    description:
      "What the same tokens would have cost at the first deployment of the strongest bucket, USD; null: the caller named the model, nobody knows a price, or it was not recorded."
  }),
  cost_is_estimate: Schema.Boolean.annotate({
    description: "Some of it was counted by the gateway, because a provider did not say."
  }),
  price: Schema.NullOr(Schema.Struct({ source: Schema.String, version: Schema.String })).annotate({
    description: "Where the price comes from; null: nobody knows it."
  }),
  status: Schema.Literals(receiptStatuses).annotate({
    description:
      "`failed`: there was no answer. `cut`: it broke off after it had begun. `client_gone`: the caller left before its end. `refused`: by the gateway, before routing (`refusal`: a wrong key, a limit, a request that can't be read or served) or after it (a budget, the store). `abandoned`: the gateway's process died over it; its worst case was booked at the next start. `blocked`: a guardrail denied the request, or its response."
  }),
  error: Schema.NullOr(Schema.String).annotate({
    description:
      "Why it did not end `ok`, as one word: the code of its refusal, `budget`, the outcome of its last attempt, or its status; null: it ended `ok`.",
    examples: ["rate_limited"]
  }),
  refusal: Schema.NullOr(Refusal).annotate({ description: "null: it was routed." }),
  refused_by: Schema.NullOr(RefusedBy).annotate({
    description:
      "The budget that had no room for it; null: none refused it, or an earlier version did not record which."
  }),
  guardrails: Schema.optionalKey(Schema.Array(GuardrailVerdict)).annotate({
    description: "What each check did, at the request and at the response. Left out: no check ran."
  }),
  cache: Schema.optionalKey(
    Schema.Struct({
      result: Schema.Literal("hit"),
      age_ms: Schema.Finite.annotate({ description: "Age of the response, milliseconds." }),
      saved_usd: Usd.annotate({ description: "What the response cost when a provider gave it, USD." }),
      from_receipt: Schema.String.annotate({ description: "The receipt of the request that it was given to first." })
    })
  ).annotate({ description: "The response came from the response cache. Left out: it did not." }),
  stream: Schema.Boolean,
  client_disconnected: Schema.Boolean,
  session_id: Schema.NullOr(Schema.String).annotate({
    description: "The `X-Gateway-Session-Id` that the caller sent; null: none, or it was not recorded."
  }),
  end_user: Schema.optionalKey(Schema.String).annotate({
    description: "The end user whom the request counted for. Left out: none, or it was not recorded."
  }),
  tags: Schema.Array(Schema.String),
  feedback: Schema.NullOr(Schema.Struct(feedback)).annotate({
    description: "What the caller thought of the answer; null: it did not say."
  })
}).annotate({
  identifier: "Receipt",
  title: "Receipt",
  description:
    "What happened to one request, and what it cost. It holds nothing of what was asked or answered, unless an error message quotes it."
})
export type Receipt = typeof Receipt.Type

const SCORE = "a number from 0 (useless) to 1 (as good as can be)"

export const GiveFeedback = Schema.Struct({
  score: Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1 }, { expected: SCORE })).annotate({
    description: "How good the answer was: 0 (useless) to 1 (as good as can be).",
    examples: [1]
  })
}).annotate({
  identifier: "GiveFeedback",
  title: "Feedback to give",
  message: 'Expected an object such as {"score": 0.5}'
})
export type GiveFeedback = typeof GiveFeedback.Type

export const Feedback = Schema.Struct({
  object: Schema.Literal("receipt.feedback"),
  receipt_id: Schema.String,
  ...feedback
}).annotate({ identifier: "Feedback", title: "Feedback", description: "As it stands in the receipt from now on." })
export type Feedback = typeof Feedback.Type

export const ReceiptPage = Schema.Struct({
  ...page(Receipt, "Those that ended last come first.").fields,
  has_more: Schema.Boolean,
  next: Schema.NullOr(Schema.String).annotate({
    description: "What to give as `after` for the next page; null: this was the last."
  }),
  scanned_to: Schema.optionalKey(Timestamp).annotate({
    description:
      "The search for rare requests stopped at those that ended then, so that nobody waits for it: `next` goes on. Left out: it did not stop."
  })
}).annotate({ identifier: "ReceiptPage", title: "Page of receipts" })
export type ReceiptPage = typeof ReceiptPage.Type

export const feedbackKinds = ["given", "none", "good", "bad"] as const

/** Which receipts somebody wants, in a list and in a stream. */
export const ReceiptConditions = {
  key: Schema.optionalKey(
    Schema.String.annotate({
      description: "Only requests of this key: its id, or the name that it had then. Empty: of none that is known."
    })
  ),
  team: Schema.optionalKey(Schema.String.annotate({ description: "Only requests of this team." })),
  model: Schema.optionalKey(
    Schema.String.annotate({
      description:
        "Only requests for this model, or served by it: a name as sent, a deployment, provider/model or model."
    })
  ),
  status: Schema.optionalKey(
    Schema.Literals(receiptStatuses).annotate({ description: "Only requests that ended like this." })
  ),
  from: Schema.optionalKey(TimestampInput.annotate({ description: "Only requests from this time on, RFC 3339." })),
  to: Schema.optionalKey(TimestampInput.annotate({ description: "Only requests before this time, RFC 3339." })),
  tag: Schema.optionalKey(Schema.String.annotate({ description: "Only requests with this tag." })),
  end_user: Schema.optionalKey(
    Schema.String.annotate({ description: "Only requests that counted for the end users of this id." })
  ),
  session: Schema.optionalKey(Schema.String.annotate({ description: "Only requests of the sessions of this id." })),
  bucket: Schema.optionalKey(
    Schema.String.annotate({
      description: "Only requests of this bucket; `none`: those whose callers named the model."
    })
  ),
  deployment: Schema.optionalKey(Schema.String.annotate({ description: "Only requests for which this was asked." })),
  endpoint: Schema.optionalKey(
    Schema.String.annotate({ description: "Only requests to this endpoint, such as `/v1/chat/completions`." })
  ),
  stream: Schema.optionalKey(
    Schema.Literals(["true", "false"]).annotate({ description: "Only streams, or all others." })
  ),
  error: Schema.optionalKey(
    Schema.String.check(
      Schema.isPattern(/^[\w.:-]{1,64}$/, { expected: "one word, such as `rate_limited` or `invalid_api_key`" })
    ).annotate({
      description:
        "Only requests with this error: the outcome of an attempt, a provider's code, or the code of a refusal."
    })
  ),
  min_cost_usd: Schema.optionalKey(
    Schema.Finite.check(Schema.isGreaterThanOrEqualTo(0, { expected: "an amount of USD, 0 or above" }))
  ),
  min_duration_ms: Schema.optionalKey(
    Schema.Int.check(Schema.isGreaterThanOrEqualTo(0, { expected: "a whole number of milliseconds, 0 or above" }))
  ),
  feedback: Schema.optionalKey(
    Schema.Literals(feedbackKinds).annotate({
      description: "Only requests whose callers gave a score, gave none, found the answer good (from 0.5 on) or bad."
    })
  ),
  q: Schema.optionalKey(
    Schema.String.check(Schema.isMaxLength(100, { expected: "at most 100 characters" })).annotate({
      description: "Only requests whose own id, receipt's id, key's id or key's name holds this."
    })
  )
}

export const WatchReceiptsQuery = {
  ...ReceiptConditions,
  max_per_second: Schema.optionalKey(
    Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1000 }, { expected: "a whole number from 1 to 1000" }))
  )
}

export const ListReceiptsQuery = {
  limit: Schema.optionalKey(
    Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1000 }, { expected: "a whole number from 1 to 1000" }))
  ),
  after: Schema.optionalKey(Schema.String.annotate({ description: "The `next` of the page before." })),
  ...ReceiptConditions
}
