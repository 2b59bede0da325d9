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
  const server = createServer(answer)
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
