/** Made from openapi.json by `npm run openapi`: change the description there, not this file. */
import type { GatewayInfo, ProviderChoice } from "./Inference.ts"

export interface TokensCount {
  readonly input_tokens: number
  readonly gateway: {
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
    /** The provider has no count, so the gateway made one. */
    readonly estimated?: true | undefined
    readonly [field: string]: unknown
  }
  readonly [field: string]: unknown
}

export interface CountTokensRequest {
  /** `auto`, an alias, the id of a deployment, `<provider>/<model>`, or the bare name of a model. */
  readonly model: string
  readonly messages: ReadonlyArray<InputMessage>
  /** The system prompt. */
  readonly system?: string | ReadonlyArray<{ readonly [field: string]: unknown }> | null | undefined
  readonly tools?: ReadonlyArray<{ readonly [field: string]: unknown }> | null | undefined
  readonly tool_choice?: { readonly [field: string]: unknown } | null | undefined
  readonly thinking?: { readonly [field: string]: unknown } | null | undefined
  readonly [field: string]: unknown
}

export interface InputMessage {
  /** `user` or `assistant`. */
  readonly role: string
  /** Text, or blocks: text, images, documents, tool calls and their results, thoughts. */
  readonly content: string | ReadonlyArray<{ readonly [field: string]: unknown }>
  readonly [field: string]: unknown
}

export interface Message {
  /** Unique per answer. */
  readonly id: string
  readonly type: "message"
  readonly role: "assistant"
  readonly model: string
  readonly content: ReadonlyArray<{ readonly [field: string]: unknown }>
  readonly stop_reason: string | null
  readonly stop_sequence?: string | null | undefined
  readonly usage: MessageUsage
  readonly gateway?: GatewayInfo | undefined
  readonly [field: string]: unknown
}

export interface MessageUsage {
  readonly input_tokens: number
  readonly output_tokens: number
  /** USD, exact; null: nobody knows the price. */
  readonly cost?: number | null | undefined
  readonly [field: string]: unknown
}

/** A request of Anthropic's Messages API. To deployments of that API it goes on untouched; for others it is translated. */
export interface MessagesRequest {
  /** `auto`, an alias, the id of a deployment, `<provider>/<model>`, or the bare name of a model. */
  readonly model: string
  readonly messages: ReadonlyArray<InputMessage>
  /** The system prompt. */
  readonly system?: string | ReadonlyArray<{ readonly [field: string]: unknown }> | null | undefined
  readonly tools?: ReadonlyArray<{ readonly [field: string]: unknown }> | null | undefined
  readonly tool_choice?: { readonly [field: string]: unknown } | null | undefined
  readonly thinking?: { readonly [field: string]: unknown } | null | undefined
  /** Output tokens, at most. */
  readonly max_tokens: number
  /** Answer with server-sent events. */
  readonly stream?: boolean | null | undefined
  readonly stop_sequences?: ReadonlyArray<string> | null | undefined
  readonly output_config?: { readonly [field: string]: unknown } | null | undefined
  readonly metadata?: { readonly [field: string]: unknown } | null | undefined
  /** Further models, called in this order after those of `model`. */
  readonly models?: ReadonlyArray<string> | null | undefined
  /** Narrows and orders the deployments that may serve. */
  readonly provider?: ProviderChoice | null | undefined
  readonly [field: string]: unknown
}
