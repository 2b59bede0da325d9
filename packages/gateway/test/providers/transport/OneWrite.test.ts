/** What undici writes of a request: how it leaves the process. */
import { Socket } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { inOneWrite } from "../../../src/providers/transport/OneWrite.ts"

/** A connection, and what is written to it. */
const connected = () => {
  const socket = new Socket()
  const written: Array<string> = []
  socket.write = (bytes: string | Uint8Array, encoding?: unknown) => {
    written.push(Buffer.from(bytes as string, encoding as BufferEncoding).toString("latin1"))
    return bytes.length < 100_000
  }
  let given: Socket | null = null
  inOneWrite((_, callback) => callback(null, socket))({ hostname: "x", protocol: "http:", port: "80" }, (_, one) => {
    given = one
  })
  assert.strictEqual(given, socket)
  return { socket, written }
}

const HEAD = "POST / HTTP/1.1\r\ncontent-length: 5\r\n\r\n"

describe("a request", () => {
  it("of a head and a body is one write", () => {
    const { socket, written } = connected()
    for (const body of ["hello", "h\u00ffllo"]) {
      socket.cork()
      assert.isTrue(socket.write(HEAD, "latin1"))
      assert.isTrue(socket.write(Buffer.from(body, "latin1")))
      socket.uncork()
    }
    assert.deepStrictEqual(written, [`${HEAD}hello`, `${HEAD}h\u00ffllo`])
  })

  it("of a piece whose length stands before it is one write, and the last word another", () => {
    const { socket, written } = connected()
    socket.cork()
    socket.write("POST / HTTP/1.1\r\n", "latin1")
    socket.write("\r\n5\r\n", "latin1")
    socket.write(Buffer.from("hello"))
    socket.uncork()
    socket.write("\r\n0\r\n\r\n", "latin1")
    assert.deepStrictEqual(written, ["POST / HTTP/1.1\r\n\r\n5\r\nhello", "\r\n0\r\n\r\n"])
  })

  it("whose body is large, or that has none, loses nothing, and says when the connection is full", () => {
    const { socket, written } = connected()
    const large = Buffer.alloc(200_000, "x")
    socket.cork()
    socket.write(HEAD, "latin1")
    assert.isFalse(socket.write(large))
    socket.uncork()
    socket.cork()
    socket.write(HEAD, "latin1")
    socket.uncork()
    socket.write(HEAD, "latin1")
    assert.deepStrictEqual(written, [HEAD, large.toString(), HEAD, HEAD])
  })

  it("has no connection where connecting fails", () => {
    const refused = new Error("refused")
    const heard: Array<unknown> = []
    // Undici gives nothing in place of a connection.
    const connect = inOneWrite((_, callback) => (callback as unknown as (error: Error) => void)(refused))
    connect({ hostname: "x", protocol: "http:", port: "80" }, (...given) => heard.push(given))
    assert.deepStrictEqual(heard, [[refused]])
  })
})
