/** What is written is, byte for byte, what Node would write. */
import { createServer, type IncomingMessage, ServerResponse } from "node:http"
import { connect, type Socket } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { NodeReply } from "../../../src/http/node/NodeReply.ts"
import { Outgoing } from "../../../src/http/node/Outgoing.ts"
import type { AnswerHeaders } from "../../../src/http/routing/Endpoint.ts"
import { until } from "../../support/Patience.ts"

/** How an answer is written by Node, and by the gateway. */
interface Ways {
  readonly node: (response: ServerResponse) => void
  readonly own: (reply: NodeReply, response: Outgoing) => void
}

const listening = Effect.fnUntraced(function* (server: ReturnType<typeof createServer>) {
  yield* Effect.acquireRelease(
    Effect.callback<void>((resume) => void server.listen(0, "127.0.0.1", () => resume(Effect.void))),
    () => Effect.sync(() => server.close().closeAllConnections())
  )
  const address = server.address()
  return typeof address === "object" && address !== null ? address.port : 0
})

/** The answer to one request, up to `end`, or until the server closes; and what its writer threw. */
const heard = Effect.fnUntraced(function* (
  request: string,
  write: (request: IncomingMessage, response: Outgoing) => void,
  end: string
) {
  const thrown: Array<unknown> = []
  const server = createServer({ ServerResponse: Outgoing, keepAliveTimeout: 75_000 })
  const answer = (request: IncomingMessage, response: Outgoing) => {
    try {
      write(request, response)
    } catch (error) {
      thrown.push((error as NodeJS.ErrnoException).code)
      response.destroy()
    }
  }
  server.on("request", answer).on("checkContinue", answer)
  const port = yield* listening(server)
  const text = yield* Effect.callback<string>((resume) => {
    let read = ""
    const socket = connect(port, "127.0.0.1", () => socket.write(request))
    const done = () => resume(Effect.sync(() => (socket.destroy(), read)))
    socket.on("data", (piece) => {
      read += piece.toString("latin1")
      if (read.includes(end)) done()
    })
    socket.on("close", done)
  })
  return { text: text.replace(/Date: [^\r]+ GMT/, "Date: now"), thrown }
})

/** A text as it is heard. */
const latin1 = (text: string): string => Buffer.from(text).toString("latin1")

/** Both say the same. */
const isTheSame = Effect.fnUntraced(function* (request: string, { node, own }: Ways, end = "\r\n\r\n") {
  const clock = yield* Clock.Clock
  const expected = yield* heard(request, (_, response) => node(response), end)
  const found = yield* heard(request, (_, response) => own(new NodeReply(response, 1_000, clock), response), end)
  assert.deepStrictEqual(found, expected)
  return found
})

const get = (version: string, more = "") => `GET / HTTP/${version}\r\nhost: x\r\n${more}\r\n`
const REQUESTS = [
  get("1.1"),
  get("1.0"),
  get("1.0", "connection: keep-alive\r\n"),
  get("1.1", "connection: close\r\n"),
  get("1.1").replace("GET", "HEAD"),
  "POST / HTTP/1.1\r\nhost: x\r\nexpect: 100-continue\r\ncontent-length: 1\r\n\r\n"
]

describe("a whole answer", () => {
  const all = { "content-type": "application/json", "content-length": 2, "x-name": "café\t~", "x-empty": "" }
  const whole = (headers: AnswerHeaders, status = 200, prepare = (_: ServerResponse) => {}, text = "{}"): Ways => ({
    node: (response) => {
      prepare(response)
      response.writeHead(status, headers).end(status === 204 ? undefined : text, text === "{}" ? "latin1" : "utf8")
    },
    own: (reply, response) => {
      prepare(response)
      reply.whole(status, headers, status === 204 ? undefined : text)
    }
  })

  it.live("is Node's, whatever the request and the connection are", () =>
    Effect.gen(function* () {
      const usual = yield* isTheSame(get("1.1"), whole(all))
      assert.match(usual.text, /^HTTP\/1\.1 200 OK\r\ncontent-type: application\/json\r\n/)
      assert.match(usual.text, /\r\nDate: now\r\nConnection: keep-alive\r\nKeep-Alive: timeout=75\r\n\r\n\{\}$/)
      for (const request of REQUESTS) yield* isTheSame(request, whole(all))
      for (const text of ["日本語", `é${"x".repeat(70_000)}`]) {
        const headers = { ...all, "content-length": Buffer.byteLength(text) }
        const { text: read } = yield* isTheSame(
          get("1.1"),
          whole(headers, 200, undefined, text),
          latin1(text.slice(-2))
        )
        assert.include(read, `content-length: ${headers["content-length"]}\r\n`)
      }
      for (const status of [204, 402, 429, 503]) yield* isTheSame(get("1.1"), whole(status === 204 ? {} : all, status))
      yield* isTheSame(
        get("1.1"),
        whole(all, 200, (response) => response.setHeader("access-control-allow-origin", "*"))
      )
    })
  )

  it.live("is refused where a value would end it", () =>
    Effect.gen(function* () {
      for (const value of ["a\r\nx-other: b", "a\nb", "a\u0000", "日本"]) {
        const { text, thrown } = yield* isTheSame(get("1.1"), whole({ ...all, "x-bad": value }))
        assert.deepStrictEqual({ text, thrown }, { text: "", thrown: ["ERR_INVALID_CHAR"] })
      }
    })
  )
})

describe("a stream", () => {
  const PIECES = ["data: 1\n\n", "data: café\n\n", "data: 日本語 👩‍🚀\n\n", "x".repeat(70_000), "data: last\n\n"]
  const headers = { "content-type": "text/event-stream" }

  it.live("is Node's, whatever the request and the connection are", () =>
    Effect.gen(function* () {
      for (const request of REQUESTS) {
        for (const trailers of [undefined, { "x-cost": "1" }]) {
          // Node refuses trailers of a body that has no pieces.
          const announced = trailers === undefined || request.includes("HTTP/1.0") ? undefined : { trailer: "x-cost" }
          const { text } = yield* isTheSame(
            request,
            {
              node: (response) => {
                response.writeHead(200, { ...headers, ...announced })
                for (const piece of PIECES) response.write(piece)
                if (trailers !== undefined) response.addTrailers(trailers)
                response.end()
              },
              own: (reply) => {
                reply.open({ ...headers }, trailers === undefined ? "" : "x-cost")
                for (const piece of PIECES) reply.write(piece)
                reply.end(trailers)
              }
            },
            request.startsWith("HEAD") ? "\r\n\r\n" : trailers === undefined ? "0\r\n\r\n" : "x-cost: 1\r\n\r\n"
          )
          assert.strictEqual(text.includes("data: last"), !request.startsWith("HEAD"))
        }
      }
    })
  )

  it.live(
    "whose reader falls behind is full until it has taken everything, and what was written comes in its order",
    () =>
      Effect.gen(function* () {
        const clock = yield* Clock.Clock
        const replies: Array<NodeReply> = []
        const server = createServer({ ServerResponse: Outgoing }, (_, response) => {
          const reply = new NodeReply(response, 60_000, clock)
          reply.open({ "content-type": "text/event-stream" }, "")
          replies.push(reply)
        })
        const port = yield* listening(server)
        const read: Array<Buffer> = []
        const socket = yield* Effect.callback<Socket>((resume) => {
          const socket = connect(port, "127.0.0.1", () => resume(Effect.succeed(socket)))
          socket.on("error", () => {})
          socket.write(get("1.1"))
        })
        yield* until(() => replies.length === 1)
        const [reply] = replies
        assert.isFalse(reply!.isFull)
        let written = 0
        while (reply!.write(`${written++};`.padEnd(10_000, "."))) {
          if (written > 10_000) return assert.fail("a reader that reads nothing takes everything")
        }
        assert.isTrue(reply!.isFull)
        reply!.write(`${written++};`)
        socket.on("data", (piece) => void read.push(piece))
        yield* reply!.taken
        assert.isFalse(reply!.isFull)
        assert.isTrue(reply!.write(`${written++};`))
        reply!.end(undefined)
        const text = () => Buffer.concat(read).toString("latin1")
        yield* until(() => text().endsWith("0\r\n\r\n"))
        const numbers = Array.from(text().matchAll(/(\d+);/g), ([, number]) => Number(number))
        assert.deepStrictEqual(
          numbers,
          Array.from({ length: written }, (_, index) => index)
        )
      })
  )
})
