/** Where an answer is written: a socket in `http/node`, memory in the test gateway. The callers of it are `Reply.ts` and its neighbours. */
import type { Effect } from "effect"
import type { AnswerHeaders } from "./Endpoint.ts"

export interface WireReply {
  /** The head is out. */
  readonly isBegun: boolean
  /** The head is out, and it is that of a stream of events. */
  readonly isStream: boolean
  readonly isEnded: boolean
  /** Nobody reads any more. */
  readonly isGone: boolean
  /** What was written has not been taken yet. */
  readonly isFull: boolean
  /** The answer from its head to its end. The headers have its length; a body of undefined is left out (`HEAD`). */
  readonly whole: (status: number, headers: AnswerHeaders, body: string | Uint8Array | undefined) => void
  /** The head of a stream of events. `announced`: the names of its trailers, where the way it is sent has room for them. */
  readonly open: (headers: AnswerHeaders, announced: string) => void
  /** False: `taken` is to be waited for before more is written. */
  readonly write: (text: string) => boolean
  /** Completes when the reader has taken what was written, or is gone: who takes nothing for too long is cut off. */
  readonly taken: Effect.Effect<void>
  readonly end: (trailers: Record<string, string> | undefined) => void
  /** From here on the reader has so long to take the rest before it is cut off. */
  readonly cutIfStalled: () => void
  readonly destroy: () => void
}
