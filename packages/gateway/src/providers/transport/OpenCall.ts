/** A call whose answer is read as it comes. What nobody has read yet waits here, and when it is much, the upstream waits. */
import { Cause, Effect, Stream, type Pull } from "effect"
import type { OpenResponse, TransportFailure, UpstreamHead } from "../../core/pool/Transport.ts"
import { Call, LARGEST_BODY } from "./Call.ts"

/** Reading from the socket stops while this many bytes are unread. */
const HIGH_WATER = 64 * 1024

type Pieces = readonly [Uint8Array, ...Array<Uint8Array>]
type Next = Pull.Pull<Pieces, TransportFailure>

export class OpenCall extends Call {
  private opened: ((answer: Effect.Effect<OpenResponse, TransportFailure>) => void) | undefined
  /** The reader that waits for the next piece. */
  private reader: ((next: Next) => void) | undefined
  private unread: Array<Uint8Array> = []
  private unreadBytes = 0
  /** All bytes so far. */
  private size = 0
  /** What follows the last piece. */
  private last: Next | undefined

  /** Sends the request and waits for the head of the answer. */
  opening(send: () => void): Effect.Effect<OpenResponse, TransportFailure> {
    return Effect.callback((resume) => {
      this.opened = resume
      send()
      return Effect.sync(() => this.close())
    })
  }

  protected headCame({ status, headers }: UpstreamHead): void {
    const opened = this.opened
    this.opened = undefined
    opened?.(Effect.succeed({ status, headers, chunks: Stream.fromPull(Effect.succeed(this.pull)) }))
  }

  protected pieceCame(piece: Buffer): void {
    this.size += piece.length
    if (this.size > LARGEST_BODY) return this.fail("too_large", `sent more than ${LARGEST_BODY} bytes`)
    this.unread.push(piece)
    this.unreadBytes += piece.length
    if (this.unreadBytes >= HIGH_WATER && !this.paused) {
      this.paused = true
      this.line?.pause()
    }
  }

  onRead(): void {
    if (this.unread.length > 0) this.wake()
  }

  private wake(): void {
    const { reader } = this
    this.reader = undefined
    reader?.(this.pull)
  }

  protected ended(): void {
    this.conclude(Cause.done())
  }

  protected failed(failure: TransportFailure): void {
    const opened = this.opened
    this.opened = undefined
    if (opened !== undefined) opened(Effect.fail(failure))
    else this.conclude(Effect.fail(failure))
  }

  private conclude(last: Next): void {
    this.last = last
    this.wake()
  }

  private readonly pull: Next = Effect.suspend(() => {
    if (this.unread.length > 0) return Effect.succeed(this.take())
    return this.last ?? this.wait
  })

  private readonly wait: Next = Effect.callback((resume) => {
    this.reader = resume
    return Effect.sync(() => {
      this.reader = undefined
    })
  })

  private take(): Pieces {
    const pieces = this.unread
    this.unread = []
    this.unreadBytes = 0
    if (this.paused) {
      this.paused = false
      this.touch()
      this.line?.resume()
    }
    return pieces as unknown as Pieces
  }
}
