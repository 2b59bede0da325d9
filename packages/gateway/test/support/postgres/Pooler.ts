/** What poolers do with who connects: they pass on user and database, and leave out the settings of the connection. */
import { connect } from "node:net"
import { Effect } from "effect"
import { listenTo } from "./Listener.ts"

/** The same database through one. */
export const pooler = (url: string) =>
  Effect.map(
    listenTo((socket, { keep }) => {
      const to = keep(connect(Number(new URL(url).port), "127.0.0.1"))
      socket.once("data", (startup) => {
        to.write(withoutSettings(startup))
        socket.pipe(to)
        to.pipe(socket)
      })
    }),
    ({ port }) => {
      const through = new URL(url)
      through.port = String(port)
      return through.toString()
    }
  )

/** Length, version, then names and values, each with an end; an empty name is the last. */
const withoutSettings = (startup: Buffer): Buffer => {
  const words = startup.subarray(8).toString("utf8").split("\0")
  const kept = words.flatMap((name, at) =>
    at % 2 === 0 && (name === "user" || name === "database") ? [name, words[at + 1] ?? ""] : []
  )
  const body = Buffer.from(`${kept.map((word) => `${word}\0`).join("")}\0`)
  const head = Buffer.from(startup.subarray(0, 8))
  head.writeInt32BE(8 + body.length)
  return Buffer.concat([head, body])
}
