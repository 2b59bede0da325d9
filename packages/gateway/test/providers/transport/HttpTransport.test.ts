import type { ServerResponse } from "node:http"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Latch, Scope } from "effect"
import { TestClock } from "effect/testing"
import { HeldBytes, SharedCapacity } from "../../../src/core/limits/BytesInFlight.ts"
import { Transport } from "../../../src/core/pool/Transport.ts"
import { HttpTransport } from "../../../src/providers/transport/HttpTransport.ts"
import { LARGEST_BODY } from "../../../src/providers/transport/Call.ts"
import { until } from "../../support/Patience.ts"
import { post, serve, serveRaw, serveSilence, turn } from "./Loopback.ts"

const provided = Effect.provide(HttpTransport.layer)

describe("HttpTransport.whole", () => {
  it.effect("posts path, headers and body, and reads status, headers and text", () =>
    Effect.gen(function* () {
      const upstream = yield* serve((request, response) => {
        let body = ""
        request.on("data", (piece) => (body += piece))
        request.on("end", () => {
          response.writeHead(418, { "X-Request-Id": "req_1", "Set-Cookie": ["a=1", "b=2"] })
          response.end(JSON.stringify({ method: request.method, url: request.url, headers: request.headers, body }))
        })
      })
      const transport = yield* Transport
      const answer = yield* transport.whole(post(upstream.baseUrl, {}, '{"text":"日本語"}'))
      const seen = JSON.parse(answer.text)
      assert.strictEqual(answer.status, 418)
      assert.strictEqual(answer.headers["x-request-id"], "req_1")
      assert.strictEqual(answer.headers["set-cookie"], "a=1, b=2")
      assert.strictEqual(seen.method, "POST")
      assert.strictEqual(seen.url, "/v1/chat/completions")
      assert.strictEqual(seen.body, '{"text":"日本語"}')
      assert.strictEqual(seen.headers.authorization, "Bearer sk-test")
      assert.strictEqual(seen.headers["accept-encoding"], "identity")
      assert.strictEqual(seen.headers.host, `127.0.0.1:${upstream.port}`)
    }).pipe(provided)
  )

  it.effect("keeps the connection for the next call and follows no redirect", () =>
    Effect.gen(function* () {
      const upstream = yield* serve((request, response) => {
        request.resume()
        response.writeHead(307, { location: "http://127.0.0.1:1/elsewhere" }).end("moved")
      })
      const transport = yield* Transport
      for (let call = 0; call < 3; call++) {
        const answer = yield* transport.whole(post(upstream.baseUrl))
        assert.strictEqual(answer.status, 307)
        // The connection is free again a turn of the event loop after the answer.
        yield* turn
        yield* turn
      }
      assert.strictEqual(upstream.accepted(), 1)
    }).pipe(provided)
  )

  it.effect("never takes what comes unasked behind an answer for the answer to the next call", () =>
    Effect.gen(function* () {
      const answer = (text: string) => `HTTP/1.1 200 OK\r\ncontent-length: ${text.length}\r\n\r\n${text}`
      const upstream = yield* serveRaw((socket) => socket.write(answer("mine") + answer("forged")))
      const transport = yield* Transport
      for (let call = 0; call < 3; call++) {
        // Each begins in the very turn in which the one before ended.
        assert.strictEqual((yield* transport.whole(post(upstream.baseUrl))).text, "mine")
      }
      assert.strictEqual(upstream.accepted(), 3)
    }).pipe(provided)
  )

  it.effect("reads an answer that comes in pieces split inside a character", () =>
    Effect.gen(function* () {
      const bytes = Buffer.from('{"text":"日本語"}')
      const upstream = yield* serve((request, response) => {
        request.resume()
        for (const byte of bytes) response.write(Buffer.from([byte]))
        response.end()
      })
      const transport = yield* Transport
      const answer = yield* transport.whole(post(upstream.baseUrl))
      assert.strictEqual(answer.text, '{"text":"日本語"}')
    }).pipe(provided)
  )

  it.effect("refused: nobody listens, a name that is none, an address that is none", () =>
    Effect.gen(function* () {
      const transport = yield* Transport
      const refused = yield* Effect.flip(transport.whole(post("http://127.0.0.1:1/v1")))
      assert.strictEqual(refused.kind, "refused")
      assert.strictEqual(refused.message, "http://127.0.0.1:1 refused the connection (ECONNREFUSED)")
      const nameless = yield* Effect.flip(transport.whole(post("http://no-such-host.invalid/v1")))
      assert.strictEqual(nameless.kind, "refused")
      assert.match(nameless.message, /^http:\/\/no-such-host\.invalid can't be reached/)
      const nonsense = yield* Effect.flip(transport.whole(post("gopher://example")))
      assert.strictEqual(nonsense.kind, "refused")
      assert.strictEqual((yield* Effect.flip(Effect.scoped(transport.open(post("nonsense"))))).kind, "refused")
    }).pipe(provided)
  )

  it.effect("refused: TLS with a server that speaks none, and a header that can't be sent", () =>
    Effect.gen(function* () {
      const upstream = yield* serve((_, response) => response.end())
      const transport = yield* Transport
      const failure = yield* Effect.flip(transport.whole(post(`https://127.0.0.1:${upstream.port}`)))
      assert.strictEqual(failure.kind, "refused")
      assert.match(failure.message, /does not speak TLS/)
      const request = { ...post(upstream.baseUrl), headers: { "x-bad": "a\r\nb" } }
      const unsendable = yield* Effect.flip(transport.whole(request))
      assert.strictEqual(unsendable.kind, "refused")
      assert.include(unsendable.message, "can't be called: invalid x-bad header")
    }).pipe(provided)
  )

  it.effect("reset: before the head, inside the head, and HTTP that is none; cut: inside the body", () =>
    Effect.gen(function* () {
      const transport = yield* Transport
      const heads: ReadonlyArray<string> = [
        "",
        "HTTP/1.1 200 OK\r\ncontent-le",
        'HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{"half":',
        'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n8\r\n{"half":\r\n',
        "SSH-2.0-OpenSSH_9.2\r\n"
      ]
      for (const head of heads) {
        for (const hangUp of ["end", "destroy"] as const) {
          const upstream = yield* serveRaw((socket) => {
            if (hangUp === "end") socket.end(head)
            else socket.write(head, () => socket.resetAndDestroy())
          })
          const failure = yield* Effect.flip(transport.whole(post(upstream.baseUrl)))
          assert.strictEqual(failure.kind, head.includes("\r\n\r\n") ? "cut" : "reset", head)
          assert.include(failure.message, `http://127.0.0.1:${upstream.port} `)
          assert.notInclude(failure.message, "\n")
        }
      }
    }).pipe(provided)
  )

  it.live("connect_timeout: a connection that never comes about", () =>
    Effect.gen(function* () {
      const silence = yield* serveSilence
      const transport = yield* Transport
      const failure = yield* Effect.flip(transport.whole(post(`https://127.0.0.1:${silence.port}`, { connect: 50 })))
      assert.strictEqual(failure.kind, "connect_timeout")
    }).pipe(provided)
  )

  it.effect("connect_timeout: whatever holds the connection up, the call's own limit ends the wait", () =>
    Effect.gen(function* () {
      const silence = yield* serveSilence
      const transport = yield* Transport
      const { baseUrl } = post(`https://127.0.0.1:${silence.port}`)
      const call = yield* Effect.forkChild(Effect.flip(transport.whole(post(baseUrl))), { startImmediately: true })
      yield* Deferred.await(silence.connected)
      assert.deepInclude(transport.load(baseUrl), { open: 0, waiting: 1 })
      yield* TestClock.adjust("4900 millis")
      assert.isUndefined(call.pollUnsafe())
      yield* TestClock.adjust("350 millis")
      assert.strictEqual((yield* Fiber.join(call)).kind, "connect_timeout")
      assert.deepInclude(transport.load(baseUrl), { open: 0, waiting: 0 })
    }).pipe(provided)
  )

  it.live("a burst grows the connections to its size, the next one uses the same, and idle ones are closed", () =>
    Effect.gen(function* () {
      const asking: Array<ServerResponse> = []
      const upstream = yield* serve((request, response) => {
        request.resume()
        // Two seconds are taken off: they are closed after one.
        response.setHeader("keep-alive", "timeout=3")
        asking.push(response)
      })
      const transport = yield* Transport
      for (let burst = 0; burst < 2; burst++) {
        const calls = yield* Effect.forEach(Array.from({ length: 300 }), () =>
          Effect.forkChild(transport.whole(post(upstream.baseUrl)))
        )
        yield* until(() => asking.length === 300)
        assert.deepInclude(transport.load(upstream.baseUrl), { open: 300, waiting: 0 })
        for (const response of asking.splice(0)) response.end("{}")
        for (const call of calls) assert.strictEqual((yield* Fiber.join(call)).status, 200)
        assert.deepInclude(transport.load(upstream.baseUrl), { open: 0, waiting: 0 })
        yield* turn
        yield* turn
      }
      assert.strictEqual(upstream.accepted(), 300)
      yield* until(() => upstream.open() === 0)
    }).pipe(provided)
  )

  it.effect("full: beyond its bound a call fails at once, and what failed, broke or was left takes no room", () =>
    Effect.gen(function* () {
      const transport = yield* Transport
      const silence = yield* serveSilence
      const bounded = { ...post(silence.baseUrl), maxConnections: 1 }
      const held = yield* Effect.forkChild(transport.whole(bounded), { startImmediately: true })
      const whole = yield* Effect.flip(transport.whole(bounded))
      for (const failure of [whole, yield* Effect.flip(Effect.scoped(transport.open(bounded)))]) {
        assert.deepInclude(failure, {
          kind: "full",
          message: `http://127.0.0.1:${silence.port} has 1 calls under way already`
        })
      }
      yield* Fiber.interrupt(held)
      assert.deepInclude(transport.load(silence.baseUrl), { open: 0, waiting: 0 })

      const breaks = yield* serveRaw((socket) => socket.destroy())
      const gone = { ...post("http://127.0.0.1:1/v1"), maxConnections: 1 }
      const broken = { ...post(breaks.baseUrl), maxConnections: 1 }
      const unsendable = { ...broken, headers: { "x-bad": "a\r\nb" } }
      for (const [request, kind] of [
        [gone, "refused"],
        [broken, "reset"],
        [unsendable, "refused"]
      ] as const) {
        for (let time = 0; time < 3; time++) {
          assert.strictEqual((yield* Effect.flip(transport.whole(request))).kind, kind)
          assert.strictEqual((yield* Effect.flip(Effect.scoped(transport.open(request)))).kind, kind)
        }
        assert.deepInclude(transport.load(request.baseUrl), { open: 0, waiting: 0 })
      }
    }).pipe(provided)
  )

  it.effect("first_byte_timeout: silence, and the connection is closed", () =>
    Effect.gen(function* () {
      const silence = yield* serveSilence
      const transport = yield* Transport
      const call = yield* Effect.forkChild(Effect.flip(transport.whole(post(silence.baseUrl, { firstToken: 30_000 }))))
      yield* Deferred.await(silence.heard)
      yield* TestClock.adjust("29 seconds")
      assert.isUndefined(call.pollUnsafe())
      yield* TestClock.adjust("1250 millis")
      const failure = yield* Fiber.join(call)
      assert.strictEqual(failure.kind, "first_byte_timeout")
      assert.strictEqual(failure.message, `http://127.0.0.1:${silence.port} did not begin to respond within 30000 ms`)
      yield* silence.closed.await
    }).pipe(provided)
  )

  it.effect("idle_timeout: a body that stops; total_timeout: a slow drip that never ends in time", () =>
    Effect.gen(function* () {
      const transport = yield* Transport
      const stopped = Latch.makeUnsafe(false)
      const stops = yield* serveRaw((socket) => {
        socket.write("HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf", () => stopped.openUnsafe())
      })
      const idle = yield* Effect.forkChild(Effect.flip(transport.whole(post(stops.baseUrl, { idle: 20_000 }))))
      yield* stopped.await
      // The bytes are on their way; the wait for them is real, and then time passes.
      const waited = yield* Effect.forkChild(TestClock.adjust("5 seconds").pipe(Effect.andThen(turn), Effect.forever))
      const failure = yield* Fiber.join(idle)
      yield* Fiber.interrupt(waited)
      assert.strictEqual(failure.kind, "idle_timeout")
      assert.match(failure.message, /sent nothing for 20000 ms$/)

      let drip: (() => void) | undefined
      const drips = yield* serveRaw((socket) => {
        socket.write("HTTP/1.1 200 OK\r\ncontent-length: 1000000\r\n\r\n")
        drip = () => void socket.write("x")
      })
      const slow = yield* Effect.forkChild(
        Effect.flip(transport.whole(post(drips.baseUrl, { connect: 100_000, total: 100_000 })))
      )
      const dripping = Effect.sync(() => drip?.()).pipe(
        Effect.andThen(turn),
        Effect.andThen(TestClock.adjust("5 seconds")),
        Effect.forever
      )
      const dripper = yield* Effect.forkChild(dripping)
      const late = yield* Fiber.join(slow)
      yield* Fiber.interrupt(dripper)
      assert.strictEqual(late.kind, "total_timeout")
      assert.match(late.message, /took longer than 100000 ms$/)
    }).pipe(provided)
  )

  it.effect("too_large: an endless body is cut at the bound", () =>
    Effect.gen(function* () {
      const piece = Buffer.alloc(1024 * 1024, "x")
      let sent = 0
      const upstream = yield* serve((request, response) => {
        request.resume()
        const more = (): void => {
          while (response.write(piece) && !response.destroyed) sent += piece.length
          response.once("drain", more)
        }
        more()
      })
      const transport = yield* Transport
      const failure = yield* Effect.flip(transport.whole(post(upstream.baseUrl)))
      assert.strictEqual(failure.kind, "too_large")
      yield* upstream.closed.await
      assert.isBelow(sent, LARGEST_BODY + 16 * 1024 * 1024)
    }).pipe(provided)
  )

  it.effect("no_room: a response that finds no room gives back what it took before anyone reads the failure", () =>
    Effect.gen(function* () {
      const upstream = yield* serve((_, response) => response.end(Buffer.alloc(8 * 1024 * 1024, "x")))
      const all = new SharedCapacity(8 * 1024 * 1024)
      const transport = yield* Transport
      const held = new HeldBytes(all, "key")
      const failure = yield* Effect.flip(transport.whole({ ...post(upstream.baseUrl), held }))
      assert.strictEqual(failure.kind, "no_room")
      assert.strictEqual(all.used, 0)
    }).pipe(provided)
  )

  it.effect("interruption closes the connection at once", () =>
    Effect.gen(function* () {
      const silence = yield* serveSilence
      const transport = yield* Transport
      const call = yield* Effect.forkChild(transport.whole(post(silence.baseUrl)))
      yield* Deferred.await(silence.heard)
      yield* Fiber.interrupt(call)
      yield* silence.closed.await
      assert.isTrue(Exit.hasInterrupts(yield* Fiber.await(call)))
    }).pipe(provided)
  )

  it.effect("a call that is interrupted while it waits for a connection is never sent", () =>
    Effect.gen(function* () {
      const silence = yield* serveSilence
      const transport = yield* Transport
      const call = yield* Effect.forkChild(transport.whole(post(`https://127.0.0.1:${silence.port}`)), {
        startImmediately: true
      })
      yield* Deferred.await(silence.connected)
      yield* Fiber.interrupt(call)
      assert.isTrue(Exit.hasInterrupts(yield* Fiber.await(call)))
    }).pipe(provided)
  )

  it.effect("closing the layer fails the calls under way", () =>
    Effect.gen(function* () {
      const silence = yield* serveSilence
      const scope = yield* Scope.make()
      const transport = yield* HttpTransport.make.pipe(Scope.provide(scope))
      const call = yield* Effect.forkChild(Effect.flip(transport.whole(post(silence.baseUrl))))
      yield* Deferred.await(silence.heard)
      yield* Scope.close(scope, Exit.void)
      assert.strictEqual((yield* Fiber.join(call)).kind, "reset")
      yield* silence.closed.await
    })
  )
})
