/** Three gateways on one port: the system spreads connections over them, and one that dies takes only its own along. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Option } from "effect"
import { createServer } from "node:net"
import { completion, upstream } from "../../support/Upstream.ts"
import { eventually } from "../../support/Patience.ts"
import { freshDatabase, isSkipped } from "../../support/postgres/Databases.ts"
import { administrate, chat, clusterOf, newKey } from "../../support/postgres/Gateways.ts"

const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 }

const freePort = Effect.promise(
  () =>
    new Promise<number>((resolve) => {
      const server = createServer().listen(0, "127.0.0.1", () => {
        const address = server.address()
        server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0))
      })
    })
)

describe.skipIf(isSkipped || process.platform !== "linux")("three gateways on one port (server.reuse_port)", () => {
  it.live("answer every new connection while one of them is killed: no call hangs", () =>
    Effect.gen(function* () {
      const provider = (yield* upstream(() => ({ body: completion("yes", { usage }) }))).baseUrl
      const { start } = yield* clusterOf({ database: yield* freshDatabase, provider, port: yield* freePort })
      // One after the other: the first creates the tables.
      const nodes = [yield* start, yield* start, yield* start]
      const url = nodes[0]!.ready
      assert.deepStrictEqual(
        nodes.map(({ ready }) => ready),
        [url, url, url]
      )
      const { secret } = yield* newKey(url, {})
      yield* eventually(administrate(url, "/admin/nodes"), ({ json }) => json.data.length === 3)
      // Each call opens a connection of its own.
      const calls = Effect.forEach(
        Array.from({ length: 300 }),
        (_, index) =>
          Effect.gen(function* () {
            if (index === 100) yield* nodes[1]!.end("SIGKILL")
            return yield* Effect.exit(Effect.timeoutOption(chat(url, secret), "20 seconds"))
          }),
        { concurrency: 12 }
      )
      const answers = yield* calls
      const hung = answers.filter((exit) => Exit.isSuccess(exit) && Option.isNone(exit.value)).length
      const served = answers.filter(
        (exit) => Exit.isSuccess(exit) && Option.isSome(exit.value) && exit.value.value.status === 200
      ).length
      assert.strictEqual(hung, 0)
      // Only connections that were open at the killed gateway break.
      assert.isAtLeast(served, 300 - 12)
      const after = yield* Effect.replicateEffect(chat(url, secret), 30)
      assert.deepStrictEqual([...new Set(after.map(({ status }) => status))], [200])
    })
  )
})
