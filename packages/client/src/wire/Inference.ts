/** Made from openapi.json by `npm run openapi`: change the description there, not this file. */

/** Every error answer has this body. */
export interface ErrorBody {
  readonly error: {
    /** What sort of error it is, one of: invalid_request_error, authentication_error, permission_error, rate_limit_exceeded, insufficient_quota, upstream_error, server_error. Where the provider found fault with the request, it is the provider's own. */
    readonly type: string
    /** For people: what is wrong and what would be right. */
    readonly message: string
    /** The field of the request that is wrong, as a path, e.g. `budgets[0].usd`. */
    readonly param: string | null
    /** For programs: the exact reason, e.g. `invalid_api_key`, `model_not_found`, `invalid_field`. */
    readonly code: string | null
    /** The limit that was hit: requests per minute, tokens per minute, requests at once, scores for answers per minute, a budget that is used up, a budget held by requests in flight, the provider's own, or wrong credentials from one address. */
    readonly kind?:
      | "rpm"
      | "tpm"
      | "parallel"
      | "feedback"
      | "budget"
      | "budget_reserved"
      | "upstream"
      | "auth_failures"
      | undefined
    /** Seconds to wait, at least 1. Equals the `Retry-After` header. Who waits that long is admitted. */
    readonly retry_after_seconds?: number | undefined
    /** The limit: requests, tokens, or USD where it is a budget. */
    readonly limit?: number | undefined
    /** How much of the limit is in use, in the same unit as `limit`. */
    readonly used?: number | undefined
    /** What the limit applies to: the key, its team, the end user, the session, or all personal keys of a person in the team (`member`). */
    readonly scope?: "key" | "team" | "end_user" | "session" | "member" | undefined
    /** The id of that key, end user, session or person, or the name of the team. Left out: the limit is the key's or team's own. */
    readonly subject?: string | undefined
    /** The models of the rule that the limit is in. Left out: it is no model rule's. */
    readonly models?: ReadonlyArray<string> | undefined
    /** With the code `guardrail_denied`: the check, and the rule that found a match. */
    readonly guardrail?:
      | {
          readonly check: string
          readonly rule: string
        }
      | undefined
    /** When there is room again, RFC 3339 in UTC; null for a budget that never resets. */
    readonly resets_at?: string | null | undefined
  }
}

/** The last chunk that carries data also carries `gateway`, with the exact cost. */
export interface ChatCompletionChunk {
  readonly id: string
  readonly object: "chat.completion.chunk"
  readonly created: number
  readonly model: string
  readonly choices: ReadonlyArray<{
    readonly index: number
    readonly delta: {
      readonly role?: string | null | undefined
      readonly content?: string | null | undefined
      readonly refusal?: string | null | undefined
      /** What the model thought aloud, where it does. */
      readonly reasoning_content?: string | null | undefined
      readonly tool_calls?:
        | ReadonlyArray<{
            /** Which call of the message this is a piece of. */
            readonly index: number
            readonly id?: string | null | undefined
            readonly type?: string | null | undefined
            readonly function?:
              | {
                  readonly name?: string | null | undefined
                  readonly arguments?: string | null | undefined
                  readonly [field: string]: unknown
                }
              | null
              | undefined
            readonly [field: string]: unknown
          }>
        | null
        | undefined
      readonly [field: string]: unknown
    }
    readonly finish_reason?: string | null | undefined
    readonly [field: string]: unknown
  }>
  readonly usage?: Usage | null | undefined
  readonly gateway?: GatewayInfo | undefined
  readonly [field: string]: unknown
}

export interface GatewayInfo {
  /** `<provider>/<model>` that served the call. */
  readonly decision: string
  /** The id of the deployment. */
  readonly deployment: string
  /** The bucket of `auto`; `none` when the caller named the model. */
  readonly bucket: string
  /** The classifier's score, 0 to 1. */
  readonly score: number
  /** The exact cost of all attempts, USD, without those of unknown price (see the header `X-Gateway-Cost-Known`); null: no price is known. */
  readonly cost_usd: number | null
  /** Attempts after the first. */
  readonly retries: number
  readonly receipt_id: string
  /** The strictest thing that guardrails did. Left out: nothing. */
  readonly guardrail?:
    | {
        readonly check: string
        readonly action: "flag" | "mask" | "deny"
      }
    | undefined
}

export interface Usage {
  readonly prompt_tokens: number
  readonly completion_tokens: number
  readonly total_tokens: number
  /** USD, exact; null: nobody knows the price. */
  readonly cost?: number | null | undefined
  readonly [field: string]: unknown
}

export interface GuardrailVerdict {
  readonly check: string
  readonly stage: "request" | "response"
  /** `pass`: it ran and found nothing. `error_allowed`, `error_denied`: it gave no verdict, which let the texts pass or denied them. */
  readonly action: "pass" | "flag" | "mask" | "error_allowed" | "error_denied" | "deny"
  /** How many matches each rule found. It never holds what was found. */
  readonly rules: { readonly [field: string]: number }
  /** Milliseconds that the caller waited for a webhook. Left out: it is no webhook. */
  readonly ms?: number | undefined
}

/** With its figures of that moment. */
export interface RefusedBy {
  readonly limit: "budget"
  /** Whose budget it is. */
  readonly scope: "key" | "team" | "end_user" | "session" | "member"
  /** The id of that key, end user or session, or the name of the team. */
  readonly subject?: string | undefined
  /** The models of the rule that the budget is in. Left out: it is no model rule's. */
  readonly models?: ReadonlyArray<string> | undefined
  /** The time it is for. */
  readonly window: string
  /** The amount, USD. */
  readonly limit_usd: number
  /** Spent; where requests in flight were the reason, held by them as well. */
  readonly used_usd: number
  /** What this request could have cost at most, USD. */
  readonly needed_usd: number
}

/** The request reached no deployment, and nothing was reserved for it. */
export interface Refusal {
  readonly method: string
  readonly http_status: number
  /** The `code` of the error that the caller got. */
  readonly code: string
  /** Its message, 500 characters at most. It may quote the request. */
  readonly message: string
  /** The limit of the key or its team. */
  readonly limit: "rpm" | "tpm" | "parallel" | null
  /** Requests that this receipt stands for. After ten receipts for one key and code in a minute, or a thousand in all, the others of that minute are one receipt, with the id of the first of them. */
  readonly count: number
}

/** The provider's words, 500 characters at most, credentials struck out; where it sent no HTTP status, the gateway's. They may quote the request. */
export interface ProviderError {
  readonly message: string
  readonly code: string | null
  readonly type: string | null
}

export interface ProviderChoice {
  /** These providers come first, in this order: names, vendors or the IDs of deployments. */
  readonly order?: ReadonlyArray<string> | null | undefined
  /** Only these providers are called. */
  readonly only?: ReadonlyArray<string> | null | undefined
  /** These providers are not called. */
  readonly ignore?: ReadonlyArray<string> | null | undefined
  /** `false`: only the providers in `order` are called; without `order`, only the first deployment of each model. */
  readonly allow_fallbacks?: boolean | null | undefined
  /** Replaces the configured order and the session's deployment. */
  readonly sort?: "price" | "throughput" | "latency" | null | undefined
  /** The most that a deployment may charge. Those without a known price are excluded. */
  readonly max_price?:
    | {
        /** USD per million tokens. */
        readonly prompt?: number | null | undefined
        /** USD per million tokens. */
        readonly completion?: number | null | undefined
        /** USD per million tokens. */
        readonly audio?: number | null | undefined
        /** USD. */
        readonly request?: number | null | undefined
        /** USD. */
        readonly image?: number | null | undefined
      }
    | null
    | undefined
  /** `true`: a deployment that would drop a parameter is not called. */
  readonly require_parameters?: boolean | null | undefined
  /** `true`: only deployments with `zdr: true` are called. */
  readonly zdr?: boolean | null | undefined
  readonly [field: string]: unknown
}

export interface Completion {
  /** Unique per answer. */
  readonly id: string
  readonly object: "text_completion"
  /** Seconds since 1970. */
  readonly created: number
  readonly model: string
  readonly choices: ReadonlyArray<{
    readonly index: number
    readonly text: string
    readonly finish_reason?: string | null | undefined
    readonly [field: string]: unknown
  }>
  readonly usage?: Usage | null | undefined
  readonly gateway?: GatewayInfo | undefined
  readonly [field: string]: unknown
}

/** A model that only chats answers one prompt of text. It can't have several prompts, tokens, `echo`, `suffix`, `logprobs`, or more `best_of` than `n`. */
export interface CompletionRequest {
  /** As for chat. */
  readonly model: string
  /** Further models, called in this order after those of `model`. */
  readonly models?: ReadonlyArray<string> | null | undefined
  /** Narrows and orders the deployments that may serve. */
  readonly provider?: ProviderChoice | null | undefined
  /** A text, a list of texts, the tokens of one text, or a list of those. */
  readonly prompt: string | ReadonlyArray<string> | ReadonlyArray<number> | ReadonlyArray<ReadonlyArray<number>>
  /** Output tokens for each answer, at most. Default: 16. */
  readonly max_tokens?: number | null | undefined
  /** Answers to each prompt. */
  readonly n?: number | null | undefined
  /** Answers to write for each prompt, of which `n` are sent. */
  readonly best_of?: number | null | undefined
  /** Answer with server-sent events. */
  readonly stream?: boolean | null | undefined
  readonly stream_options?: { readonly [field: string]: unknown } | null | undefined
  readonly echo?: boolean | null | undefined
  readonly suffix?: string | null | undefined
  readonly logprobs?: number | null | undefined
  readonly temperature?: number | null | undefined
  readonly top_p?: number | null | undefined
  readonly stop?: string | ReadonlyArray<string> | null | undefined
  readonly [field: string]: unknown
}

export interface ChatCompletion {
  /** Unique per answer. */
  readonly id: string
  readonly object: "chat.completion"
  /** Seconds since 1970. */
  readonly created: number
  readonly model: string
  readonly choices: ReadonlyArray<{
    readonly index: number
    readonly message: ChatAnswerMessage
    readonly finish_reason?: string | null | undefined
    readonly [field: string]: unknown
  }>
  readonly usage?: Usage | null | undefined
  readonly gateway?: GatewayInfo | undefined
  readonly [field: string]: unknown
}

export interface ChatAnswerMessage {
  /** `assistant`. */
  readonly role: string
  readonly content?: string | null | undefined
  readonly refusal?: string | null | undefined
  /** What the model thought aloud, where it does. */
  readonly reasoning_content?: string | null | undefined
  readonly tool_calls?:
    | ReadonlyArray<{
        readonly id: string
        /** `function`, or the provider's own. */
        readonly type: string
        readonly function?:
          | {
              readonly name: string
              /** JSON, as the model wrote it. */
              readonly arguments: string
              readonly [field: string]: unknown
            }
          | undefined
        readonly [field: string]: unknown
      }>
    | null
    | undefined
  readonly [field: string]: unknown
}

/** The vendor-defined chat request. Fields not described here reach providers of the same protocol untouched. */
export interface ChatRequest {
  /** `auto`, an alias, the id of a deployment, `<provider>/<model>`, or the bare name of a model. */
  readonly model: string
  /** Further models, called in this order after those of `model`. */
  readonly models?: ReadonlyArray<string> | null | undefined
  /** Narrows and orders the deployments that may serve. */
  readonly provider?: ProviderChoice | null | undefined
  readonly messages: ReadonlyArray<ChatMessage>
  /** Answer with server-sent events. */
  readonly stream?: boolean | null | undefined
  /** `include_usage: true` asks for the usage in a last chunk; the others then have `usage: null`. */
  readonly stream_options?: { readonly [field: string]: unknown } | null | undefined
  /** Output tokens, at most. */
  readonly max_completion_tokens?: number | null | undefined
  /** The older name of `max_completion_tokens`. */
  readonly max_tokens?: number | null | undefined
  readonly temperature?: number | null | undefined
  readonly top_p?: number | null | undefined
  /** Answers to make. */
  readonly n?: number | null | undefined
  readonly stop?: string | ReadonlyArray<string> | null | undefined
  readonly tools?: ReadonlyArray<{ readonly [field: string]: unknown }> | null | undefined
  readonly tool_choice?: unknown | undefined
  readonly response_format?: { readonly [field: string]: unknown } | null | undefined
  readonly [field: string]: unknown
}

export interface ChatMessage {
  /** `system`, `developer`, `user`, `assistant` or `tool`. */
  readonly role: string
  /** Text, or parts (text, images, files). */
  readonly content?: string | ReadonlyArray<{ readonly [field: string]: unknown }> | null | undefined
  readonly [field: string]: unknown
}
