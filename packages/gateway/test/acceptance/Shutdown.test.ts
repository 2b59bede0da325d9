/** Signals to the real process: no new work, said politely; what is under way runs to its end, and is on the books. */
import { Agent, request } from "node:http"
import { dirname } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import OpenAI from "openai"
import { ResponsesWS } from "openai/resources/responses/ws"
import { eventually, until } from "../support/Patience.ts"
import { gatewayProcess, jsonLine } from "../support/GatewayProcess.ts"
import { call, open } from "../support/RawHttp.ts"
import { ledgerOf, temporaryStore } from "../support/RunningGateway.ts"
import { closedBooks, servingProcess, startingProcess } from "./Serving.ts"

/** Its exact price: 12 tokens read, 4 written. */
const whole = { status: "settled", cost: 20_000, estimated: 0 }

/** Until `/readyz` says that it drains. */
const drains = (url: string) =>
  eventually(call(url, { method: "GET", path: "/readyz" }), ({ status }) => status === 503)

/** Quicker than any limit on the way: the grace is 300 s, idle connections stay 75 s, callers may stall for 60 s. */
const AT_ONCE_MS = 30_000

describe("a signal to end", () => {
  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    it.live(`${signal} refuses new work and lets streams, buffered streams and plain calls run to their end`, () =>
      Effect.gen(function* () {
        const { askedFor, chat, end, finish, stderr, store, url } = yield* servingProcess()
        const calls = [
          yield* Effect.forkChild(chat("gated", true)),
          yield* Effect.forkChild(chat("gated", true, { "x-gateway-stream-recovery": "buffer" })),
          yield* Effect.forkChild(chat("gated", false))
        ]
        yield* askedFor(3)
        const ended = yield* Effect.forkChild(end(signal))
        yield* drains(url)
        const refused = yield* chat("m", false)
        assert.deepStrictEqual([refused.status, refused.json.error.code], [503, "draining"])
        assert.strictEqual(refused.headers["connection"], "close")
        assert.match(String(refused.headers["retry-after"]), /^[1-9]\d*$/)
        finish()
        const answers = yield* Effect.forEach(calls, Fiber.join)
        assert.deepStrictEqual(
          answers.map(({ status }) => status),
          [200, 200, 200]
        )
        for (const { text, trailers } of answers.slice(0, 2)) {
          assert.isTrue(text.endsWith("data: [DONE]\n\n"))
          assert.strictEqual(trailers["x-gateway-cost-usd"], "0.00002")
        }
        assert.strictEqual(yield* Fiber.join(ended), 0)
        assert.deepStrictEqual(yield* closedBooks(store), [whole, whole, whole])
        assert.match(stderr(), /shutting down: waiting for 3 requests, at most \d+ s \(server\.shutdown_grace\)/)
        assert.notInclude(stderr(), "cut off")
      })
    )
  }

  it.live("closes idle WebSockets, and others when their response has ended", () =>
    Effect.gen(function* () {
      const { askedFor, end, finish, store, url, wish } = yield* servingProcess()
      const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: wish("m", true).key })
      const [idle, busy] = [new ResponsesWS(client), new ResponsesWS(client)]
      const closed: Array<string> = []
      idle.on("close", (code) => void closed.push(`idle ${code}`))
      busy.on("close", (code) => void closed.push(`busy ${code}`))
      busy.on("response.completed", () => void closed.push("completed"))
      busy.send({ type: "response.create", model: "up/gated", input: "Hi" })
      yield* askedFor(1)
      const ended = yield* Effect.forkChild(end("SIGTERM"))
      yield* until(() => closed.length === 1)
      finish()
      assert.strictEqual(yield* Fiber.join(ended), 0)
      assert.deepStrictEqual(closed, ["idle 1012", "completed", "busy 1012"])
      assert.deepStrictEqual(yield* closedBooks(store), [whole])
    })
  )

  it.live("a second one ends what hangs at once: an error event or a 503, and it is settled", () =>
    Effect.gen(function* () {
      const { askedFor, chat, end, signal, store, url } = yield* servingProcess()
      const stream = yield* Effect.forkChild(chat("hang", true))
      const plain = yield* Effect.forkChild(chat("hang", false))
      yield* askedFor(2)
      const ended = yield* Effect.forkChild(end("SIGTERM"))
      yield* drains(url)
      // Signals within a second are one.
      yield* Effect.sleep("1200 millis")
      const at = performance.now()
      signal("SIGTERM")
      const { status, text } = yield* Fiber.join(stream)
      assert.strictEqual(status, 200)
      assert.match(text, /data: \{"error":\{.*"code":"draining".*\}\}\n\n$/)
      assert.notInclude(text, "[DONE]")
      const refused = yield* Fiber.join(plain)
      assert.deepStrictEqual([refused.status, refused.json.error.code], [503, "draining"])
      assert.strictEqual(yield* Fiber.join(ended), 0)
      assert.isBelow(performance.now() - at, AT_ONCE_MS)
      for (const row of yield* closedBooks(store)) assert.deepInclude(row, { status: "settled", estimated: 1 })
    })
  )

  it.live("waits no longer than server.shutdown_grace, for clients that don't read either", () =>
    Effect.gen(function* () {
      const { askedFor, chat, end, stderr, store, url, wish } = yield* servingProcess(", shutdown_grace: 300ms")
      const stream = yield* Effect.forkChild(chat("hang", true))
      const stalled = yield* open(url, wish("large", true))
      stalled.response.pause()
      yield* askedFor(2)
      const at = performance.now()
      assert.strictEqual(yield* end("SIGTERM"), 0)
      assert.isBelow(performance.now() - at, AT_ONCE_MS)
      assert.include((yield* Fiber.join(stream)).text, '"code":"draining"')
      assert.match(stderr(), /shutting down: \d requests? cut off and charged/)
      stalled.hangUp()
      const rows = yield* closedBooks(store)
      assert.lengthOf(rows, 2)
      for (const row of rows) assert.deepInclude(row, { status: "settled", estimated: 1 })
    })
  )

  it.live("a storm of them is one: what is under way still runs to its end", () =>
    Effect.gen(function* () {
      const { askedFor, chat, end, finish, signal, store, url } = yield* servingProcess()
      const stream = yield* Effect.forkChild(chat("gated", true))
      yield* askedFor(1)
      const ended = yield* Effect.forkChild(end("SIGTERM"))
      for (let i = 0; i < 200; i++) signal(i % 2 === 0 ? "SIGTERM" : "SIGINT")
      yield* drains(url)
      finish()
      assert.isTrue((yield* Fiber.join(stream)).text.endsWith("data: [DONE]\n\n"))
      assert.strictEqual(yield* Fiber.join(ended), 0)
      assert.deepStrictEqual(yield* closedBooks(store), [whole])
    })
  )

  it.live("with server.shutdown_delay, serves on with /readyz at 503, then refuses", () =>
    Effect.gen(function* () {
      const { chat, end, signal, stderr, store, url } = yield* servingProcess(", shutdown_delay: 10m")
      const ended = yield* Effect.forkChild(end("SIGTERM"))
      yield* drains(url)
      for (let i = 0; i < 20; i++) assert.strictEqual((yield* chat("m", i % 2 === 0)).status, 200)
      assert.match(stderr(), /serving for another 600 s with \/readyz at 503 \(server\.shutdown_delay\)/)
      // Signals within a second are one; the next one ends the delay.
      yield* Effect.sleep("1200 millis")
      signal("SIGTERM")
      assert.strictEqual(yield* Fiber.join(ended), 0)
      assert.lengthOf(yield* closedBooks(store), 20)
    })
  )

  it.live("is not held up by connections that are idle", () =>
    Effect.gen(function* () {
      const { end, store, url, wish } = yield* servingProcess()
      const agent = new Agent({ keepAlive: true })
      const { body, key, path } = wish("m", false)
      const closed = yield* Effect.callback<Effect.Effect<void>>((resume) => {
        const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" }
        const outgoing = request(url + path, { method: "POST", agent, headers }, (response) => {
          const gone = new Promise<void>((resolve) => response.socket.once("close", () => resolve()))
          response.resume().on("end", () => resume(Effect.succeed(Effect.promise(() => gone))))
        })
        outgoing.end(JSON.stringify(body))
      })
      const at = performance.now()
      assert.strictEqual(yield* end("SIGTERM"), 0)
      assert.isBelow(performance.now() - at, AT_ONCE_MS)
      yield* closed
      agent.destroy()
      assert.deepStrictEqual(yield* closedBooks(store), [whole])
    })
  )

  it.live("while it starts ends it well, at any moment", () =>
    Effect.gen(function* () {
      for (const wait of [0, 1, 20, 100]) {
        const { end, stderr, store } = yield* startingProcess()
        yield* until(() => stderr() !== "")
        yield* Effect.sleep(wait)
        assert.strictEqual(yield* end("SIGTERM"), 0, stderr())
        assert.notInclude(stderr(), " at ")
        yield* closedBooks(store)
      }
    })
  )

  it.live("in a moment when the store is locked: what is settled meanwhile is on disk once the lock is gone", () =>
    Effect.gen(function* () {
      const { askedFor, chat, end, finish, stderr, store, url } = yield* servingProcess()
      const stream = yield* Effect.forkChild(chat("gated", true))
      yield* askedFor(1)
      // Written a moment after the provider was asked; an answer that no row accounts for would not go out.
      yield* until(() => ledgerOf(store).some(({ status }) => status === "reserved"))
      const intruder = new DatabaseSync(store)
      intruder.exec("BEGIN EXCLUSIVE")
      const ended = yield* Effect.forkChild(end("SIGTERM"))
      yield* drains(url)
      finish()
      assert.match((yield* Fiber.join(stream)).text, /data: \[DONE\]\n\n$/)
      yield* until(() => stderr().includes("another program has locked the database"))
      intruder.exec("ROLLBACK")
      intruder.close()
      assert.strictEqual(yield* Fiber.join(ended), 0)
      assert.deepStrictEqual(yield* closedBooks(store), [whole])
    })
  )
})

describe("SIGHUP", () => {
  it.live("is ignored by demo", () =>
    Effect.gen(function* () {
      const data = dirname(yield* temporaryStore)
      const demo = yield* gatewayProcess(["demo", "--json", "--port", "0", "--data", data], jsonLine)
      demo.signal("SIGHUP")
      yield* until(() => demo.stderr().includes("SIGHUP is ignored"))
      assert.strictEqual((yield* call(demo.ready.url, { method: "GET", path: "/readyz" })).status, 200)
      assert.strictEqual(yield* demo.end("SIGTERM"), 0)
    })
  )

  it.live("does not end one that starts", () =>
    Effect.gen(function* () {
      const { end, signal, stderr, store } = yield* startingProcess()
      yield* until(() => stderr() !== "")
      signal("SIGHUP")
      assert.strictEqual(yield* end("SIGTERM"), 0, stderr())
      yield* closedBooks(store)
    })
  )
})
