/** What a deployment can bill for contents: the vendor's published rules, then the operator's `bounds`. Undefined: unknown. */
import type { ImageSize } from "@model-gateway/protocol/files"

export interface ConfiguredBounds {
  readonly imageTokens?: number | undefined
  readonly videoTokens?: number | undefined
  readonly fileTokens?: number | undefined
  readonly pageTokens?: number | undefined
  readonly partTokens?: number | undefined
  readonly audioTokensPerSecond?: number | undefined
  /** Tokens on top of the output limit; 0: the output limit includes them. */
  readonly reasoningTokens?: number | undefined
  readonly toolCalls?: number | undefined
  readonly toolTokens?: number | undefined
  /** The most tokens that its tokenizer makes of English text and code, per o200k token. */
  readonly tokensPerO200k?: number | undefined
}

/** The most tokens that a model bills for images that it writes. */
export interface ImageRules {
  /** One image, with the words about it. An undefined size or quality counts as the most expensive. */
  readonly image: (size: ImageSize | undefined, quality: string | undefined) => number
  /** A preview of one. */
  readonly partial: number
  /** Input: one image to start from. */
  readonly source: (isFaithful: boolean) => number
}

export interface BoundRules extends Partial<ConfiguredBounds> {
  /** Tokens of one image. `size` undefined: the most for any image. The result is undefined where there is no such bound. */
  readonly image?: (size: ImageSize | undefined, detail: string | undefined) => number | undefined
  /** For a model that writes images and bills them by the token. */
  readonly drawing?: ImageRules
  /** Images are billed as more tokens than they fill in the context window. */
  readonly imagesExceedWindow?: boolean
  /** Tokens for the picture of a PDF page, on top of the page's text. */
  readonly pageImage?: number
  /** `inside`: the output limit includes reasoning. */
  readonly reasoning?: "inside"
  /** The model's own tokenizer, where it is the one that the gateway counts with. */
  readonly tokenizer?: "o200k"
  /** Tokens between two messages, their roles included, for a model with an unknown template. Left out: 4, as at OpenAI. */
  readonly messageFrame?: number
  /** A factor on estimates, on top of the protocol's usual factor. */
  readonly estimatedMore?: number
  /** It refuses longer recordings. */
  readonly mostAudioSeconds?: number
  /** The model produces audio only if `modalities` contains it. */
  readonly speaksWhenAsked?: boolean
}
