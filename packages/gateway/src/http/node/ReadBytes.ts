/** The body of a `node:http` request, as a whole. */
import type { IncomingMessage } from "node:http"
import { Effect } from "effect"
import { Pieces } from "../../core/collections/Pieces.ts"
import { BodyTooLarge, InvalidJson } from "../HttpErrors.ts"
import { type BodyReader, Incoming } from "./Incoming.ts"

type Bytes = Effect.Effect<Buffer, BodyTooLarge | InvalidJson>

/** The whole body, unless it exceeds `maxBytes` or breaks off. */
export const readBytes = (request: IncomingMessage, maxBytes: number): Bytes =>
  Effect.callback((resume) => {
    const announced = Number(request.headers["content-length"] ?? 0)
    if (announced > maxBytes) return resume(Effect.fail(new BodyTooLarge({ limitBytes: maxBytes })))
    const body = new WholeBody(maxBytes, resume)
    if (request instanceof Incoming && request.readBy(body)) return
    request
      .on("data", (piece: Buffer) => body.piece(piece))
      .on("end", () => body.end())
      .on("error", () => body.broken())
      .on("close", () => body.broken())
  })

class WholeBody implements BodyReader {
  private readonly maxBytes: number
  private readonly resume: (bytes: Bytes) => void
  /** Undefined: nothing more is wanted. */
  private pieces: Pieces | undefined = new Pieces()

  constructor(maxBytes: number, resume: (bytes: Bytes) => void) {
    this.maxBytes = maxBytes
    this.resume = resume
  }

  piece(piece: Buffer): void {
    const { maxBytes, pieces } = this
    if (pieces === undefined) return
    if (pieces.size + piece.length <= maxBytes) pieces.add(piece)
    else this.conclude(Effect.fail(new BodyTooLarge({ limitBytes: maxBytes })))
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
