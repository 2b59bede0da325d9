/**
 * Types of what the gateway adds to responses that are read with OpenAI's SDK: `gateway`, the decision with the exact cost, and
 * `usage.cost`. Importing this module declares them and runs no code.
 */
// Only what is imported can be augmented.
import type {} from "openai"
import type { GatewayInfo } from "../wire/Inference.ts"

export type { GatewayInfo } from "../wire/Inference.ts"

/** Responses with the decision. It is undefined where another server answered. */
interface Decided {
  /** The last chunk of a stream that carries data has it; the earlier ones have none. */
  readonly gateway?: GatewayInfo
}

interface Priced {
  /** USD, exact. Null: no price is known. */
  readonly cost?: number | null
}

declare module "openai/resources/chat/completions/completions" {
  interface ChatCompletion extends Decided {}
  interface ChatCompletionChunk extends Decided {}
}

declare module "openai/resources/completions" {
  interface Completion extends Decided {}
  /** Of chat too. */
  interface CompletionUsage extends Priced {}
}

declare module "openai/resources/responses/responses" {
  interface Response extends Decided {}
  interface CompactedResponse extends Decided {}
  interface ResponseUsage extends Priced {}
}

declare module "openai/resources/embeddings" {
  interface CreateEmbeddingResponse extends Decided {}
  namespace CreateEmbeddingResponse {
    interface Usage extends Priced {}
  }
}
