/** Made from openapi.json by `npm run openapi`: change the description there, not this file. */
import type { GatewayInfo, ProviderChoice } from "./Inference.ts"

export interface Model {
  /** What to send as `model`. */
  readonly id: string
  readonly object: "model"
  /** Seconds since 1970. */
  readonly created: number
  readonly owned_by: string
  readonly name: string
  /** As `gateway.context_window`. */
  readonly context_length: number | null
  readonly architecture: {
    readonly input_modalities: ReadonlyArray<string>
    readonly output_modalities: ReadonlyArray<string>
    readonly [field: string]: unknown
  }
  /** As `gateway.price`, in the words of other gateways. */
  readonly pricing: {
    /** USD per token of input, as a decimal; null: not billed by the token. */
    readonly prompt: string | null
    /** USD per token of output, as a decimal. */
    readonly completion: string | null
    readonly [field: string]: unknown
  } | null
  /** The day on which its vendor shuts it down, where that is known; of a single deployment. */
  readonly expiration_date?: string | undefined
  /** What a request may ask for. Tools and schemas choose between the deployments that serve it; a `reasoning_effort` does not, and is left out for one that does not reason. */
  readonly supported_parameters: ReadonlyArray<string>
  /** What the gateway knows of it. */
  readonly gateway: {
    readonly kind: "auto" | "alias" | "deployment"
    /** The bucket of `auto` that it serves. */
    readonly bucket: string | null
    /** The ids of those that serve it, in order. */
    readonly deployments: ReadonlyArray<string>
    /** Tokens of input and output together, at most. */
    readonly context_window: number | null
    /** Tokens of one answer, at most. */
    readonly max_output_tokens: number | null
    /** That of the first deployment; null: unknown, or it depends. What is billed otherwise is named as in the configuration: `images`, `audio_seconds`, `characters`, `web_searches` … */
    readonly price: {
      /** Input, USD per million tokens; null: not billed by the token. */
      readonly input: number | null
      /** Input read from the provider's cache, USD per million tokens; null: not billed by the token. */
      readonly cached_input: number | null
      /** Output, USD per million tokens; null: not billed by the token. */
      readonly output: number | null
      readonly [field: string]: unknown
    } | null
    /** The efforts that the model takes, where they are known; of a single deployment. */
    readonly reasoning?:
      | {
          readonly efforts: ReadonlyArray<string>
          /** The effort where none is asked for; null: unknown. */
          readonly default: string | null
          readonly [field: string]: unknown
        }
      | undefined
    /** What it can be asked for, by any of its deployments. */
    readonly operations: ReadonlyArray<string>
    readonly modalities: ReadonlyArray<string>
    readonly health: "ok" | "unavailable"
    readonly [field: string]: unknown
  }
  readonly [field: string]: unknown
}

/** What the calling key may use. */
export interface ModelList {
  readonly object: "list"
  /** `auto` first, where it is configured. */
  readonly data: ReadonlyArray<Model>
  /** Those that serve Responses, in the form in which Codex reads its catalogue. */
  readonly models: ReadonlyArray<{ readonly [field: string]: unknown }>
  readonly [field: string]: unknown
}

export interface Ranking {
  readonly id: string
  readonly model: string
  /** Best first. */
  readonly results: ReadonlyArray<{
    /** The document's place in the request, from 0. */
    readonly index: number
    readonly relevance_score: number
    readonly document?:
      | {
          readonly text: string
          readonly [field: string]: unknown
        }
      | null
      | undefined
    readonly [field: string]: unknown
  }>
  readonly usage: RerankUsage
  readonly gateway?: GatewayInfo | undefined
  readonly [field: string]: unknown
}

export interface RerankUsage {
  readonly total_tokens: number
  /** At providers that bill these. */
  readonly search_units?: number | null | undefined
  /** USD, exact; null: nobody knows the price. */
  readonly cost?: number | null | undefined
  readonly [field: string]: unknown
}

export interface RerankRequest {
  /** A model that ranks; with `auto` the first one that is configured. */
  readonly model: string
  /** Further models, called in this order after those of `model`. */
  readonly models?: ReadonlyArray<string> | null | undefined
  /** Narrows and orders the deployments that may serve. */
  readonly provider?: ProviderChoice | null | undefined
  readonly query: string
  /** 1 to 10,000 texts, or objects that hold one. */
  readonly documents: ReadonlyArray<
    | string
    | {
        readonly text: string
        readonly [field: string]: unknown
      }
  >
  /** As many of the best are returned. Default: all. */
  readonly top_n?: number | null | undefined
  /** Whether each result holds its document. Default: false. Works on every provider. */
  readonly return_documents?: boolean | null | undefined
  readonly [field: string]: unknown
}

export interface Moderation {
  readonly id: string
  readonly model: string
  readonly results: ReadonlyArray<{
    readonly flagged: boolean
    readonly categories: { readonly [field: string]: unknown }
    readonly category_scores: { readonly [field: string]: unknown }
    readonly [field: string]: unknown
  }>
  readonly gateway?: GatewayInfo | undefined
  readonly [field: string]: unknown
}

export interface ModerationRequest {
  /** Default: `auto`, the first model that is configured for this. */
  readonly model?: string | null | undefined
  /** A text, a list of texts, or a list of parts (text, images), which are judged together. */
  readonly input: string | ReadonlyArray<string> | ReadonlyArray<{ readonly [field: string]: unknown }>
  readonly [field: string]: unknown
}

export interface Embeddings {
  readonly object: "list"
  readonly model: string
  readonly usage: EmbeddingsUsage
  readonly gateway?: GatewayInfo | undefined
  readonly data: ReadonlyArray<{
    readonly object: "embedding"
    readonly index: number
    readonly embedding: ReadonlyArray<number> | string
    readonly [field: string]: unknown
  }>
  readonly [field: string]: unknown
}

export interface EmbeddingsUsage {
  readonly prompt_tokens: number
  readonly total_tokens: number
  /** USD, exact; null: nobody knows the price. */
  readonly cost?: number | null | undefined
  readonly [field: string]: unknown
}

export interface EmbeddingsRequest {
  /** A model that makes vectors; with `auto` the first one that is configured. */
  readonly model: string
  /** Further models, called in this order after those of `model`. */
  readonly models?: ReadonlyArray<string> | null | undefined
  /** Narrows and orders the deployments that may serve. */
  readonly provider?: ProviderChoice | null | undefined
  /** A text, a list of texts, the tokens of one text, or a list of those. */
  readonly input: string | ReadonlyArray<string> | ReadonlyArray<number> | ReadonlyArray<ReadonlyArray<number>>
  /** Numbers per vector, where the model lets one choose. */
  readonly dimensions?: number | null | undefined
  /** `base64`: 32-bit floats, little endian. It works on every provider: where that one has no base64, the gateway packs. */
  readonly encoding_format?: "float" | "base64" | null | undefined
  readonly [field: string]: unknown
}
