/** What a protocol makes of an upstream's answer: whole, or event by event. */
import type { ProviderFailure } from "../domain/Failures.ts"
import type { JsonObject } from "../domain/Json.ts"
import type { Usage } from "../domain/Usage.ts"

/** A complete chat completion in the vendor-defined shape, with what it used; `usage` undefined when the provider did not say. */
export interface LiftedAnswer {
  readonly body: JsonObject
  /** The provider's own JSON, where `body` is exactly what it says. */
  readonly text?: string | undefined
  readonly usage: Usage | undefined
  /** Undefined when the provider did not say. */
  readonly serviceTier?: string | undefined
}

/**
 * What one upstream event means to the caller. `data` is always the JSON text of one `chat.completion.chunk`.
 *
 * - `lifecycle`: role-only and empty chunks. `content`: something was generated (text, tool call, reasoning, refusal).
 * - `finish`: carries a `finish_reason`. `usage`: the chunk with `choices: []` and the usage of the whole answer, emitted exactly
 *   once and last whenever the provider told the usage, whether or not the caller asked. On the others `usage` is null where the
 *   caller asked for it, and absent where not.
 * - `failed`: the provider reported an error inside the stream. `malformed`: an event that can't be read.
 * - `done`: the provider's own end mark was seen (`[DONE]`, `message_stop`).
 */
export type StreamEvent =
  | { readonly kind: "lifecycle" | "content" | "finish"; readonly data: string }
  | { readonly kind: "usage"; readonly data: string; readonly usage: Usage; readonly serviceTier?: string | undefined }
  | { readonly kind: "failed"; readonly failure: ProviderFailure }
  | { readonly kind: "malformed" }
  | { readonly kind: "done" }
