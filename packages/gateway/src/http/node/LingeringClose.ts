/**
 * The last answer of a connection may be written while its client is still sending. Closing then would reset the connection, and
 * the client would see the reset instead of the answer. So only the gateway's side is closed, and incoming bytes are discarded for
 * a while.
 */
import type { IncomingMessage, Server, ServerResponse } from "node:http"
import { Socket } from "node:net"

/** Milliseconds of silence, and discarded bytes, after which the connection is closed anyway. `requestTimeout` applies as well. */
const SILENCE_MS = 2_000
const MOST_BYTES = 64 * 1024 * 1024

/** What Node keeps on a connection: the request that it is reading. */
interface Connection extends Socket {
  readonly parser?: { readonly incoming?: IncomingMessage | null } | null
}

/** Node closes a connection after its last answer by `destroySoon`; this replaces it. */
export const closeLingering = (server: Server): void => {
  server.on("connection", (socket: Connection) => {
    socket.destroySoon = destroySoon
  })
}

type Listener = (request: IncomingMessage, response: ServerResponse) => void

/**
 * Effect's server closes such a connection in its own way: it stops reading and closes after half a second, which resets a client
 * that still sends. So Effect is told that the connection goes on, and Node that it does not.
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

/** Closes the gateway's side once all is written, and the connection when the client closes its side or stays silent. */
export const linger = (socket: Socket): void => {
  let left = MOST_BYTES
  const discard = ({ length }: Buffer) => {
    left -= length
    if (left < 0) socket.destroy()
  }
  // Once it has another listener, Node's parser no longer gets bytes from the kernel directly. Without its own listener it gets
  // nothing at all, so bytes that follow are not parsed as another request.
  const parsers = socket.listeners("data")
  socket.on("data", discard)
  for (const listener of parsers) socket.off("data", listener as (piece: Buffer) => void)
  socket.setTimeout(SILENCE_MS, () => socket.destroy())
  socket.once("end", () => socket.destroy())
  socket.end()
  socket.resume()
}
