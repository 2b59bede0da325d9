/**
 * How much of a request's contents a deployment can be billed for. The vendor's file has its published rules, the configuration
 * (`bounds:`) has the operator's word, which wins. What a rule leaves undefined nobody knows.
 */
import type { ImageSize } from "../media/ImageSize.ts"

/** What an operator says of a deployment. */
export interface ConfiguredBounds {
  readonly imageTokens: number | undefined
  readonly videoTokens: number | undefined
  readonly fileTokens: number | undefined
  readonly pageTokens: number | undefined
  readonly partTokens: number | undefined
  readonly audioTokensPerSecond: number | undefined
  /** On top of the output limit; 0: the server counts them in it. */
  readonly reasoningTokens: number | undefined
  readonly toolCalls: number | undefined
  readonly toolTokens: number | undefined
}

export interface BoundRules extends Partial<ConfiguredBounds> {
  /** Tokens of one image; `size` undefined: of any. Undefined where that can't be told. */
  readonly image?: (size: ImageSize | undefined, detail: string | undefined) => number | undefined
  /** Images are billed as more tokens than they take of the context window. */
  readonly imagesExceedWindow?: boolean
  /** Tokens of the picture of a page of a PDF, which come on top of its text. */
  readonly pageImage?: number
  /** `inside`: the output limit holds for reasoning too. */
  readonly reasoning?: "inside"
  /** Its own tokenizer is the one that counts here. */
  readonly tokenizer?: "o200k"
  /** Tokens that it makes at most of plain English and of code, for each of o200k. */
  readonly tokensPerO200k?: number
  /** Beside what its protocol's models are taken to make, where that is estimated. */
  readonly estimatedMore?: number
  /** It says nothing aloud unless `modalities` asks for audio. */
  readonly speaksWhenAsked?: boolean
}
