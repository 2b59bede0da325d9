/**
 * The request of `node:http`, whose body can be read without a stream. Node's parser gives each piece to `push`; from there it goes to
 * its one reader at once, and so does its end. A stream would take it through five turns of the queue.
 */
import { Readable } from "node:stream"
import { IncomingMessage } from "./NodeHttp.ts"

/** After `end` or `broken` it may hear of anything, and does nothing. */
export interface BodyReader {
  piece(piece: Buffer): void
  /** Nothing is missing. */
  end(): void
  /** The connection broke. */
  broken(): void
}

export class Incoming extends IncomingMessage {
  /** Node's own note that somebody reads the stream. Where nobody does, it discards the body once the answer is written. */
  declare protected _consuming: boolean
  private reader: BodyReader | undefined = undefined
  /** Some of the body is in the stream, or its end. */
  private isStream = false
  /** The reader has all of it. */
  isRead = false

  /** Gives the body to `reader`. False: some of it is in the stream already, and so will be the rest. */
  readBy(reader: BodyReader): boolean {
    if (this.isStream || this.destroyed) return false
    this.reader = reader
    this._consuming = true
    return true
  }

  override push(piece: Buffer | null): boolean {
    const { reader } = this
    if (reader === undefined) {
      this.isStream = true
      return super.push(piece)
    }
    if (piece !== null) reader.piece(piece)
    else {
      this.isRead = true
      reader.end()
    }
    return true
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    this.reader?.broken()
    super._destroy(error, callback)
  }
}

/** Where it is true, Node forgets the request once its answer is written. TypeScript takes the getter for a field. */
// oxlint-disable-next-line typescript/unbound-method -- called with `this` below
const { get: streamEnded } = Object.getOwnPropertyDescriptor(Readable.prototype, "readableEnded") ?? {}
Object.defineProperty(Incoming.prototype, "readableEnded", {
  get(this: Incoming): boolean {
    return this.isRead || streamEnded?.call(this) === true
  }
})
