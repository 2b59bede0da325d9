/** What is written is what is read, whatever characters it has. */
import { createServer } from "node:http"
import { connect, type Socket } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit } from "effect"
import { until } from "../../support/Patience.ts"
import { NodeReply } from "../../../src/http/node/NodeReply.ts"
import { LastingResponse } from "../../../src/http/node/LastingResponse.ts"

const texts = ["plain", "café", "日本語", "👩‍🚀", "a\u0080", "\u0000", "x".repeat(70_000), `é${"x".repeat(70_000)}`]

/** A server that lets `answer` write. */
const serve = Effect.fnUntraced(function* (answer: (reply: NodeReply) => void) {
  const server = createServer({ ServerResponse: LastingResponse }, (_, response) =>
    answer(new NodeReply(response, 1_000))
  )
  yield* Effect.acquireRelease(
    Effect.callback<void>((resume) => void server.listen(0, "127.0.0.1", () => resume(Effect.void))),
    () => Effect.sync(() => server.close().closeAllConnections())
  )
  const address = server.address()
  return `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}/`
})

describe("a text that is written", () => {
  it.live("as a whole answer is read as it was", () =>
    Effect.gen(function* () {
      for (const text of texts) {
        const length = Buffer.byteLength(text)
        const url = yield* serve((reply) => reply.whole(200, { "content-length": length, "x-id": "1" }, text))
        const response = yield* Effect.promise(() => fetch(url))
        assert.strictEqual(response.headers.get("content-length"), String(length))
        assert.strictEqual(yield* Effect.promise(() => response.text()), text)
      }
    })
  )

  it.live("as bytes, or not at all, is read as it was", () =>
    Effect.gen(function* () {
      const bytes = Buffer.from([0, 128, 255])
      const url = yield* serve((reply) => reply.whole(200, { "content-length": 3 }, bytes))
      const read = yield* Effect.promise(async () => (await fetch(url)).arrayBuffer())
      assert.deepStrictEqual(Buffer.from(read), bytes)
      const empty = yield* serve((reply) => reply.whole(204, {}, undefined))
      assert.strictEqual(yield* Effect.promise(async () => (await fetch(empty)).text()), "")
    })
  )

  it.live("piece by piece is read as it was", () =>
    Effect.gen(function* () {
      const url = yield* serve((reply) => {
        reply.open({ "content-type": "text/event-stream" }, "")
        for (const text of texts) reply.write(text)
        reply.end(undefined)
      })
      assert.strictEqual(yield* Effect.promise(async () => (await fetch(url)).text()), texts.join(""))
    })
  )
})

describe("a header whose value would end it", () => {
  it.live("is refused, and nothing is written", () =>
    Effect.gen(function* () {
      for (const value of ["a\r\nx-other: b", "a\nb", "a\u0000", "日本"]) {
        let code: string | undefined
        const url = yield* serve((reply) => {
          try {
            reply.whole(200, { "x-bad": value }, "{}")
          } catch (error) {
            code = (error as NodeJS.ErrnoException).code
            reply.destroy()
          }
        })
        assert.isTrue(Exit.isFailure(yield* Effect.exit(Effect.tryPromise(() => fetch(url)))))
        assert.strictEqual(code, "ERR_INVALID_CHAR")
      }
    })
  )
})

describe("a stream", () => {
  it.live(
    "whose reader falls behind is full until it has taken everything, and what was written comes in its order",
    () =>
      Effect.gen(function* () {
        const replies: Array<NodeReply> = []
        const url = yield* serve((reply) => {
          reply.open({ "content-type": "text/event-stream" }, "")
          replies.push(reply)
        })
        const read: Array<Buffer> = []
        const socket = yield* Effect.callback<Socket>((resume) => {
          const socket = connect(Number(new URL(url).port), "127.0.0.1", () => resume(Effect.succeed(socket)))
          socket.on("error", () => {})
          socket.write("GET / HTTP/1.1\r\nhost: x\r\n\r\n")
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
