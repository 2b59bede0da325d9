/** An address that leads to one server or another, as those that high availability brings: when it turns, connections are cut. */
import { connect } from "node:net"
import { Effect } from "effect"
import { listenTo } from "./Listener.ts"

export interface Switch {
  readonly port: number
  readonly turnTo: (port: number) => void
}

export const switchTo = (first: number) =>
  Effect.suspend(() => {
    let target = first
    const listening = listenTo((near, { keep }) => {
      const far = keep(connect(target, "127.0.0.1"))
      near.on("close", () => far.destroy())
      far.on("close", () => near.destroy())
      near.pipe(far)
      far.pipe(near)
    })
    return Effect.map(listening, ({ cut, port }) => {
      const turnTo = (to: number) => {
        target = to
        cut()
      }
      return { port, turnTo } satisfies Switch as Switch
    })
  })
