/**
 * The last answer of a connection may be written while its client still sends. To close the connection then would reset it, and the
 * client would see the reset instead of the answer. So our side ends, and what comes is thrown away for a while, as proxies do.
 */
import type { IncomingMessage, Server, ServerResponse } from "node:http"
import { Socket } from "node:net"

/** Milliseconds of silence, and bytes thrown away, until the connection is closed all the same. `requestTimeout` bounds it, too. */
const SILENCE_MS = 2_000
const MOST_BYTES = 64 * 1024 * 1024

/** What Node keeps on a connection: the request that it is reading. */
interface Connection extends Socket {
  readonly parser?: { readonly incoming?: IncomingMessage | null } | null
}

/** Node closes a connection after its last answer by `destroySoon`, which is replaced here. */
export const closeLingering = (server: Server): void => {
  server.on("connection", (socket: Connection) => {
    socket.destroySoon = destroySoon
  })
}

type Listener = (request: IncomingMessage, response: ServerResponse) => void

/**
 * Effect's server ends such a connection in its own way: it reads no more and closes after half a second, which is a reset for who
 * still sends. So it is told that the connection goes on, and Node, whose turn is next, that it does not.
 */
export const lingering =
  (listener: Listener): Listener =>
  (request, response) => {
    const answer: LastAnswer = response
    let isLast: boolean | undefined
    answer.prependListener("finish", () => {
      if (isLast === true) answer._last = true
    })
    listener(request, response)
    answer.prependListener("finish", () => {
      isLast = answer._last
      if (isLast === true) answer._last = false
    })
  }

/** What Node notes on an answer: that its connection ends with it. */
interface LastAnswer extends ServerResponse {
  _last?: boolean
}

function destroySoon(this: Connection): void {
  const request = this.parser?.incoming ?? undefined
  if (request === undefined || request.complete || !this.writable) return Socket.prototype.destroySoon.call(this)
  linger(this)
}

const linger = (socket: Connection): void => {
  let left = MOST_BYTES
  const discard = ({ length }: Buffer) => {
    left -= length
    if (left < 0) socket.destroy()
  }
  // From the first listener on Node's parser gets nothing from the kernel by itself; without its own it gets nothing at all: what
  // follows in the same breath must not be taken for another request.
  const parsers = socket.listeners("data")
  socket.on("data", discard)
  for (const listener of parsers) socket.off("data", listener as (piece: Buffer) => void)
  socket.setTimeout(SILENCE_MS, () => socket.destroy())
  socket.once("end", () => socket.destroy())
  socket.end()
  socket.resume()
}
