/** What a caller sees of a stream while the provider says nothing: time is the test's, the socket is real. */
import { createServer, request, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Queue, Stream } from "effect"
import { TestClock } from "effect/testing"
import { NodeReply } from "../../../src/http/node/NodeReply.ts"
import { replyStream } from "../../../src/http/proxy/ReplyStream.ts"
import { until } from "../../support/Patience.ts"

/** A stream whose events the test sends, and everything its reader has got so far. */
const setup = Effect.gen(function* () {
  const server = createServer()
  const responding = new Promise<ServerResponse>((resolve) =>
    server.once("request", (_, response) => resolve(response))
  )
  yield* Effect.callback<void>((resume) => void server.listen(0, "127.0.0.1", () => resume(Effect.void)))
  yield* Effect.addFinalizer(() => Effect.sync(() => server.close().closeAllConnections()))
  let text = ""
  const outgoing = request({ port: (server.address() as AddressInfo).port, host: "127.0.0.1" }, (response) => {
    response.setEncoding("utf8").on("data", (piece: string) => (text += piece))
  })
  outgoing.on("error", () => {}).end()
  const response = yield* Effect.promise(() => responding)
  const events = yield* Queue.unbounded<string>()
  const answer = {
    kind: "stream" as const,
    headers: {},
    events: Stream.fromQueue(events),
    announced: "",
    trailers: () => undefined
  }
  const reply = new NodeReply(response, 60_000)
  const running = yield* Effect.forkScoped(Effect.scoped(replyStream(reply, "req_1", answer)))
  /** Real time passes until so many characters came. */
  const got = (length: number) =>
    Effect.map(
      until(() => text.length >= length),
      () => text
    )
  /** What is on its way would have come by now. */
  const nothingMore = Effect.promise(() => new Promise((resolve) => setTimeout(resolve, 20))).pipe(
    Effect.map(() => text)
  )
  return { events, got, nothingMore, running }
})

const COMMENT = ": keep-alive\n\n"

describe("a stream that pauses", () => {
  it.effect("has a comment after 15 s of silence, between events, and again after 15 s more", () =>
    Effect.gen(function* () {
      const { events, got, nothingMore } = yield* setup
      const first = 'data: {"n":1}\n\n'
      yield* Queue.offer(events, first)
      assert.strictEqual(yield* got(first.length), first)
      yield* TestClock.adjust("14 seconds")
      assert.strictEqual(yield* nothingMore, first)
      yield* TestClock.adjust("6 seconds")
      assert.strictEqual(yield* got(first.length + COMMENT.length), first + COMMENT)
      yield* TestClock.adjust("20 seconds")
      const twice = first + COMMENT + COMMENT
      assert.strictEqual(yield* got(twice.length), twice)
      const second = 'data: {"n":2}\n\ndata: {"n":3}\n\n'
      yield* Queue.offer(events, second)
      assert.strictEqual(yield* got(twice.length + second.length), twice + second)
    })
  )

  it.effect("has none while events come, however long it takes", () =>
    Effect.gen(function* () {
      const { events, got, nothingMore } = yield* setup
      let sent = ""
      for (let number = 0; number < 12; number++) {
        const text = `data: {"n":${number}}\n\n`
        sent += text
        yield* Queue.offer(events, text)
        yield* got(sent.length)
        yield* TestClock.adjust("9 seconds")
      }
      assert.strictEqual(yield* nothingMore, sent)
    })
  )

  it.effect("leaves nothing that ticks once the caller is gone", () =>
    Effect.gen(function* () {
      const { events, got, running } = yield* setup
      yield* Queue.offer(events, "data: 1\n\n")
      const text = yield* got(9)
      yield* Fiber.interrupt(running)
      yield* TestClock.adjust("5 minutes")
      assert.strictEqual(yield* got(text.length), text)
    })
  )
})
