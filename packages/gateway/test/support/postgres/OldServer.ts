/** A server that speaks Postgres' protocol as far as a client needs it to ask which version it is, and says one that nobody supports any more. */
import type { Socket } from "node:net"
import { Effect } from "effect"
import { listenTo } from "./Listener.ts"

/** What it answers, by the column's name: its type's OID, and the value. */
const row = [
  ["version", 23, int4(11)],
  ["words", 25, Buffer.from("11.22 (Debian 11.22-0+deb10u2)")],
  ["database", 25, Buffer.from("books")],
  ["role", 25, Buffer.from("gateway")],
  ["is_standby", 16, Buffer.from([0])]
] as const

/** Its address, and the statements that it was sent. */
export const oldServer = Effect.suspend(() => {
  const statements: Array<string> = []
  return Effect.map(
    listenTo((socket) => serve(socket, statements)),
    ({ port }) => ({
      url: `postgres://gateway@127.0.0.1:${port}/books`,
      statements: statements as ReadonlyArray<string>
    })
  )
})

const serve = (socket: Socket, statements: Array<string>): void => {
  let rest = Buffer.alloc(0)
  let isStarted = false
  let asks = false
  socket.on("data", (bytes) => {
    rest = Buffer.concat([rest, bytes])
    for (;;) {
      const head = isStarted ? 1 : 0
      if (rest.length < head + 4 || rest.length < head + rest.readInt32BE(head)) return
      const length = head + rest.readInt32BE(head)
      const [kind, body] = [isStarted ? String.fromCharCode(rest[0] ?? 0) : "", rest.subarray(head + 4, length)]
      rest = rest.subarray(length)
      if (kind === "P") {
        const [, statement = ""] = body.toString("latin1").split("\0")
        statements.push(statement)
        asks = statement.includes("server_version")
      }
      socket.write(answer(kind, body, asks))
      isStarted = true
    }
  })
}

const answer = (kind: string, body: Buffer, asks: boolean): Buffer => {
  switch (kind) {
    case "":
      return Buffer.concat([message("R", int4(0)), message("K", int4(1), int4(2)), ready])
    case "P":
      return message("1")
    case "B":
      return message("2")
    case "D": {
      const columns = asks
        ? message("T", int2(row.length), ...row.map(([name, type]) => column(name, type)))
        : message("n")
      return body[0] === 0x53 ? Buffer.concat([message("t", int2(0)), columns]) : columns
    }
    case "E": {
      const values = row.map(([, , value]) => Buffer.concat([int4(value.length), value]))
      const rows = asks ? message("D", int2(row.length), ...values) : Buffer.alloc(0)
      return Buffer.concat([rows, message("C", Buffer.from("SELECT 1\0"))])
    }
    case "C":
      return message("3")
    case "S":
      return ready
    default:
      return Buffer.alloc(0)
  }
}

function int4(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeInt32BE(value)
  return bytes
}

const int2 = (value: number): Buffer => int4(value).subarray(2)

const message = (kind: string, ...parts: ReadonlyArray<Buffer>): Buffer => {
  const body = Buffer.concat(parts)
  return Buffer.concat([Buffer.from(kind), int4(4 + body.length), body])
}

const ready = message("Z", Buffer.from("I"))

/** Of no table, in binary. */
const column = (name: string, type: number): Buffer =>
  Buffer.concat([Buffer.from(`${name}\0`), int4(0), int2(0), int4(type), int2(-1), int4(-1), int2(1)])
