/**
 * Reads what a provider answers to a stream request, from bytes to events: server-sent events, or one JSON completion, which some
 * send instead and of which a stream is made. By their first character the two can't be confused, whatever the content type says.
 */
import { Result } from "effect"
import type { ChatCall, ChatProtocol, SseEvent, StreamEvent, StreamLifter } from "../core/pool/Protocol.ts"
import { ProviderFailure, truncated } from "../core/domain/Failures.ts"
import { completionEvents } from "./CompletionEvents.ts"
import { retryAfter } from "./RetryAfter.ts"
import { SseDecoder } from "./framing/Sse.ts"

type Headers = { readonly [name: string]: string | undefined }

const OPEN_LIST = 91
const OPEN_OBJECT = 123

export class AnswerReader {
  /** The last thing said was a finish reason: nothing but the usage is to come. */
  isFinished = false
  private readonly protocol: ChatProtocol
  private readonly call: ChatCall
  private readonly headers: Headers
  private readonly decoder = new SseDecoder()
  private readonly lifter: StreamLifter
  private begun = false
  /** The pieces of an answer that comes as one JSON value. */
  private json: Array<Uint8Array> | undefined

  constructor(protocol: ChatProtocol, call: ChatCall, headers: Headers) {
    this.protocol = protocol
    this.call = call
    this.headers = headers
    this.lifter = protocol.stream(call)
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

  /** White space may keep the connection alive before JSON; in an event stream it says nothing. */
  private begin(bytes: Uint8Array): void {
    const first = bytes.find((byte) => byte > 32)
    if (first === undefined) return
    this.begun = true
    if (first === OPEN_OBJECT || first === OPEN_LIST) this.json = []
  }

  private completion(text: string): ReadonlyArray<StreamEvent> {
    const lifted = this.protocol.lift(text, this.call)
    return Result.isSuccess(lifted)
      ? completionEvents(lifted.success, this.call)
      : [{ kind: "failed", failure: withWait(lifted.failure, this.headers) }]
  }

  private lifted(sse: ReadonlyArray<SseEvent>): Array<StreamEvent> {
    const events: Array<StreamEvent> = []
    for (const event of sse) {
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
