/** What a worker does not answer itself, `/admin` and the like, the process that owns the store does, over a socket of their own. */
import type { Server } from "node:http"
import { Effect } from "effect"
import { Agent, createServer, request } from "../http/node/NodeHttp.ts"
import type { Listener } from "../http/node/ProxyListener.ts"

/** Where the caller's connection comes from. A caller's own header of this name is overwritten. */
const PEER = "x-gateway-peer"

/** Passes requests on, and answers back, as they come. `path`: of the owner's socket. */
export const forwarding = (path: string): Listener => {
  const agent = new Agent({ keepAlive: true, maxSockets: 32 })
  return (incoming, response) => {
    const headers = { ...incoming.headers, [PEER]: incoming.socket.remoteAddress ?? "" }
    // Whether these two go on with their connection is no matter of the caller's.
    delete headers.connection
    const { method, url } = incoming
    const asked = request(
      { socketPath: path, agent, method, path: url, headers, setDefaultHeaders: false },
      (answer) => {
        const { connection: _connection, "keep-alive": _keepAlive, ...rest } = answer.headers
        response.writeHead(answer.statusCode ?? 502, answer.statusMessage, rest)
        answer.pipe(response)
      }
    )
    asked.once("error", () => {
      if (!response.headersSent) response.writeHead(503, { "retry-after": "1" })
      response.end()
    })
    response.once("close", () => asked.destroy())
    incoming.pipe(asked)
  }
}

/** Answers what workers pass on, until the scope closes. */
export const answerForwarded = (path: string, listener: Listener) =>
  Effect.acquireRelease(
    Effect.callback<Server>((resume) => {
      const server = createServer({ requestTimeout: 0, maxHeaderSize: 64 * 1024 }, (incoming, response) => {
        const peer = incoming.headers[PEER]
        delete incoming.headers[PEER]
        // A connection carries one request at a time, each of another caller.
        Object.defineProperty(incoming.socket, "remoteAddress", { value: peer, configurable: true })
        listener(incoming, response)
      })
      server.maxHeadersCount = 0
      server.listen(path, () => resume(Effect.succeed(server)))
    }),
    (server) =>
      Effect.promise(
        () =>
          new Promise<void>((resolve) => {
            server.close(() => resolve())
            server.closeAllConnections()
          })
      )
  )
