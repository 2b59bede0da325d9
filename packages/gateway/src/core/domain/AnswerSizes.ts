/** Size limits for responses of providers, by operation. */
import { Context } from "effect"
import type { OperationName } from "./OperationName.ts"

const MB = 1024 * 1024

export interface AnswerSizes {
  /** Characters of one event of a stream, and of one that may hold a picture. */
  readonly event: number
  readonly imageEvent: number
  /** Bytes of a complete response, and of one to an embeddings request. */
  readonly answer: number
  readonly embeddingsAnswer: number
}

export const AnswerSizes = Context.Reference<AnswerSizes>("gateway/core/AnswerSizes", {
  defaultValue: () => ({ event: MB, imageEvent: 32 * MB, answer: 64 * MB, embeddingsAnswer: 256 * MB })
})

/** Streams with images: those of image operations, and Responses with image generation. */
export const longestEvent = (sizes: AnswerSizes, operation: OperationName): number =>
  operation === "responses" || operation.startsWith("image") ? sizes.imageEvent : sizes.event

export const largestAnswer = (sizes: AnswerSizes, operation: OperationName): number =>
  operation === "embeddings" ? sizes.embeddingsAnswer : sizes.answer
