/** Handles the requests of a connection one at a time: Node would keep responses to pipelined requests in memory. */
import type { IncomingMessage, Server, ServerResponse } from "node:http"
import type { Duplex } from "node:stream"

/** Returns what to do when the response is closed. */
export type RequestListener = (request: IncomingMessage, response: ServerResponse) => (() => void) | void

interface State {
  /** The response to the request that is handled now. */
  current: ServerResponse | undefined
  /** The last response that was begun or waits. */
  last: ServerResponse | undefined
}

const states = new WeakMap<Duplex, State>()

export const followConnections = (server: Server): void => {
  server.on("connection", (socket) => states.set(socket, { current: undefined, last: undefined }))
}

/** The response that is written to its end, even if bad bytes follow its request: the request is complete, or the head was sent. */
export const responseUnderWayOn = (socket: Duplex): ServerResponse | undefined => {
  const current = states.get(socket)?.current
  return current?.headersSent === true || current?.req.complete === true ? current : undefined
}

/** Handles a request when the response before it is written. Until then nothing more is read from its connection. */
export const inTurn =
  (handle: RequestListener) =>
  (request: IncomingMessage, response: ServerResponse): void => {
    const { socket } = request
    const state = states.get(socket) ?? { current: undefined, last: undefined }
    const before = state.last
    state.last = response
    let closed: (() => void) | void
    // Two listeners would be an array, which V8 may keep in old space, with all that they lead to, until the next full collection.
    response.on("close", () => {
      if (state.current === response) state.current = undefined
      if (state.last === response) state.last = undefined
      closed?.()
    })
    const begin = () => {
      state.current = response
      closed = handle(request, response)
    }
    if (before === undefined) return begin()
    socket.pause()
    before.once("close", () => {
      if (socket.destroyed) return
      socket.resume()
      begin()
    })
  }
