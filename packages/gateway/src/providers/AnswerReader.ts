/**
 * Reads what a provider answers to a stream request, from bytes to events: the protocol's framing, or one JSON completion, which some
 * send instead and of which a stream is made. The framing tells the two apart by their first byte.
 */
import { Result } from "effect"
import type { FrameDecoder, Framing, WireEvent } from "../core/pool/Framing.ts"
import type { StreamEvent } from "../core/operations/LiftedAnswer.ts"
import type { ChatCall, Dialect, StreamLifter } from "../core/pool/Protocol.ts"
import { ProviderFailure, truncated } from "../core/domain/Failures.ts"
import { completionEvents } from "./CompletionEvents.ts"
import { retryAfter } from "./RetryAfter.ts"

type Headers = { readonly [name: string]: string | undefined }

export class AnswerReader {
  /** The last thing said was a finish reason: nothing but the usage is to come. */
  isFinished = false
  private readonly framing: Framing
  private readonly dialect: Dialect
  private readonly call: ChatCall
  private readonly headers: Headers
  private readonly decoder: FrameDecoder
  private readonly lifter: StreamLifter
  private begun = false
  /** The pieces of an answer that comes as one JSON value. */
  private json: Array<Uint8Array> | undefined

  constructor(framing: Framing, dialect: Dialect, call: ChatCall, headers: Headers) {
    this.framing = framing
    this.dialect = dialect
    this.call = call
    this.headers = headers
    this.decoder = framing.decoder()
    this.lifter = dialect.stream(call)
  }

  push(bytes: Uint8Array): Array<StreamEvent> {
    if (!this.begun) this.begin(bytes)
    if (this.json !== undefined) {
      this.json.push(bytes)
      return []
    }
    const events = this.lifted(this.decoder.push(bytes))
    // Said at once: an upstream that never ends a line never ends its answer either.
    if (this.decoder.tooLong) events.push(oversized)
    return events
  }

  /** The upstream closed. */
  end(): Array<StreamEvent> {
    if (this.json !== undefined) return [...this.completion(Buffer.concat(this.json).toString("utf8"))]
    return [...this.lifted(this.decoder.end()), ...this.lifter.end()]
  }

  /** The connection broke: what is still to be said. */
  cut(): Array<StreamEvent> {
    return [...this.lifter.end()]
  }

  /** White space may keep the connection alive before JSON; before an event it says nothing. */
  private begin(bytes: Uint8Array): void {
    const first = bytes.find((byte) => byte > 32)
    if (first === undefined) return
    this.begun = true
    if (this.framing.isWholeAnswer?.(first) === true) this.json = []
  }

  private completion(text: string): ReadonlyArray<StreamEvent> {
    const lifted = this.dialect.lift(text, this.call)
    return Result.isSuccess(lifted)
      ? completionEvents(lifted.success, this.call)
      : [{ kind: "failed", failure: withWait(lifted.failure, this.headers) }]
  }

  private lifted(framed: ReadonlyArray<WireEvent>): Array<StreamEvent> {
    const events: Array<StreamEvent> = []
    for (const event of framed) {
      for (const lift of this.lifter.push(event)) {
        if (lift.kind === "finish" || lift.kind === "content") this.isFinished = lift.kind === "finish"
        events.push(lift.kind === "failed" ? { kind: "failed", failure: withWait(lift.failure, this.headers) } : lift)
      }
    }
    return events
  }
}

/** The failure that a 200 turned out to be, with the wait that its head asks for. */
export const withWait = (failure: ProviderFailure, headers: Headers): ProviderFailure => {
  const retryAfterMs = failure.retryAfterMs ?? retryAfter(headers)
  if (retryAfterMs === failure.retryAfterMs) return failure
  // An error's message is not among the members that are spread.
  return new ProviderFailure({ ...failure, message: failure.message, retryAfterMs: retryAfterMs! })
}

const oversized: StreamEvent = {
  kind: "failed",
  failure: truncated("the provider sent an event of more than 1 MiB")
}
