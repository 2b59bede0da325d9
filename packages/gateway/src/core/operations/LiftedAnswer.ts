/** An upstream's response, translated by its protocol: complete, or event by event. */
import type { ProviderFailure } from "../domain/Failures.ts"
import type { JsonObject } from "../domain/Json.ts"
import type { Usage } from "../domain/Usage.ts"

/** A response that is not read as JSON: speech, subtitles, vectors. */
export interface BinaryAnswer {
  readonly contentType: string
  readonly bytes: Uint8Array
  /** Of a response as the provider gave it; names are in lower case. */
  readonly headers?: { readonly [name: string]: string | undefined }
}

/** A complete response in the shape of its operation, with its usage; `usage` is undefined if the provider did not report it. */
export interface LiftedAnswer {
  readonly body: JsonObject
  /** The provider's own JSON text, if `body` is exactly that. */
  readonly text?: string | undefined
  /** The response itself, if it is not JSON; `body` then holds at most what an estimate is made of. Of vectors: the JSON of `data`. */
  readonly raw?: BinaryAnswer | undefined
  readonly usage: Usage | undefined
  /** The provider gave no reason for the end, or one that nobody knows: it may have been cut. */
  readonly isEndGuessed?: boolean | undefined
  /** Undefined if the provider did not say. */
  readonly serviceTier?: string | undefined
}

/**
 * The meaning of one upstream event. `data` is the JSON text of one event in the shape of the operation: for chat, one
 * `chat.completion.chunk`.
 *
 * - `lifecycle`: says nothing of the response yet (for chat: role-only and empty chunks). `content`: something was generated (text,
 *   tool call, reasoning, refusal).
 * - `finish`: says why the response ended. `usage`: the usage of the complete response, emitted exactly once and last whenever the provider
 *   told the usage, whether or not the caller asked. For chat it is the chunk with `choices: []`; on the others `usage` is null
 *   where the caller asked for it, and absent where not.
 * - `failed`: the provider reported an error inside the stream. `malformed`: an event that can't be read.
 * - `done`: the provider's own end mark was seen (`[DONE]`, `message_stop`).
 */
export type StreamEvent =
  | { readonly kind: "lifecycle" | "finish"; readonly data: string; readonly isEndGuessed?: boolean }
  | ContentEvent
  | { readonly kind: "usage"; readonly data: string; readonly usage: Usage; readonly serviceTier?: string | undefined }
  | { readonly kind: "failed"; readonly failure: ProviderFailure }
  | { readonly kind: "malformed" }
  | { readonly kind: "done" }

export interface ContentEvent {
  readonly kind: "content"
  readonly data: string
  /** The one string in `data` that is all it says, as JSON, where that is known: a few bytes to keep instead of some hundred. */
  readonly said?: string | undefined
}
