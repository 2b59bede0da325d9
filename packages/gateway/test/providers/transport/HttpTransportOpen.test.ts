import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Latch, Scope, Stream } from "effect"
import { TestClock } from "effect/testing"
import { Transport, type OpenResponse } from "../../../src/core/pool/Transport.ts"
import { HttpTransport } from "../../../src/providers/transport/HttpTransport.ts"
import { quickest } from "../../support/Patience.ts"
import { post, serve, serveRaw, serveSilence } from "./Loopback.ts"
import { streamOf } from "../../support/Pulls.ts"

const decoder = new TextDecoder()
const textOf = (chunks: OpenResponse["chunks"]) =>
  Stream.runFold(
    streamOf(chunks),
    () => "",
    (text, chunk) => text + decoder.decode(chunk)
  )

const provided = Effect.provide(HttpTransport.layer)

describe("HttpTransport.open", () => {
  it.effect("answers at the head and streams what comes, to the end", () =>
    Effect.gen(function* () {
      let finish: (() => void) | undefined
      const upstream = yield* serve((request, response) => {
        request.resume()
        response.writeHead(200, { "content-type": "text/event-stream" })
        response.write("data: 1\n\n")
        finish = () => void response.end("data: [DONE]\n\n")
      })
      const transport = yield* Transport
      const { status, headers, chunks } = yield* transport.open(post(upstream.baseUrl))
      assert.strictEqual(status, 200)
      assert.strictEqual(headers["content-type"], "text/event-stream")
      finish?.()
      assert.strictEqual(yield* textOf(chunks), "data: 1\n\ndata: [DONE]\n\n")
    }).pipe(provided)
  )

  it.effect("a connection that breaks after the head fails the chunks, not what came before", () =>
    Effect.gen(function* () {
      const upstream = yield* serveRaw((socket) => {
        const head = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n"
        socket.write(`${head}9\r\ndata: 1\n\n\r\n`, () => setImmediate(() => socket.destroy()))
      })
      const transport = yield* Transport
      const { chunks } = yield* transport.open(post(upstream.baseUrl))
      const seen: Array<string> = []
      const failure = yield* streamOf(chunks).pipe(
        Stream.runForEach((chunk) => Effect.sync(() => seen.push(decoder.decode(chunk)))),
        Effect.flip
      )
      assert.deepStrictEqual(seen, ["data: 1\n\n"])
      assert.strictEqual(failure.kind, "cut")
    }).pipe(provided)
  )

  it.live("closing the Scope closes the upstream connection within 100 ms", () =>
    Effect.gen(function* () {
      const transport = yield* Transport
      const closing = Effect.gen(function* () {
        const upstream = yield* serve((request, response) => {
          request.resume()
          response.writeHead(200).write("data: 1\n\n")
        })
        const scope = yield* Scope.make()
        const { chunks } = yield* transport.open(post(upstream.baseUrl)).pipe(Scope.provide(scope))
        yield* Stream.runDrain(Stream.take(streamOf(chunks), 1))
        const at = performance.now()
        yield* Scope.close(scope, Exit.void)
        yield* upstream.closed.await
        return performance.now() - at
      })
      assert.isBelow(yield* quickest(100, () => Effect.scoped(closing)), 100)
    }).pipe(provided)
  )

  it.effect("an interrupted reader hangs up too, and a reader that is left behind fails instead of waiting", () =>
    Effect.gen(function* () {
      const upstream = yield* serve((request, response) => {
        request.resume()
        response.writeHead(200).flushHeaders()
      })
      const transport = yield* Transport
      const reading = Latch.makeUnsafe(false)
      const call = yield* Effect.forkChild(
        Effect.scoped(
          Effect.gen(function* () {
            const { chunks } = yield* transport.open(post(upstream.baseUrl))
            reading.openUnsafe()
            return yield* Stream.runDrain(streamOf(chunks))
          })
        )
      )
      yield* reading.await
      yield* Fiber.interrupt(call)
      yield* upstream.closed.await

      const { chunks } = yield* Effect.scoped(transport.open(post(upstream.baseUrl)))
      assert.strictEqual((yield* Effect.flip(Stream.runDrain(streamOf(chunks)))).kind, "reset")
    }).pipe(provided)
  )

  it.effect("an interruption before the head hangs up", () =>
    Effect.gen(function* () {
      const silence = yield* serveSilence
      const transport = yield* Transport
      const call = yield* Effect.forkChild(Effect.scoped(transport.open(post(silence.baseUrl))))
      yield* Deferred.await(silence.heard)
      yield* Fiber.interrupt(call)
      yield* silence.closed.await
    }).pipe(provided)
  )

  it.effect("a reader that does not read stops the upstream, whatever the time, and loses nothing", () =>
    Effect.gen(function* () {
      const piece = Buffer.alloc(64 * 1024, "x")
      const pieces = 1000
      let sent = 0
      const full = Latch.makeUnsafe(false)
      const upstream = yield* serve((request, response) => {
        request.resume()
        response.writeHead(200).flushHeaders()
        const more = (): void => {
          while (sent < pieces) {
            sent++
            if (!response.write(piece)) {
              // Nothing drained for a while: every buffer on the way is full.
              const stalled = setTimeout(() => full.openUnsafe(), 100)
              response.once("drain", () => {
                clearTimeout(stalled)
                more()
              })
              return
            }
          }
          response.end()
        }
        more()
      })
      const transport = yield* Transport
      const { chunks } = yield* transport.open(post(upstream.baseUrl, { idle: 10_000 }))
      yield* full.await
      const sentUnread = sent
      // The socket buffers of both ends take a few MiB; without backpressure all 64 MiB would have left.
      assert.isBelow(sentUnread, pieces / 2)
      // Our own silence is not the upstream's.
      yield* TestClock.adjust("5 minutes")
      const bytes = yield* Stream.runFold(
        streamOf(chunks),
        () => 0,
        (total, chunk) => total + chunk.length
      )
      assert.strictEqual(bytes, pieces * piece.length)
    }).pipe(provided)
  )

  it.effect("before the first piece the limit is firstToken, after it idle", () =>
    Effect.gen(function* () {
      let send: ((text: string) => void) | undefined
      const upstream = yield* serve((request, response) => {
        request.resume()
        response.writeHead(200).flushHeaders()
        send = (text) => void response.write(text)
      })
      const transport = yield* Transport
      const { chunks } = yield* transport.open(post(upstream.baseUrl, { firstToken: 300_000, idle: 60_000 }))
      const first = Latch.makeUnsafe(false)
      const reader = yield* streamOf(chunks).pipe(
        Stream.runForEach(() => first.open),
        Effect.flip,
        Effect.forkChild
      )
      yield* TestClock.adjust("299 seconds")
      send?.("data: thinking is over\n\n")
      yield* first.await
      yield* TestClock.adjust("59 seconds")
      assert.isUndefined(reader.pollUnsafe())
      yield* TestClock.adjust("2 seconds")
      assert.strictEqual((yield* Fiber.join(reader)).kind, "idle_timeout")

      const silent = yield* transport.open(post(upstream.baseUrl, { firstToken: 300_000, idle: 60_000 }))
      const waiting = yield* Effect.forkChild(Effect.flip(Stream.runDrain(streamOf(silent.chunks))))
      yield* TestClock.adjust("301 seconds")
      assert.strictEqual((yield* Fiber.join(waiting)).kind, "first_byte_timeout")
    }).pipe(provided)
  )
})
