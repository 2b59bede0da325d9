/** A call whose answer is read as it comes. What nobody has read yet waits here, and when it is much, the upstream waits. */
import { Cause, Effect, type Pull } from "effect"
import type { OpenResponse, TransportFailure, UpstreamHead } from "../../core/pool/Transport.ts"
import { Call, LARGEST_BODY } from "./Call.ts"

/** Reading from the socket stops while this many bytes are unread. */
const HIGH_WATER = 64 * 1024

type BodyPieces = readonly [Uint8Array, ...Array<Uint8Array>]
type NextPiece = Pull.Pull<BodyPieces, TransportFailure>

export class OpenCall extends Call {
  private opened: ((answer: Effect.Effect<OpenResponse, TransportFailure>) => void) | undefined
  /** The head, until it is given to who opened the call. */
  private head: UpstreamHead | undefined
  private reader: ((next: NextPiece) => void) | undefined
  private unread: Array<Uint8Array> = []
  private unreadBytes = 0
  private size = 0
  private last: NextPiece | undefined
  private isWaking = false

  /** Sends the request and waits for the head of the answer. */
  opening(send: () => void): Effect.Effect<OpenResponse, TransportFailure> {
    return Effect.callback((resume) => {
      this.opened = resume
      send()
      return Effect.sync(() => this.close())
    })
  }

  protected headCame(head: UpstreamHead): void {
    this.head = head
    this.wake()
  }

  protected pieceCame(piece: Buffer): void {
    this.size += piece.length
    if (this.size > LARGEST_BODY) return this.fail("too_large", `sent more than ${LARGEST_BODY} bytes`)
    this.unread.push(piece)
    this.unreadBytes += piece.length
    if (this.unreadBytes >= HIGH_WATER && !this.paused) this.pause()
    this.wake()
  }

  protected ended(): void {
    this.last = Cause.done()
    this.wake()
  }

  protected failed(failure: TransportFailure): void {
    this.last = Effect.fail(failure)
    this.wake()
  }

  /**
   * Later, when undici has parsed all that one read of the connection brought: the chunks of several events go on together, and no reader
   * acts inside the parser.
   */
  private wake(): void {
    if (this.isWaking) return
    this.isWaking = true
    queueMicrotask(() => {
      this.isWaking = false
      this.notify()
    })
  }

  private notify(): void {
    const { head, last, opened, reader } = this
    if (opened !== undefined) {
      if (head === undefined && last === undefined) return
      this.opened = undefined
      this.head = undefined
      // A call that failed before its head has nothing but the failure.
      if (head === undefined) return opened(last as Effect.Effect<never, TransportFailure>)
      const { headers, status } = head
      return opened(Effect.succeed({ status, headers, chunks: this.pull }))
    }
    if (reader === undefined || (this.unread.length === 0 && last === undefined)) return
    this.reader = undefined
    reader(this.pull)
  }

  private readonly pull: NextPiece = Effect.suspend(() => {
    if (this.unread.length > 0) return Effect.succeed(this.take())
    return this.last ?? this.wait
  })

  private readonly wait: NextPiece = Effect.callback((resume) => {
    this.reader = resume
    return Effect.sync(() => {
      this.reader = undefined
    })
  })

  private take(): BodyPieces {
    const pieces = this.unread
    this.unread = []
    this.unreadBytes = 0
    if (this.paused) this.resumeReading()
    return pieces as unknown as BodyPieces
  }
}
