/** Decodes a provider's response to a stream request. One JSON completion, which some providers send instead, becomes a stream. */
import { Result } from "effect"
import { Pieces } from "../../core/collections/Pieces.ts"
import type { FrameDecoder, Framing, WireEvent } from "../../core/pool/Framing.ts"
import type { UpstreamCall, Dialect, StreamLifter, StreamEvent } from "../../core/pool/Protocol.ts"
import { ProviderFailure, truncated } from "../../core/domain/Failures.ts"
import { MAX_EVENT_LENGTH } from "../framing/Sse.ts"
import { retryAfter } from "../protocols/shared/RetryAfter.ts"

type Headers = { readonly [name: string]: string | undefined }

interface AnswerSource {
  readonly framing: Framing
  readonly dialect: Dialect
  readonly call: UpstreamCall
  readonly headers: Headers
  /** Characters of one event, at most. */
  readonly longest?: number | undefined
}

export class AnswerReader {
  /** A finish reason was the last event: only the usage can follow. */
  isFinished = false
  private readonly source: AnswerSource
  private readonly decoder: FrameDecoder
  private readonly lifter: StreamLifter
  private begun = false
  /** A response that comes as one JSON value. */
  private json: Pieces | undefined

  constructor(source: AnswerSource) {
    const { call, dialect, framing, longest } = source
    this.source = source
    this.decoder = framing.decoder(longest)
    this.lifter = dialect.stream(call)
  }

  push(bytes: Uint8Array): Array<StreamEvent> {
    if (!this.begun) this.begin(bytes)
    if (this.json !== undefined) {
      this.json.add(bytes)
      return []
    }
    const events = this.lifted(this.decoder.push(bytes))
    // Reported at once: an upstream that never ends a line never ends its response either.
    if (this.decoder.tooLong) events.push(oversized(this.source.longest))
    if (this.decoder.broken !== undefined) events.push({ kind: "failed", failure: truncated(this.decoder.broken) })
    return events
  }

  end(): Array<StreamEvent> {
    if (this.json !== undefined) return [...this.completion(this.json.whole().toString("utf8"))]
    return [...this.lifted(this.decoder.end()), ...this.lifter.end()]
  }

  /** The connection broke behind a finish. Returns the events that are still due. */
  cut(): Array<StreamEvent> {
    return [...this.lifter.end()]
  }

  /** White space before JSON may keep the connection alive; before an event it means nothing. */
  private begin(bytes: Uint8Array): void {
    const first = bytes.find((byte) => !isBlank(byte))
    if (first === undefined) return
    this.begun = true
    if (this.source.framing.isWholeAnswer?.(first) === true) this.json = new Pieces()
  }

  private completion(text: string): ReadonlyArray<StreamEvent> {
    const { call, dialect, headers } = this.source
    const lifted = dialect.lift(text, call)
    if (Result.isFailure(lifted)) return [{ kind: "failed", failure: withWait(lifted.failure, headers) }]
    return dialect.replay?.(lifted.success, call) ?? [unstreamed]
  }

  private lifted(framed: ReadonlyArray<WireEvent>): Array<StreamEvent> {
    const { headers } = this.source
    const events: Array<StreamEvent> = []
    for (const event of framed) {
      for (const lift of this.lifter.push(event)) {
        if (lift.kind === "finish" || lift.kind === "content") this.isFinished = lift.kind === "finish"
        events.push(lift.kind === "failed" ? { kind: "failed", failure: withWait(lift.failure, headers) } : lift)
      }
    }
    return events
  }
}

/** White space of a text. A binary framing may begin with a zero. */
const isBlank = (byte: number): boolean => byte === 32 || (byte >= 9 && byte <= 13)

/** The failure inside a 200 answer, with the wait that its headers ask for. */
export const withWait = (failure: ProviderFailure, headers: Headers): ProviderFailure => {
  const retryAfterMs = failure.retryAfterMs ?? retryAfter(headers)
  if (retryAfterMs === failure.retryAfterMs) return failure
  // Spreading an error does not copy its message.
  return new ProviderFailure({ ...failure, message: failure.message, retryAfterMs: retryAfterMs! })
}

const unstreamed: StreamEvent = {
  kind: "failed",
  failure: truncated("the provider responded to a stream request with a complete response")
}

const oversized = (longest: number = MAX_EVENT_LENGTH): StreamEvent => ({
  kind: "failed",
  failure: truncated(`the provider sent an event of more than ${longest / 1024 / 1024} MiB`)
})
