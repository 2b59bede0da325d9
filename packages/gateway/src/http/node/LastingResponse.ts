/**
 * A `node:http` response that ends no sooner than its request: a close while the client sends resets the connection, and the
 * client would not see the response. So the rest of the request is read and discarded for a while.
 */
import type { IncomingMessage } from "node:http"
import { ServerResponse } from "./NodeHttp.ts"

/** Milliseconds of silence, and discarded bytes, after which the connection is closed anyway. `requestTimeout` applies as well. */
const SILENCE_MS = 2_000
const MOST_BYTES = 64 * 1024 * 1024

type Callback = () => void

export class LastingResponse<Request extends IncomingMessage = IncomingMessage> extends ServerResponse<Request> {
  override end(callback?: Callback): this
  override end(chunk: unknown, callback?: Callback): this
  override end(chunk: unknown, encoding: BufferEncoding, callback?: Callback): this
  override end(chunk?: unknown, encoding?: BufferEncoding | Callback, callback?: Callback): this {
    const { req, socket } = this
    if (req.complete || req.destroyed || socket === null || this.writableEnded) {
      return super.end(chunk, encoding as BufferEncoding, callback)
    }
    if (chunk !== undefined && chunk !== null && typeof chunk !== "function") {
      if (typeof encoding === "string") this.write(chunk, encoding)
      else this.write(chunk)
    }
    // Also where there is no body: to HEAD nothing but the head is written.
    this.flushHeaders()
    const last = [chunk, encoding, callback].find((one) => typeof one === "function")
    discard(req, () => super.end(last as Callback | undefined))
    return this
  }
}

const discard = (request: IncomingMessage, done: () => void): void => {
  const { socket } = request
  let left = MOST_BYTES
  request.on("data", ({ length }: Buffer) => {
    left -= length
    if (left < 0) socket.destroy()
  })
  const cut = () => {
    if (!request.complete) socket.destroy()
  }
  socket.setTimeout(SILENCE_MS, cut)
  request.once("end", () => {
    // The connection may serve further requests.
    socket.off("timeout", cut).setTimeout(0)
    done()
  })
  request.resume()
}
