/** Callers that stop reading, read slowly or hang up, over real sockets: what the provider notices, and when. */
import { createServer, request as httpRequest, type IncomingMessage } from "node:http"
import type { AddressInfo, Socket } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { eventually, quickest, until } from "../support/Patience.ts"
import { call } from "../support/RawHttp.ts"
import { startGateway } from "../support/RunningGateway.ts"
import { completion, completionEvents } from "../support/Upstream.ts"

const MB = 2 ** 20
/** More than all buffers of the kernel between three programs hold. */
const LARGE = 48 * MB

const [role, content, ...ending] = completionEvents("one")
const padded = content!.replace('{"id"', `{"padding":"${"x".repeat(64 * 1024)}","id"`)

const padding = "x".repeat(LARGE / 2)

/** What one call of the provider came to. */
interface Played {
  /** Bytes that the kernel took. */
  written: number
  /** When its connection was gone (`performance.now`). */
  readonly closed: Promise<number>
}

/**
 * A provider whose model says how it answers: `large` streams as fast as it is read, `silent` says nothing, `role` and `word` say so
 * much and wait, `body` answers plainly with much.
 */
const provider = Effect.gen(function* () {
  const played: Array<Played> = []
  const asked = Deferred.makeUnsafe<void>()
  const sockets = new Set<Socket>()
  const server = createServer((request, response) => {
    let text = ""
    request.on("data", (piece: Buffer) => (text += piece.toString()))
    request.on("end", () => {
      const closed = new Promise<number>((resolve) => response.once("close", () => resolve(performance.now())))
      const one: Played = { written: 0, closed }
      played.push(one)
      Deferred.doneUnsafe(asked, Effect.void)
      const { model } = JSON.parse(text) as { readonly model: string }
      if (model === "silent") return
      if (model === "body") return void response.end(JSON.stringify(completion("one", { padding })))
      response.writeHead(200, { "content-type": "text/event-stream" })
      response.write(role)
      if (model === "role") return
      response.write(content)
      if (model === "word") return
      const step = () => {
        while (one.written < LARGE) {
          one.written += padded.length
          if (!response.write(padded)) return void response.once("drain", step)
        }
        response.end(ending.join(""))
      }
      step()
    })
  })
  server.on("connection", (socket: Socket) => sockets.add(socket.on("error", () => {})))
  yield* Effect.callback<void>((resume) => void server.listen(0, "127.0.0.1", () => resume(Effect.void)))
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      for (const socket of sockets) socket.destroy()
      server.close()
    })
  )
  const { port } = server.address() as AddressInfo
  return { asked: Deferred.await(asked), baseUrl: `http://127.0.0.1:${port}/v1`, played }
})

const setup = Effect.fnUntraced(function* (
  stalled: string,
  failover = "attempts: 1, finish_abandoned: 0s",
  bills = "none"
) {
  const up = yield* provider
  const gateway = yield* startGateway({
    yaml: `
server: { stalled_client: ${stalled} }
providers: { up: { protocol: openai-chat, base_url: "${up.baseUrl}", api_key: none, bills_after_disconnect: ${bills} } }
deployments: [${["large", "silent", "role", "word", "body"]
      .map((model) => `{ provider: up, model: ${model}, price: { input: 1, output: 2 } }`)
      .join(", ")}]
failover: { ${failover} }
`
  })
  const { secret } = yield* gateway.createKey()
  const wish = (model: string, stream: boolean, headers = {}) => ({
    path: "/v1/chat/completions",
    key: secret,
    headers,
    body: { model: `up/${model}`, stream, max_tokens: 100, messages: [{ role: "user", content: "Hi" }] }
  })
  /** The head of an answer whose body nobody reads yet. */
  const unread = (model: string, stream: boolean) =>
    Effect.callback<IncomingMessage>((resume) => {
      const { body, key, path } = wish(model, stream)
      const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" }
      const outgoing = httpRequest(gateway.url + path, { method: "POST", headers, agent: false })
      outgoing.on("response", (response) => resume(Effect.succeed(response.pause().on("error", () => {}))))
      outgoing.on("error", () => {})
      outgoing.end(JSON.stringify(body))
    })
  return { ...gateway, up, unread, wish }
})

const settled = (ledger: Effect.Effect<ReadonlyArray<{ readonly status: string }>>) =>
  eventually(ledger, (rows) => rows.length > 0 && rows.every(({ status }) => status !== "reserved"))

/** Until it stays as it is for a fifth of a second. */
const standstill = Effect.fnUntraced(function* (figure: () => number) {
  let last = -1
  while (last !== figure()) {
    last = figure()
    yield* Effect.sleep("200 millis")
  }
  return last
})

describe("a caller that does not read", () => {
  it.live("stops the provider, and gets all of it once it reads", () =>
    Effect.gen(function* () {
      const { ledger, unread, up } = yield* setup("60s")
      const response = yield* unread("large", true)
      const written = yield* standstill(() => up.played[0]?.written ?? 0)
      assert.isBelow(written, LARGE / 2)
      const text = yield* Effect.promise(async () => {
        let text = ""
        for await (const piece of response.setEncoding("utf8")) text = (text + String(piece)).slice(-100)
        return text
      })
      assert.isAtLeast(up.played[0]!.written, LARGE)
      assert.isTrue(text.endsWith("data: [DONE]\n\n"))
      const [row] = yield* ledger
      assert.deepInclude({ ...row }, { status: "settled", estimated: 0 })
    })
  )

  it.live("is cut off after a while, and pays for what was produced", () =>
    Effect.gen(function* () {
      const { ledger, unread, up } = yield* setup("300ms")
      const response = yield* unread("large", true)
      yield* Effect.promise(() => up.played[0]!.closed)
      assert.isBelow(up.played[0]!.written, LARGE / 2)
      yield* settled(ledger)
      const [row] = yield* ledger
      assert.deepInclude({ ...row }, { status: "settled", estimated: 1 })
      assert.isAbove(row!.output, 0)
      response.destroy()
    })
  )

  it.live("is cut off when the response is in one piece, too", () =>
    Effect.gen(function* () {
      const { ledger, unread } = yield* setup("300ms")
      const response = yield* unread("body", false)
      assert.strictEqual(response.statusCode, 200)
      yield* settled(ledger)
      yield* Effect.sleep("1 second")
      const whole = yield* Effect.promise(async () => {
        try {
          for await (const piece of response) void piece
          return true
        } catch {
          return false
        }
      })
      assert.isFalse(whole)
    })
  )

  it.live("and one that reads slowly is not", () =>
    Effect.gen(function* () {
      const { unread } = yield* setup("300ms")
      const response = yield* unread("large", true)
      const text = yield* Effect.promise(async () => {
        let text = ""
        let bytes = 0
        let pause = MB
        for await (const piece of response) {
          bytes += (piece as Buffer).length
          text = (text + String(piece)).slice(-100)
          if (bytes < pause) continue
          pause += MB
          await new Promise((resolve) => setTimeout(resolve, 30))
        }
        return text
      })
      assert.isTrue(text.endsWith("data: [DONE]\n\n"))
    })
  )
})

describe("a caller that hangs up", () => {
  const moments = [
    { name: "before the head of a plain answer", model: "silent", stream: false, headers: {} },
    { name: "before the head of a stream", model: "silent", stream: true, headers: {} },
    { name: "while the stream is held back before its first content", model: "role", stream: true, headers: {} },
    {
      name: "while the stream is buffered",
      model: "word",
      stream: true,
      headers: { "x-gateway-stream-recovery": "buffer" }
    },
    { name: "in the middle of a stream", model: "word", stream: true, headers: {} }
  ]
  for (const { headers, model, name, stream } of moments) {
    it.live(`${name}: the provider's connection is closed within 100 ms, and what was produced is booked`, () =>
      Effect.gen(function* () {
        const { ledger, up, url, wish } = yield* setup("60s")
        const hangingUp = Effect.fnUntraced(function* (round: number) {
          const asking = yield* Effect.forkChild(call(url, wish(model, stream, headers)))
          yield* until(() => up.played.length > round)
          // What the provider said has to reach the gateway, which nothing tells.
          yield* Effect.sleep("200 millis")
          const at = performance.now()
          yield* Fiber.interrupt(asking)
          return (yield* Effect.promise(() => up.played[round]!.closed)) - at
        })
        assert.isBelow(yield* quickest(100, hangingUp), 100)
        yield* settled(ledger)
        const rows = yield* ledger
        assert.lengthOf(rows, up.played.length)
        for (const row of rows) {
          assert.deepInclude({ ...row }, { status: "settled", estimated: 1 })
          assert.isAbove(row.input, 0)
          // Of a plain answer nobody has seen what was written.
          assert.strictEqual(row.output > 0, model === "word" || !stream)
        }
      })
    )
  }
})
