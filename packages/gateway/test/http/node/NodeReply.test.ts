/** What is written is what is read, whatever characters it has. */
import { createServer } from "node:http"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { NodeReply } from "../../../src/http/node/NodeReply.ts"
import { Outgoing } from "../../../src/http/node/Outgoing.ts"

const texts = ["plain", "café", "日本語", "👩‍🚀", "a\u0080", "\u0000", "x".repeat(70_000), `é${"x".repeat(70_000)}`]

/** A server that lets `answer` write. */
const serve = Effect.fnUntraced(function* (answer: (reply: NodeReply) => void) {
  const clock = yield* Clock.Clock
  const server = createServer({ ServerResponse: Outgoing }, (_, response) =>
    answer(new NodeReply(response, 1_000, clock))
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
