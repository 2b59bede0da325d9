/** Made from openapi.json by `npm run openapi`: change the description there, not this file. */
import type { GatewayInfo, ProviderChoice } from "./Inference.ts"

export interface ResponseInputTokens {
  readonly object: "response.input_tokens"
  readonly input_tokens: number
  readonly gateway?: GatewayInfo | undefined
  readonly [field: string]: unknown
}

/** The vendor-defined request. Fields not described here reach providers that have Responses untouched. */
export interface ResponseRequest {
  /** As for chat; `auto` where it is left out. */
  readonly model?: string | null | undefined
  /** A text, or items: messages, calls of tools and their results, thoughts of earlier answers. */
  readonly input?: string | ReadonlyArray<{ readonly [field: string]: unknown }> | null | undefined
  /** Further models, called in this order after those of `model`. */
  readonly models?: ReadonlyArray<string> | null | undefined
  /** Narrows and orders the deployments that may serve. */
  readonly provider?: ProviderChoice | null | undefined
  readonly instructions?: string | null | undefined
  /** Goes on from a stored response of the same key; its `instructions` are not repeated. */
  readonly previous_response_id?: string | null | undefined
  /** `false`: the gateway keeps nothing of it. */
  readonly store?: boolean | null | undefined
  /** Answer with server-sent events. */
  readonly stream?: boolean | null | undefined
  /** Answer with status `queued`, and go on without the caller: the response is read with its id. */
  readonly background?: boolean | null | undefined
  /** Output tokens, at most, thoughts included. */
  readonly max_output_tokens?: number | null | undefined
  readonly temperature?: number | null | undefined
  readonly top_p?: number | null | undefined
  /** Of type `function`, `custom` or `namespace` at every model; others where the provider runs them. */
  readonly tools?: ReadonlyArray<{ readonly [field: string]: unknown }> | null | undefined
  readonly tool_choice?: unknown | undefined
  readonly reasoning?: { readonly [field: string]: unknown } | null | undefined
  /** `format`: text, or a JSON schema. */
  readonly text?: { readonly [field: string]: unknown } | null | undefined
  readonly include?: ReadonlyArray<string> | null | undefined
  readonly [field: string]: unknown
}

export interface Compaction {
  readonly id: string
  readonly object: "response.compaction"
  /** Seconds since 1970. */
  readonly created_at: number
  /** The next `input` begins with these: the user's newest messages, and one `compaction` item. */
  readonly output: ReadonlyArray<{ readonly [field: string]: unknown }>
  readonly usage: { readonly [field: string]: unknown }
  readonly gateway?: GatewayInfo | undefined
  readonly [field: string]: unknown
}

export interface CompactionRequest {
  /** As for responses. */
  readonly model?: string | null | undefined
  readonly input?: string | ReadonlyArray<{ readonly [field: string]: unknown }> | null | undefined
  readonly previous_response_id?: string | null | undefined
  readonly instructions?: string | null | undefined
  readonly [field: string]: unknown
}

export interface ResponseItemList {
  readonly object: "list"
  readonly data: ReadonlyArray<{ readonly [field: string]: unknown }>
  readonly first_id: string
  readonly last_id: string
  readonly has_more: boolean
}

export interface DeletedResponse {
  readonly id: string
  readonly object: "response"
  readonly deleted: true
}

export interface ResponseObject {
  /** The gateway's own, `resp_…`. */
  readonly id: string
  readonly object: "response"
  /** Seconds since 1970. */
  readonly created_at: number
  /** `completed`, `incomplete`, `failed`, `cancelled`, `in_progress` or `queued`. */
  readonly status: string
  readonly model: string
  /** Messages, thoughts, and calls of tools. */
  readonly output: ReadonlyArray<{ readonly [field: string]: unknown }>
  readonly usage?: ResponseUsage | null | undefined
  readonly gateway?: GatewayInfo | undefined
  readonly [field: string]: unknown
}

export interface ResponseUsage {
  readonly input_tokens: number
  readonly output_tokens: number
  readonly total_tokens: number
  /** USD, exact; null: nobody knows the price. */
  readonly cost?: number | null | undefined
  readonly [field: string]: unknown
}
