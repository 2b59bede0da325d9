/**
 * One HTTP call, from its request to the end of its answer. Shared by answers read completely and answers read as they come: the head,
 * the time limits, the end of a call.
 */
import {
  TransportFailure,
  type PiecedBody,
  type UpstreamHead,
  type UpstreamRequest
} from "../../core/pool/Transport.ts"
import { NOWHERE } from "../../core/collections/Roster.ts"
import type { Deadlines, Watched } from "./Deadlines.ts"
import type { Origin } from "./Origin.ts"
import type { ResponseHead } from "./http1/ResponseHead.ts"
import type { ResponseReader } from "./http1/ResponseParser.ts"

/** The largest answer that is read, in bytes. */
export const LARGEST_BODY = 64 * 1024 * 1024

/** A request as it goes out. */
export interface Sending {
  /** With its empty line, a character for each byte. */
  readonly head: string
  readonly body: Uint8Array | PiecedBody | undefined
}

/** What its request goes out on, and its answer comes in. */
export interface Line {
  /** Nobody listens any more. */
  close(): void
  /** Reads nothing until `resume`. */
  pause(): void
  resume(): void
}

export abstract class Call implements ResponseReader, Watched {
  place = NOWHERE
  isOver = false
  line: Line | undefined
  readonly origin: Origin
  readonly sending: Sending
  /** The reader is slower than the upstream, so silence is not the upstream's fault. */
  protected paused = false
  private readonly timeouts: UpstreamRequest["timeouts"]
  private readonly deadlines: Deadlines
  private readonly startedAt: number
  /** When the request went out, then when the last piece came; undefined until there is a connection. */
  private lastAt: number | undefined
  private anyPiece = false
  /** The head of the answer has come. */
  private begun = false

  constructor(origin: Origin, sending: Sending, timeouts: UpstreamRequest["timeouts"], deadlines: Deadlines) {
    this.origin = origin
    this.sending = sending
    origin.waiting++
    this.timeouts = timeouts
    this.deadlines = deadlines
    this.startedAt = deadlines.now()
    deadlines.watch(this)
  }

  protected abstract headCame(head: UpstreamHead): void
  protected abstract pieceCame(piece: Buffer): void
  protected abstract ended(): void
  protected abstract failed(failure: TransportFailure): void

  /** Something of the answer was read, and more is to come. */
  abstract onRead(): void

  get isSent(): boolean {
    return this.lastAt !== undefined
  }

  onSent(): void {
    this.origin.waiting--
    this.origin.open++
    this.lastAt = this.deadlines.now()
  }

  onHead(head: ResponseHead): void {
    if (this.isOver) return
    this.begun = true
    this.headCame(head)
  }

  onPiece(piece: Buffer): void {
    if (this.isOver) return
    this.anyPiece = true
    this.touch()
    this.pieceCame(piece)
  }

  onEnd(): void {
    if (this.finish()) this.ended()
  }

  /** `what`: how it lost its connection, as a sentence about the origin. */
  onLost(what: string): void {
    this.onBroken(new TransportFailure({ kind: "reset", message: `${this.origin.name} ${what}` }))
  }

  onBroken(failure: TransportFailure): void {
    if (!this.finish()) return
    const isCut = this.begun && failure.kind === "reset"
    this.failed(isCut ? new TransportFailure({ kind: "cut", message: failure.message }) : failure)
  }

  check(now: number): void {
    const { connect, firstToken, idle, total } = this.timeouts
    const spent = now - this.startedAt
    if (spent >= total) return this.fail("total_timeout", `took longer than ${total} ms`)
    if (this.lastAt === undefined) {
      if (spent >= connect) this.fail("connect_timeout", `had no connection within ${connect} ms`)
      return
    }
    if (this.paused) return
    const silence = now - this.lastAt
    if (!this.anyPiece && silence >= firstToken) {
      return this.fail("first_byte_timeout", `did not begin to respond within ${firstToken} ms`)
    }
    if (this.anyPiece && silence >= idle) this.fail("idle_timeout", `sent nothing for ${idle} ms`)
  }

  /** Closes the connection unless the answer is complete. Safe at any time, any number of times. */
  close(): void {
    this.fail("reset", "was disconnected: the client no longer reads the response")
  }

  protected fail(kind: TransportFailure["kind"], what: string): void {
    if (!this.finish()) return
    this.line?.close()
    this.failed(new TransportFailure({ kind, message: `${this.origin.name} ${what}` }))
  }

  /** Something moved: the time of silence starts anew. */
  protected touch(): void {
    this.lastAt = this.deadlines.now()
  }

  /** False when the call had ended before. */
  private finish(): boolean {
    if (this.isOver) return false
    this.isOver = true
    if (this.isSent) this.origin.open--
    else this.origin.waiting--
    this.deadlines.forget(this)
    return true
  }
}
