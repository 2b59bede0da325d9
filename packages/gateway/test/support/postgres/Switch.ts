/** An address that leads to one server or another, as those that high availability brings: when it turns, connections are cut. */
import { type AddressInfo, connect, createServer, type Socket } from "node:net"
import { Effect } from "effect"

export interface Switch {
  readonly port: number
  readonly turnTo: (port: number) => void
}

export const switchTo = (first: number) =>
  Effect.acquireRelease(
    Effect.callback<Switch & { readonly close: () => void }>((resume) => {
      let target = first
      const sockets = new Set<Socket>()
      const keep = (socket: Socket) => {
        sockets.add(socket)
        return socket.on("error", () => {}).on("close", () => sockets.delete(socket))
      }
      const cut = () => {
        for (const socket of sockets) socket.destroy()
      }
      const server = createServer((near) => {
        const far = keep(connect(target, "127.0.0.1"))
        keep(near).on("close", () => far.destroy())
        far.on("close", () => near.destroy())
        near.pipe(far)
        far.pipe(near)
      })
      server.listen(0, "127.0.0.1", () => {
        const { port } = server.address() as AddressInfo
        const turnTo = (to: number) => {
          target = to
          cut()
        }
        const close = () => {
          server.close()
          cut()
        }
        resume(Effect.succeed({ port, turnTo, close }))
      })
    }),
    ({ close }) => Effect.sync(close)
  )
