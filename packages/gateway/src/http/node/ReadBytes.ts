/** The body of a `node:http` request, as a whole. */
import type { IncomingMessage } from "node:http"
import { Effect } from "effect"
import { Pieces } from "../../core/collections/Pieces.ts"
import type { NoRoom } from "../../core/domain/Errors.ts"
import type { HeldBytes } from "../../core/limits/BytesInFlight.ts"
import { BodyTooLarge, InvalidJson } from "../errors/RequestErrors.ts"

type Bytes = Effect.Effect<Buffer, BodyTooLarge | InvalidJson | NoRoom>

/** The body, unless it exceeds `maxBytes`, has no room in `held` or breaks off. An announced length is taken beforehand. */
export const readBytes = (request: IncomingMessage, maxBytes: number, held?: HeldBytes): Bytes =>
  Effect.suspend(() => {
    const { complete, headers, readableLength } = request
    const size = complete ? readableLength : Number(headers["content-length"] ?? 0)
    if (size > maxBytes) return Effect.fail(new BodyTooLarge({ limitBytes: maxBytes }))
    const refused = size > 0 ? held?.take(size) : undefined
    if (refused !== undefined) return Effect.fail(refused)
    // A small body came with the head.
    if (complete) return Effect.succeed(request.read() ?? Buffer.alloc(0))
    return Effect.callback((resume) => {
      const body = new WholeBody(maxBytes, resume, size > 0 ? undefined : held)
      request
        .on("data", (piece: Buffer) => body.piece(piece))
        .on("end", () => body.end())
        .on("error", () => body.broken())
        .on("close", () => body.broken())
    })
  })

class WholeBody {
  private readonly maxBytes: number
  private readonly resume: (bytes: Bytes) => void
  /** Where room is taken for each piece. */
  private readonly held: HeldBytes | undefined
  /** Undefined: nothing more is wanted. */
  private pieces: Pieces | undefined = new Pieces()

  constructor(maxBytes: number, resume: (bytes: Bytes) => void, held: HeldBytes | undefined) {
    this.maxBytes = maxBytes
    this.held = held
    this.resume = resume
  }

  piece(piece: Buffer): void {
    const { maxBytes, pieces } = this
    if (pieces === undefined) return
    if (pieces.size + piece.length > maxBytes)
      return this.conclude(Effect.fail(new BodyTooLarge({ limitBytes: maxBytes })))
    const refused = this.held?.take(piece.length)
    if (refused === undefined) pieces.add(piece)
    else this.conclude(Effect.fail(refused))
  }

  end(): void {
    if (this.pieces !== undefined) this.conclude(Effect.succeed(this.pieces.whole()))
  }

  broken(): void {
    if (this.pieces !== undefined) this.conclude(brokenOff)
  }

  private conclude(bytes: Bytes): void {
    this.pieces = undefined
    this.resume(bytes)
  }
}

const brokenOff = Effect.fail(new InvalidJson({ message: "the body broke off" }))
