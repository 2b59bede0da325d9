/** Where a response is written: a socket in `http/node`, memory in the test gateway. Used by `Reply.ts` and the files next to it. */
import type { Effect } from "effect"
import type { ErrorShape } from "../errors/ErrorShape.ts"
import type { AnswerHeaders } from "./Endpoint.ts"

export interface WireReply {
  errors: ErrorShape
  /** The head was sent. */
  readonly isBegun: boolean
  /** The head was sent and began a stream of events. */
  readonly isStream: boolean
  readonly isEnded: boolean
  /** The reader has left. */
  readonly isGone: boolean
  /** The reader has not taken everything yet. */
  readonly isFull: boolean
  /** Writes a complete response. The headers include its length; an undefined body is left out (`HEAD`). */
  whole(status: number, headers: AnswerHeaders, body: string | Uint8Array | undefined): void
  /** Sends the head of a stream of events. `announced`: the names of its trailers, if the connection supports them. */
  open(headers: AnswerHeaders, announced: string): void
  /** False: wait for `taken` before writing more. */
  write(text: string): boolean
  /** Completes when the reader has taken everything, or is gone. A reader that takes nothing for too long is cut off. */
  readonly taken: Effect.Effect<void>
  /** Completes when a complete response has left, or its reader is gone. */
  readonly flushed: Effect.Effect<void>
  end(trailers: Record<string, string> | undefined): void
  /** Ends an incomplete stream: what was written arrives, then the connection closes without the end of the body. */
  breakOff(): void
  /** From now on the reader is cut off if it does not take the rest in time. */
  cutIfStalled(): void
  destroy(): void
}
