/** The body of a request, read as it comes or after all of it has come. */
import { createServer, type IncomingMessage } from "node:http"
import { connect } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import { readBytes } from "../../../src/http/node/ReadBytes.ts"

interface Asked {
  readonly request: IncomingMessage
  /** Whether the body had come when it was asked for. */
  readonly isLate: boolean
  readonly text: string
}

/** A server that answers each request with its body. `late`: asks for the body when all of it is there. */
const serve = Effect.fnUntraced(function* ({ late = false, maxBytes = 1_000 } = {}) {
  const asked: Array<Asked> = []
  const run = Effect.runForkWith(yield* Effect.context<never>())
  const server = createServer((request, response) => {
    const answer = () => {
      const isLate = request.complete
      run(
        Effect.map(Effect.result(readBytes(request, maxBytes)), (read) => {
          const text = Result.isSuccess(read) ? read.success.toString() : read.failure._tag
          asked.push({ request, isLate, text })
          response.end(text)
        })
      )
    }
    if (late) setImmediate(answer)
    else answer()
  })
  yield* Effect.acquireRelease(
    Effect.callback<void>((resume) => void server.listen(0, "127.0.0.1", () => resume(Effect.void))),
    () => Effect.sync(() => server.close().closeAllConnections())
  )
  const address = server.address()
  return { asked, port: typeof address === "object" && address !== null ? address.port : 0 }
})

/** Sends the pieces, each when the one before is out, and reads until the server has said `until`, or closed. */
const tell = (port: number, pieces: ReadonlyArray<string>, until: RegExp, hangUp = false): Effect.Effect<string> =>
  Effect.callback((resume) => {
    let heard = ""
    const socket = connect(port, "127.0.0.1")
    const end = () => resume(Effect.sync(() => (socket.destroy(), heard)))
    socket.on("data", (piece) => until.test((heard += piece)) && end())
    socket.on("close", end)
    const next = (index: number): void => {
      const piece = pieces[index]
      if (piece === undefined) return hangUp ? void socket.end() : undefined
      socket.write(piece, () => setImmediate(next, index + 1))
    }
    socket.on("connect", () => next(0))
  })

const post = (length: number, body = "") => `POST / HTTP/1.1\r\nhost: x\r\ncontent-length: ${length}\r\n\r\n${body}`
const chunked = "POST / HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n"

describe("the body of a request", () => {
  it.live("is whole, however it comes: at once, in pieces, in chunks, empty, one behind the other", () =>
    Effect.gen(function* () {
      const { asked, port } = yield* serve()
      for (const [pieces, bodies] of [
        [[post(5, "hello")], ["hello"]],
        [[post(5), "he", "llo"], ["hello"]],
        [[chunked, "2\r\nhe\r\n", "3\r\nllo\r\n0\r\nx-trailer: 1\r\n\r\n"], ["hello"]],
        [[chunked, `${"1\r\nx\r\n".repeat(900)}0\r\n\r\n`], ["x".repeat(900)]],
        [[post(0)], [""]],
        [[post(1, "a") + post(1, "b") + post(1, "c")], ["a", "b", "c"]]
      ] as const) {
        asked.length = 0
        yield* tell(port, pieces, new RegExp(`(?:HTTP[^]*){${bodies.length}}\r\n\r\n${bodies.at(-1)}$`))
        assert.deepStrictEqual(
          asked.map(({ text }) => text),
          [...bodies]
        )
        // Node keeps a request until the next one on its connection where this is not true.
        for (const { request } of asked) assert.isTrue(request.readableEnded)
      }
    })
  )

  it.live("is whole where it came before it was asked for", () =>
    Effect.gen(function* () {
      const { asked, port } = yield* serve({ late: true })
      yield* tell(port, [post(5, "hello")], /hello$/)
      assert.deepInclude(asked[0], { isLate: true, text: "hello" })
    })
  )

  it.live("that is larger than allowed is refused when it is seen, and the rest of it discarded", () =>
    Effect.gen(function* () {
      const { asked, port } = yield* serve({ maxBytes: 4 })
      const heard = yield* tell(port, [chunked, "5\r\nhello\r\n", "5\r\nhello\r\n0\r\n\r\n", post(2, "ok")], /ok$/)
      assert.deepStrictEqual(
        asked.map(({ text }) => text),
        ["BodyTooLarge", "ok"]
      )
      assert.strictEqual(heard.match(/HTTP\/1\.1 200/g)?.length, 2)
    })
  )

  it.live("that breaks off is told so, once", () =>
    Effect.gen(function* () {
      for (const late of [false, true]) {
        const { asked, port } = yield* serve({ late })
        yield* tell(port, [post(10, "hello")], /never/, true)
        assert.deepStrictEqual(
          asked.map(({ text }) => text),
          ["InvalidJson"]
        )
      }
    })
  )
})
