/**
 * A request goes out in one write. Undici writes its head and its body one after the other, held back until both are there, which Node
 * does by a list of pieces: a tenth of what a call costs it.
 */
import type { Socket } from "node:net"
import type { buildConnector } from "undici"

/** Copying more than that costs more than a second write. */
const LARGEST_COPIED = 64 * 1024

/** Connects as `connect` does. */
export const inOneWrite =
  (connect: buildConnector.connector): buildConnector.connector =>
  (options, callback) =>
    connect(options, (...connected) => {
      const [failure, socket] = connected
      if (failure === null) gather(socket)
      callback(...connected)
    })

const gather = (socket: Socket): void => {
  const write: (bytes: string | Uint8Array, encoding?: BufferEncoding) => boolean = socket.write.bind(socket)
  let isHeldBack = false
  let head = ""
  const first = (): void => {
    if (head !== "") write(head, "latin1")
    head = ""
  }
  socket.cork = () => {
    isHeldBack = true
  }
  socket.uncork = () => {
    isHeldBack = false
    first()
  }
  socket.write = (bytes: string | Uint8Array, encoding?: unknown): boolean => {
    if (isHeldBack && encoding === "latin1") {
      head += String(bytes)
      return true
    }
    if (typeof bytes === "string" || head === "" || bytes.length > LARGEST_COPIED) {
      first()
      return write(bytes, encoding as BufferEncoding)
    }
    const all = Buffer.allocUnsafe(head.length + bytes.length)
    all.write(head, "latin1")
    all.set(bytes, head.length)
    head = ""
    return write(all)
  }
}
