/** The body of a `node:http` request, as a whole. */
import type { IncomingMessage } from "node:http"
import { Effect } from "effect"
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
  private pieces: Array<Buffer> = []
  private size = 0
  private isOver = false

  constructor(maxBytes: number, resume: (bytes: Bytes) => void) {
    this.maxBytes = maxBytes
    this.resume = resume
  }

  piece(piece: Buffer): void {
    if (this.isOver) return
    this.size += piece.length
    if (this.size <= this.maxBytes) this.pieces.push(piece)
    else this.conclude(Effect.fail(new BodyTooLarge({ limitBytes: this.maxBytes })))
  }

  end(): void {
    if (this.isOver) return
    const { pieces } = this
    this.conclude(Effect.succeed(pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces)))
  }

  broken(): void {
    if (!this.isOver) this.conclude(brokenOff)
  }

  private conclude(bytes: Bytes): void {
    this.isOver = true
    this.pieces = []
    this.resume(bytes)
  }
}

const brokenOff = Effect.fail(new InvalidJson({ message: "the body broke off" }))
