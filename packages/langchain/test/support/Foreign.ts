/** A server that is not the gateway, for what no gateway would send. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"

export interface Foreign extends AsyncDisposable {
  readonly url: string
}

/** Listens until it is disposed of. */
export const foreignServer = async (
  answer: (request: IncomingMessage, response: ServerResponse) => void
): Promise<Foreign> => {
  // Closes no idle connection by itself: after a machine that stood still for seconds, it would do so just as the caller asks again.
  const server = createServer({ keepAliveTimeout: 0 }, answer)
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      })
  }
}
