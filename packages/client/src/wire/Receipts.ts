/** Made from openapi.json by `npm run openapi`: change the description there, not this file. */
import type { GuardrailVerdict, ProviderError, Refusal, RefusedBy } from "./Inference.ts"

/** Where `router.shadow` is on: `auto` decides and records, and routes nothing. null: it is off. */
export interface ShadowDecision {
  readonly bucket: string
  readonly score: number
  /** null: nothing in that bucket or above could have served the request. */
  readonly deployment: string | null
  /** What the request was expected to cost more where it went than where `auto` would have sent it, USD; null: nobody knows a price. */
  readonly expected_difference_usd: number | null
}

export interface RouteFeature {
  /** In plain words. */
  readonly name: string
  /** What the prompt has of it, in the feature's own unit. */
  readonly value: number
  /** What it added to the score: 0.1 moves a typical prompt up by about a tenth of the reference mix. */
  readonly weight: number
}

/** What happened to one request, and what it cost. It holds nothing of what was asked or answered, unless an error message quotes it. */
export interface Receipt {
  /** `rcpt_…`; the id of the request is the same with `req_`. */
  readonly id: string
  readonly object: "receipt"
  /** When the request had been admitted and was routed, or when it was refused. */
  readonly at: string
  /** Milliseconds until it was over and booked. */
  readonly duration_ms: number
  /** Empty: it was refused before its key was known. */
  readonly key_id: string
  /** What the key was called then; null: it had no name, or an earlier version did not record it. */
  readonly key_name: string | null
  readonly team: string | null
  /** The path of the endpoint; null: the path is no endpoint's, or it was lost with the process. */
  readonly endpoint: string | null
  /** The `model` that the caller sent; null: refused before it was read, or lost with the process. */
  readonly requested_model: string | null
  /** Who answered; without an answer who was asked last, or would have been. Its names are empty where the request was not routed. */
  readonly decision: {
    readonly provider: string
    readonly model: string
    readonly deployment: string
    /** `none` when the caller named the model. */
    readonly bucket: string
    /** 0 to 1; 0 when no score decided. */
    readonly score: number
    /** Why, in plain words. */
    readonly reasons: ReadonlyArray<string>
    /** Where each bucket ended and the next began for this request; null: no score was asked for, or an earlier version did not record it. */
    readonly cut_points: ReadonlyArray<number> | null
    /** What weighed most, strongest first, five at most; empty: nothing was scored, or it was not recorded. */
    readonly features: ReadonlyArray<RouteFeature>
    /** Every deployment that was thought of: those that were to be tried, in order, then the others. Callers are not told of those that their keys may not use. null: lost with the process, or an earlier version did not record it. */
    readonly considered: ReadonlyArray<Considered> | null
    readonly shadow: ShadowDecision | null
  }
  /** In order; empty: no deployment was asked. */
  readonly attempts: ReadonlyArray<ReceiptAttempt>
  readonly usage: ReceiptUsage
  /** All attempts together, USD, as the ledger has it; null: nobody knows the price. */
  readonly cost_usd: number | null
  /** What `cost_usd` is made of, to the billionth of a dollar; null: nobody knows the price, or an earlier version did not record the rates. */
  readonly price_lines: ReadonlyArray<PriceLine> | null
  /** What the same tokens would have cost at the first deployment of the strongest bucket, USD; null: the caller named the model, nobody knows a price, or it was not recorded. */
  readonly baseline_usd: number | null
  /** Some of it was counted by the gateway, because a provider did not say. */
  readonly cost_is_estimate: boolean
  /** Where the price comes from; null: nobody knows it. */
  readonly price: {
    readonly source: string
    readonly version: string
  } | null
  /** `failed`: there was no answer. `cut`: it broke off after it had begun. `client_gone`: the caller left before its end. `refused`: by the gateway, before routing (`refusal`: a wrong key, a limit, a request that can't be read or served) or after it (a budget, the store). `abandoned`: the gateway's process died over it; its worst case was booked at the next start. `blocked`: a guardrail denied the request, or its response. */
  readonly status: "ok" | "failed" | "cut" | "client_gone" | "refused" | "abandoned" | "blocked"
  /** Why it did not end `ok`, as one word: the code of its refusal, `budget`, the outcome of its last attempt, or its status; null: it ended `ok`. */
  readonly error: string | null
  /** null: it was routed. */
  readonly refusal: Refusal | null
  /** The budget that had no room for it; null: none refused it, or an earlier version did not record which. */
  readonly refused_by: RefusedBy | null
  /** What each check did, at the request and at the response. Left out: no check ran. */
  readonly guardrails?: ReadonlyArray<GuardrailVerdict> | undefined
  /** The response came from the response cache. Left out: it did not. */
  readonly cache?:
    | {
        readonly result: "hit"
        /** Age of the response, milliseconds. */
        readonly age_ms: number
        /** What the response cost when a provider gave it, USD. */
        readonly saved_usd: number
        /** The receipt of the request that it was given to first. */
        readonly from_receipt: string
      }
    | undefined
  readonly stream: boolean
  readonly client_disconnected: boolean
  /** The `X-Gateway-Session-Id` that the caller sent; null: none, or it was not recorded. */
  readonly session_id: string | null
  /** The end user whom the request counted for. Left out: none, or it was not recorded. */
  readonly end_user?: string | undefined
  readonly tags: ReadonlyArray<string>
  /** What the caller thought of the answer; null: it did not say. */
  readonly feedback: {
    /** 0 to 1: how good the answer was. */
    readonly score: number
    /** When this score was given. */
    readonly at: string
  } | null
}

/** A part of what a request cost. */
export interface PriceLine {
  /** Which attempt it belongs to, from 1. */
  readonly attempt: number
  readonly deployment: string
  /** A class of `usage`. `held`: what was held for the attempt was booked, since what it used is not known or has no price. */
  readonly class: string
  /** null: `held`. */
  readonly count: number | null
  /** null: `held`. */
  readonly unit: string | null
  /** USD for `per` units; null: `held`, or nobody knows. */
  readonly rate_usd: number | null
  /** null: `held`. */
  readonly per: number | null
  /** USD. The cost is rounded to a billionth of a dollar once, and its lines are made to add up to it: one may differ from its count times its rate by a billionth. null: nobody knows the rate, and it is no part of the cost. */
  readonly cost_usd: number | null
}

/** Of all attempts, in classes that do not overlap: tokens, whose sum is the total, and what else is billed. Those that are rare are left out where there is nothing of them. */
export interface ReceiptUsage {
  /** Read, neither from a cache nor into one. */
  readonly input: number
  /** Read from the provider's cache. */
  readonly cached_input: number
  /** Written to a cache that lives five minutes. */
  readonly cache_write: number
  /** Written to a cache that lives an hour. */
  readonly cache_write_1h: number
  /** Visible output. */
  readonly output: number
  /** Reasoning. */
  readonly reasoning: number
  /** Audio read. */
  readonly audio_input: number
  /** Audio produced. */
  readonly audio_output: number
  /** Written to a cache that lives twelve hours. */
  readonly cache_write_12h?: number | undefined
  /** Audio read from the provider's cache, where it is counted apart. */
  readonly cached_audio_input?: number | undefined
  /** Tokens of images read, where they are counted apart. */
  readonly image_input?: number | undefined
  /** Tokens of images produced. */
  readonly image_output?: number | undefined
  /** Images that are billed by the piece. */
  readonly images?: number | undefined
  /** Seconds of audio. */
  readonly audio_seconds?: number | undefined
  /** Characters. */
  readonly characters?: number | undefined
  /** Units of reranking. */
  readonly rerank_units?: number | undefined
  /** Calls with a fee of their own. */
  readonly request_fees?: number | undefined
  /** Web searches by the provider. */
  readonly web_searches?: number | undefined
  /** File searches by the provider. */
  readonly file_searches?: number | undefined
  /** Code executions by the provider. */
  readonly code_executions?: number | undefined
}

/** One call to one deployment. */
export interface ReceiptAttempt {
  readonly deployment: string
  /** `ok`, or why it failed. `unsupported`: the request could not be said to this provider, which was not called. `client_gone`: the caller left. `shutdown`: the gateway was stopped. `abandoned`: its process died. `failed`: nobody knows why. */
  readonly outcome:
    | "ok"
    | "rate_limited"
    | "quota_exhausted"
    | "auth"
    | "unavailable"
    | "connections_full"
    | "connect_timeout"
    | "first_token_timeout"
    | "idle_timeout"
    | "total_timeout"
    | "truncated"
    | "no_room"
    | "context_length"
    | "content_filter"
    | "bad_request"
    | "model_not_found"
    | "unsupported"
    | "client_gone"
    | "shutdown"
    | "abandoned"
    | "failed"
  /** The provider's; null: none came. */
  readonly http_status: number | null
  /** null: the call did not fail, or an earlier version did not record it. Callers see it only where the request is at fault (`bad_request`, `context_length`, `content_filter`). */
  readonly error: ProviderError | null
  /** Names of the request's fields that were left out or changed for this deployment, as in `X-Gateway-Dropped-Params`, 20 at most. Left out: none, or an earlier version did not record them. */
  readonly adapted?: ReadonlyArray<string> | undefined
  /** Milliseconds since the request's `at`. */
  readonly started_ms: number
  /** Milliseconds since the request's `at`; null: no content came, or all of it at once. */
  readonly first_token_ms: number | null
  /** Milliseconds. */
  readonly duration_ms: number
  /** USD; null: nobody knows the price. */
  readonly cost_usd: number | null
  /** The service tier whose prices were booked, such as `flex`. Left out: the standard one. */
  readonly service_tier?: string | undefined
}

/** A deployment, and what became of it. */
export interface Considered {
  readonly deployment: string
  /** `chosen`: it was to be tried first. `spare`: if those before it failed. `unhealthy`: last, since it was not ready. `filtered`: it could not serve this request. `lower_bucket`: it could, and its bucket is below the prompt's. `not_needed`: it could, and was not to be tried. What was really asked stands in `attempts`. */
  readonly fate: "chosen" | "spare" | "unhealthy" | "filtered" | "lower_bucket" | "not_needed"
  /** In words, where there is more to say. */
  readonly why: string | null
}

export interface ReceiptPage {
  readonly object: "list"
  /** Those that ended last come first. */
  readonly data: ReadonlyArray<Receipt>
  readonly has_more: boolean
  /** What to give as `after` for the next page; null: this was the last. */
  readonly next: string | null
  /** The search for rare requests stopped at those that ended then, so that nobody waits for it: `next` goes on. Left out: it did not stop. */
  readonly scanned_to?: string | undefined
}

/** As it stands in the receipt from now on. */
export interface Feedback {
  readonly object: "receipt.feedback"
  readonly receipt_id: string
  /** 0 to 1: how good the answer was. */
  readonly score: number
  /** When this score was given. */
  readonly at: string
}

export interface GiveFeedback {
  /** How good the answer was: 0 (useless) to 1 (as good as can be). */
  readonly score: number
}
