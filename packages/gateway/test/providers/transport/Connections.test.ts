/** Which connection a call gets: the one used last, never one that another call has, and none that broke or was closed. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { type Connection, Connections } from "../../../src/providers/transport/Connections.ts"
import { serve } from "./Loopback.ts"

const connectionsTo = (origin: string) =>
  Effect.acquireRelease(
    Effect.sync(() => new Connections(origin, 5_000)),
    (connections) => Effect.promise(() => connections.destroy())
  )

/** Gives the connection back when the answer is complete, as calls do. */
const ask = (connection: Connection, path: string) =>
  Effect.callback<string>((resume) => {
    let text = ""
    connection.client.dispatch(
      { path, method: "GET" },
      {
        onRequestStart: () => {},
        onResponseStart: () => {},
        onResponseData: (_, piece) => void (text += String(piece)),
        onResponseEnd: () => {
          connection.giveBack()
          resume(Effect.succeed(text))
        },
        onResponseError: (_, error) => resume(Effect.die(error))
      }
    )
  })

describe("Connections", () => {
  it.effect("gives out each once, and again from the one that was given back last", () =>
    Effect.gen(function* () {
      const connections = yield* connectionsTo("http://127.0.0.1:1")
      const first = connections.take()
      const second = connections.take()
      assert.notStrictEqual(first, second)
      first.giveBack()
      second.giveBack()
      assert.strictEqual(connections.take(), second)
      assert.strictEqual(connections.take(), first)
      assert.notInclude([first, second], connections.take())
    })
  )

  it.effect("gives out none again whose call failed, and closes it", () =>
    Effect.gen(function* () {
      const connections = yield* connectionsTo("http://127.0.0.1:1")
      const broken = connections.take()
      broken.drop()
      assert.notStrictEqual(connections.take(), broken)
      yield* Effect.yieldNow
      assert.isTrue(broken.client.destroyed)
    })
  )

  it.live("forgets one that the upstream closed, at once or while it was idle, and keeps the others", () =>
    Effect.gen(function* () {
      const upstream = yield* serve((request, response) => {
        if (request.url === "/last") response.setHeader("connection", "close")
        response.end("ok")
        if (request.url === "/later") response.on("close", () => request.socket.end())
      })
      const connections = yield* connectionsTo(new URL(upstream.baseUrl).origin)
      const kept = connections.take()
      assert.strictEqual(yield* ask(kept, "/"), "ok")
      assert.strictEqual(connections.take(), kept)
      for (const path of ["/last", "/later"]) {
        const closing = connections.take()
        const closed = Effect.callback<void>((resume) => {
          closing.client.once("disconnect", () => resume(Effect.void))
        })
        yield* Effect.all([closed, ask(closing, path)], { concurrency: "unbounded" })
        assert.notStrictEqual(connections.take(), closing)
      }
      assert.strictEqual(yield* ask(kept, "/"), "ok")
      assert.strictEqual(connections.take(), kept)
      assert.strictEqual(upstream.accepted(), 3)
    })
  )
})
