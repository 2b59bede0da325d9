import { createServer, type Socket } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Transport, type UpstreamRequest } from "../../../src/core/pool/Transport.ts"
import { HttpTransport } from "../../../src/providers/transport/HttpTransport.ts"
import { listen, post } from "./Loopback.ts"

const provided = Effect.provide(HttpTransport.layer)

/** Responds to each request with its head, as text with a character for each byte. */
const serveHead = Effect.suspend(() => {
  const echo = (socket: Socket) =>
    socket.on("data", (bytes) => {
      const text = bytes.toString("latin1")
      const head = text.slice(0, text.indexOf("\r\n\r\n"))
      socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${head.length}\r\n\r\n`)
      socket.write(head, "latin1")
    })
  return listen(createServer(echo))
})

/** The head that a request has. */
const heads = Effect.gen(function* () {
  const { baseUrl, port } = yield* serveHead
  const transport = yield* Transport
  const send = (path: string, headers: UpstreamRequest["headers"], more: Partial<UpstreamRequest> = {}) =>
    transport.whole({ ...post(baseUrl.replace(/\/v1$/, "")), path, headers, ...more })
  const head = (...given: Parameters<typeof send>) =>
    Effect.map(send(...given), ({ bytes = new Uint8Array() }) => Buffer.from(bytes).toString("latin1").split("\r\n"))
  return { head, send, port }
})

describe("the head of a request", () => {
  it.live("says who is called, how long the body is, and what it was given, a character for each byte", () =>
    Effect.gen(function* () {
      const { head, port } = yield* heads
      assert.deepStrictEqual(
        yield* head("/v1/a?b=c", { authorization: "Bearer k", "X-Name": "caf\u00e9\tau" }, { body: "日本語" }),
        [
          "POST /v1/a?b=c HTTP/1.1",
          `host: 127.0.0.1:${port}`,
          "connection: keep-alive",
          "accept-encoding: identity",
          "authorization: Bearer k",
          "X-Name: caf\u00e9\tau",
          "content-length: 9"
        ]
      )
      assert.deepStrictEqual(yield* head("/", {}, { method: "GET" }), [
        "GET / HTTP/1.1",
        `host: 127.0.0.1:${port}`,
        "connection: keep-alive",
        "accept-encoding: identity"
      ])
    }).pipe(provided)
  )

  it.live("leaves out what only the connection's two ends may say", () =>
    Effect.gen(function* () {
      const { head } = yield* heads
      const ofConnection = {
        Host: "elsewhere",
        "Content-Length": "1",
        "Transfer-Encoding": "chunked",
        Connection: "close",
        "Keep-Alive": "timeout=1",
        Upgrade: "h2c",
        Expect: "100-continue",
        TE: "trailers",
        Trailer: "x",
        "Accept-Encoding": "gzip",
        "Proxy-Authorization": "Basic x",
        "Proxy-Connection": "close"
      }
      assert.deepStrictEqual(yield* head("/", ofConnection), yield* head("/", {}))
    }).pipe(provided)
  )

  it.live("is refused where it would begin another header or another request, and values stay secret", () =>
    Effect.gen(function* () {
      const { port, send } = yield* heads
      const refused = (path: string, headers: UpstreamRequest["headers"]) => Effect.flip(send(path, headers))
      for (const bad of ["a\r\nb: c", "a\nb", "a\rb", "a\0b", "\u{1f511}", "a\u007f"]) {
        assert.deepInclude(yield* refused("/", { "x-key": bad }), {
          kind: "refused",
          message: `http://127.0.0.1:${port} can't be called: invalid x-key header`
        })
        assert.strictEqual((yield* refused("/", { [bad]: "v" })).message.endsWith("invalid header key"), true)
      }
      for (const name of ["", "a b", "a:", "(a)"])
        assert.match((yield* refused("/", { [name]: "v" })).message, /header/)
      for (const path of ["", "v1", "/a b", "/a\r\nx: y", "/a HTTP/1.1\r\n\r\nGET /b", "/\u{1f511}"]) {
        assert.match((yield* refused(path, {})).message, /can't be called: .*path/, path)
      }
    }).pipe(provided)
  )
})
