/** Which connection a call gets: a free one, never one that another call has, and none that broke, was closed or said what nobody asked. */
import * as tls from "node:tls"
import { readFileSync } from "node:fs"
import type { IncomingMessage, ServerResponse } from "node:http"
import { createServer } from "node:https"
import type { Socket } from "node:net"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Stream } from "effect"
import { Transport, type UpstreamRequest } from "../../../src/core/pool/Transport.ts"
import { HttpTransport } from "../../../src/providers/transport/HttpTransport.ts"
import { certificate, certificates } from "../../support/Certificates.ts"
import { until } from "../../support/Patience.ts"
import { listen, post, serve, serveRaw, turn } from "./Loopback.ts"
import { streamOf } from "../../support/Pulls.ts"

const provided = Effect.provide(HttpTransport.layer)

/** Whose request it was, by its port: which of the connections. */
const serveOwnPort = (each: (path: string, socket: Socket, end: () => void) => void) =>
  serve((request, response) => {
    request.resume()
    request.on("end", () =>
      each(request.url ?? "", request.socket, () => void response.end(String(request.socket.remotePort)))
    )
  })

/** Answers "ok"; `last`: the connection of the last request. */
const serveOk = (also: (request: IncomingMessage, response: ServerResponse) => void = () => {}) =>
  Effect.suspend(() => {
    let last: Socket | undefined
    const upstream = serve((request, response) => {
      request.resume()
      last = request.socket
      also(request, response)
      response.end("ok")
    })
    return Effect.map(upstream, (loopback) => ({ ...loopback, last: () => last }))
  })

const to = (request: UpstreamRequest, path: string): UpstreamRequest => ({ ...request, path })

describe("Connections", () => {
  it.live("gives out each once, and again when it is free", () =>
    Effect.gen(function* () {
      const held = new Map<string, () => void>()
      const upstream = yield* serveOwnPort((path, _, end) => void held.set(path, end))
      const transport = yield* Transport
      const ask = (path: string) => Effect.forkChild(transport.whole(to(post(upstream.baseUrl), path)))
      const answer = Effect.fnUntraced(function* (path: string, call: Fiber.Fiber<{ readonly text: string }, unknown>) {
        yield* until(() => held.has(`/v1${path}`))
        held.get(`/v1${path}`)?.()
        return (yield* Fiber.join(call)).text
      })
      const [one, two] = [yield* ask("/1"), yield* ask("/2")]
      const first = yield* answer("/1", one)
      const second = yield* answer("/2", two)
      assert.notStrictEqual(first, second)
      const [three, four, five] = [yield* ask("/3"), yield* ask("/4"), yield* ask("/5")]
      assert.sameMembers([yield* answer("/3", three), yield* answer("/4", four)], [first, second])
      assert.notInclude([first, second], yield* answer("/5", five))
      assert.strictEqual(upstream.accepted(), 3)
    }).pipe(provided)
  )

  it.live("sends over none that the upstream closed, with its answer or while nobody had it", () =>
    Effect.gen(function* () {
      const upstream = yield* serveOk(({ url }, response) => {
        if (url === "/v1/last") response.setHeader("connection", "close")
      })
      const transport = yield* Transport
      const ask = (path: string) => Effect.tap(transport.whole(to(post(upstream.baseUrl), path)), () => turn)
      assert.strictEqual((yield* ask("/last")).text, "ok")
      for (const close of [() => upstream.last()?.destroy(), () => upstream.last()?.resetAndDestroy()]) {
        assert.strictEqual((yield* ask("/")).text, "ok")
        close()
        yield* turn
        // The close has come, and is not read yet: sockets are read in the next turn of the event loop.
        assert.strictEqual((yield* ask("/")).text, "ok")
        yield* until(() => upstream.open() === 1)
      }
      assert.strictEqual(upstream.accepted(), 4)
    }).pipe(provided)
  )

  it.live("closes one on which something comes unasked", () =>
    Effect.gen(function* () {
      const upstream = yield* serveOk()
      const transport = yield* Transport
      assert.strictEqual((yield* transport.whole(post(upstream.baseUrl))).text, "ok")
      upstream.last()?.write("HTTP/1.1 200 OK\r\ncontent-length: 6\r\n\r\nforged")
      yield* until(() => upstream.open() === 0)
      assert.strictEqual((yield* transport.whole(post(upstream.baseUrl))).text, "ok")
      assert.strictEqual(upstream.accepted(), 2)
    }).pipe(provided)
  )

  it.live("a call that is left before its request went out is never sent, and counts no longer", () =>
    Effect.gen(function* () {
      let asked = 0
      const upstream = yield* serve((request, response) => {
        request.resume()
        asked++
        response.end("ok")
      })
      const transport = yield* Transport
      yield* transport.whole(post(upstream.baseUrl))
      const left = yield* Effect.forkChild(transport.whole(post(upstream.baseUrl)), { startImmediately: true })
      yield* Fiber.interrupt(left)
      yield* turn
      yield* turn
      assert.deepInclude(transport.load(post(upstream.baseUrl).baseUrl), { open: 0, waiting: 0 })
      assert.strictEqual((yield* transport.whole(post(upstream.baseUrl))).text, "ok")
      assert.strictEqual(asked, 2)
    }).pipe(provided)
  )

  it.live("a body in pieces is read as fast as it is sent, and what differs from its length breaks the call", () =>
    Effect.gen(function* () {
      let size = 0
      const upstream = yield* serve((request, response) => {
        size = 0
        request.on("data", (piece: Buffer) => (size += piece.length))
        request.on("end", () => response.end(String(size)))
      })
      const transport = yield* Transport
      let given = 0
      const of = (length: number, pieces: number, fails = false): UpstreamRequest => ({
        ...post(upstream.baseUrl),
        body: {
          length,
          pieces: async function* () {
            for (given = 0; given < pieces; given++) yield Buffer.alloc(64 * 1024, "x")
            if (fails) throw new Error("the disk is gone")
          }
        }
      })
      const whole = 64 * 1024 * 100
      for (let time = 0; time < 2; time++) {
        assert.strictEqual((yield* transport.whole(of(whole, 100))).text, String(whole))
        yield* turn
      }
      assert.strictEqual(upstream.accepted(), 1)
      for (const [request, message] of [
        [of(whole, 99), /can't be sent all of the request: it has 6488064 bytes where 6553600 were announced$/],
        [of(whole - 1, 100), /can't be sent all of the request: it has more bytes where 6553599 were announced$/],
        [of(whole, 10, true), /can't be sent all of the request: the disk is gone$/]
      ] as const) {
        const failure = yield* Effect.flip(transport.whole(request))
        assert.strictEqual(failure.kind, "reset")
        assert.match(failure.message, message)
      }
    }).pipe(provided)
  )

  it.live(
    "a call that begins with the end of another gets another connection: nobody knows yet what follows there",
    () =>
      Effect.gen(function* () {
        const upstream = yield* serveRaw((socket) => socket.end("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok"))
        const transport = yield* Transport
        for (let call = 1; call <= 5; call++) {
          assert.strictEqual((yield* transport.whole(post(upstream.baseUrl))).text, "ok")
          assert.strictEqual(upstream.accepted(), call)
        }
      }).pipe(provided)
  )

  it.live("the end of an answer that its reader was too slow for leaves the connection to the next call", () =>
    Effect.gen(function* () {
      const answer = (body: string) => `HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n${body}`
      let size = 0
      const upstream = yield* serveRaw((socket) => {
        socket.write(answer("x".repeat(size)))
        socket.on("data", () => socket.write(answer("short")))
      })
      const both = Effect.gen(function* () {
        const transport = yield* Transport
        const { chunks } = yield* transport.open(post(upstream.baseUrl))
        yield* Effect.sleep(20)
        const read = yield* Stream.runFold(
          streamOf(chunks),
          () => 0,
          (all, chunk) => all + chunk.length
        )
        yield* turn
        return [read, (yield* transport.whole(post(upstream.baseUrl, { firstToken: 2_000 }))).text]
      })
      // In some of them the read that is too much for the reader has the end of the answer in it.
      for (size of [65_400, 65_536, 65_600, 70_000, 131_072, 140_000, 300_000]) {
        assert.deepStrictEqual(yield* both.pipe(Effect.scoped, provided), [size, "short"])
      }
      assert.strictEqual(upstream.accepted(), 7)
    })
  )

  it.live("line ends behind an answer mean nothing, and anything else closes the connection", () =>
    Effect.gen(function* () {
      const upstream = yield* serveOk(({ socket }, response) => response.on("finish", () => socket.write("\r\n")))
      const transport = yield* Transport
      for (let call = 0; call < 3; call++) {
        assert.strictEqual((yield* transport.whole(post(upstream.baseUrl))).text, "ok")
        yield* Effect.sleep(5)
      }
      assert.strictEqual(upstream.accepted(), 1)
      upstream.last()?.write("\r\nx")
      yield* until(() => upstream.open() === 0)
    }).pipe(provided)
  )

  it.live("a connection on which some of a request still waits to go out is used for no other", () =>
    Effect.gen(function* () {
      let asked = 0
      const upstream = yield* serveRaw((socket) => {
        socket.pause()
        asked++
        socket.write("HTTP/1.1 413 Content Too Large\r\ncontent-length: 2\r\n\r\nno")
      })
      const transport = yield* Transport
      const large = { ...post(upstream.baseUrl), body: Buffer.alloc(30 * 1024 * 1024, "x") }
      for (let call = 1; call <= 3; call++) {
        assert.strictEqual((yield* transport.whole(large)).status, 413)
        yield* turn
        assert.deepStrictEqual([asked, upstream.accepted()], [call, call])
      }
    }).pipe(provided)
  )

  it.live("an upstream that does not read stops the pieces, and one that refuses early gets no more of them", () =>
    Effect.gen(function* () {
      let refusing: Socket | undefined
      const upstream = yield* serveRaw((socket) => {
        socket.pause()
        refusing = socket
      })
      const transport = yield* Transport
      let given = 0
      const pieces = async function* () {
        for (; given < 10_000; given++) yield Buffer.alloc(64 * 1024, "x")
      }
      const call = yield* Effect.forkChild(
        transport.whole({ ...post(upstream.baseUrl), body: { length: 64 * 1024 * 10_000, pieces } })
      )
      yield* until(() => refusing !== undefined && given > 0)
      let before = -1
      yield* until(() => {
        const isStill = before === given
        before = given
        return isStill
      })
      assert.isBelow(given, 1_000)
      refusing?.write("HTTP/1.1 413 Content Too Large\r\ncontent-length: 2\r\n\r\nno")
      const answer = yield* Fiber.join(call)
      assert.deepStrictEqual([answer.status, answer.text], [413, "no"])
      refusing?.resume()
      yield* until(() => upstream.open() === 0)
      assert.isBelow(given, 1_000)
    }).pipe(provided)
  )
})

/** Until the end of the scope this process trusts the tests' own authority, too. */
const trusting = Effect.acquireRelease(
  Effect.sync(() => {
    const before = tls.getCACertificates("default")
    tls.setDefaultCACertificates([...before, certificate("authority")])
    return before
  }),
  (before) => Effect.sync(() => tls.setDefaultCACertificates(before))
)

describe("Connections over TLS", () => {
  const read = (name: string) => readFileSync(join(certificates, name))
  const serveSecure = (name: "server" | "elsewhere", resumed: Array<boolean>) =>
    Effect.suspend(() => {
      const server = createServer({ key: read("server.key"), cert: read(`${name}.pem`) }, (request, response) => {
        let body = ""
        request.on("data", (piece) => (body += piece))
        request.on("end", () => {
          if (body.includes("stream")) for (let n = 0; n < 300; n++) response.write(`${n} ${"x".repeat(5_000)}\n`)
          response.end(body)
        })
      })
      server.on("secureConnection", (socket) => resumed.push(socket.isSessionReused()))
      return listen(server)
    })

  it.live("asks by name, resumes the session, reads streams in order, and keeps connections", () =>
    Effect.gen(function* () {
      yield* trusting
      const resumed: Array<boolean> = []
      const upstream = yield* serveSecure("server", resumed)
      const transport = yield* Transport
      const secure = (body: string) => post(`https://localhost:${upstream.port}/v1`, {}, body)
      assert.strictEqual((yield* transport.whole(secure("日本語"))).text, "日本語")
      yield* turn
      assert.strictEqual((yield* transport.whole(secure("again"))).text, "again")
      yield* turn
      assert.deepStrictEqual(resumed, [false])
      const { chunks } = yield* transport.open(secure("stream"))
      const text = yield* Stream.runFold(
        streamOf(chunks),
        () => "",
        (all, chunk) => all + Buffer.from(chunk).toString()
      )
      const lines = text.split("\n")
      assert.deepStrictEqual(
        lines.map((line) => line.split(" ", 1)[0]),
        [...Array.from({ length: 300 }, (_, n) => String(n)), "stream"]
      )
      yield* turn
      const both = yield* Effect.all([transport.whole(secure("1")), transport.whole(secure("2"))], {
        concurrency: "unbounded"
      })
      assert.deepStrictEqual(
        both.map((answer) => answer.text),
        ["1", "2"]
      )
      assert.deepStrictEqual(resumed, [false, true])
    }).pipe(provided)
  )

  it.live("says of an upstream that hangs up in the handshake that there was no connection", () =>
    Effect.gen(function* () {
      const upstream = yield* serveRaw((socket) => socket.end())
      const transport = yield* Transport
      const failure = yield* Effect.flip(transport.whole(post(`https://127.0.0.1:${upstream.port}/v1`)))
      assert.strictEqual(failure.kind, "refused")
      assert.match(failure.message, /broke the connection while it was being made/)
    }).pipe(provided)
  )

  it.live("refuses a certificate of somebody else's name, and one that nobody trusts", () =>
    Effect.gen(function* () {
      const upstream = yield* serveSecure("server", [])
      const transport = yield* Transport
      const secure = (port: number) => transport.whole(post(`https://127.0.0.1:${port}/v1`))
      const untrusted = yield* Effect.flip(secure(upstream.port))
      assert.strictEqual(untrusted.kind, "refused")
      assert.match(untrusted.message, /has a certificate that can't be trusted/)
      yield* trusting
      const elsewhere = yield* serveSecure("elsewhere", [])
      const misnamed = yield* Effect.flip(secure(elsewhere.port))
      assert.match(misnamed.message, /has a certificate that can't be trusted.*\(ERR_TLS_CERT_ALTNAME_INVALID\)$/)
      assert.strictEqual((yield* secure(upstream.port)).status, 200)
    }).pipe(provided)
  )
})
