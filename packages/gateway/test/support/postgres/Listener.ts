/** A port of this process where tests stand between a gateway and Postgres, or in its place. */
import { type AddressInfo, createServer, type Socket } from "node:net"
import { Effect } from "effect"

export interface Listener {
  readonly port: number
  /** A connection that ends with those that came by themselves. */
  readonly keep: (socket: Socket) => Socket
  /** Ends all connections. */
  readonly cut: () => void
}

export const listenTo = (serve: (socket: Socket, listener: Pick<Listener, "keep">) => void) =>
  Effect.acquireRelease(
    Effect.callback<Listener & { readonly close: () => void }>((resume) => {
      const sockets = new Set<Socket>()
      const keep = (socket: Socket) => {
        sockets.add(socket)
        return socket.on("error", () => {}).on("close", () => sockets.delete(socket))
      }
      const cut = () => {
        for (const socket of sockets) socket.destroy()
      }
      const server = createServer((socket) => serve(keep(socket), { keep }))
      server.listen(0, "127.0.0.1", () => {
        const close = () => {
          server.close()
          cut()
        }
        resume(Effect.succeed({ port: (server.address() as AddressInfo).port, keep, cut, close }))
      })
    }),
    ({ close }) => Effect.sync(close)
  )
