/** What a crash, a full disk and a damaged file do to the cache: they make misses, and nothing else. */
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { gatewayProcess, listening } from "../../support/GatewayProcess.ts"
import { eventually } from "../../support/Patience.ts"
import { type Answered, call } from "../../support/RawHttp.ts"
import { temporaryStore } from "../../support/RunningGateway.ts"
import { servingProcess } from "../Serving.ts"
import { cachingGateway, numbered } from "./CacheRun.ts"

const resultOf = ({ headers }: Answered) => headers["x-gateway-cache"]

describe("the file of the cache", () => {
  it.live("serves hits after a restart, is its owner's alone, and makes misses where it is damaged", () =>
    Effect.gen(function* () {
      const store = yield* temporaryStore
      const file = `${store}.cache`
      const provider = yield* numbered()
      const secret = yield* Effect.scoped(
        Effect.gen(function* () {
          const { chat, secret } = yield* cachingGateway({ store, provider })
          assert.isFalse(existsSync(file))
          for (const seed of [1, 2]) yield* chat({ seed })
          return secret
        })
      )
      assert.strictEqual(statSync(file).mode & 0o777, 0o600)
      assert.notInclude(readFileSync(store, "latin1"), "number 0")
      const next = (seed: number) =>
        Effect.scoped(Effect.flatMap(cachingGateway({ store, provider }), ({ chat }) => chat({ seed }, {}, secret)))
      assert.strictEqual(resultOf(yield* next(1)), "hit")
      // One entry is another one's text.
      const db = new DatabaseSync(file)
      db.exec("UPDATE kept_answers SET body = CAST('{' AS BLOB)")
      db.close()
      for (const expected of ["miss", "hit"]) assert.strictEqual(resultOf(yield* next(1)), expected)
      // Its pages are.
      const bytes = readFileSync(file)
      writeFileSync(file, bytes.fill(7, 100))
      for (const expected of ["miss", "miss", "hit"]) {
        const { headers, status } = yield* next(2)
        assert.strictEqual(status, 200)
        if (headers["x-gateway-cache"] === "hit") break
        assert.strictEqual(headers["x-gateway-cache"], expected)
      }
      // It is no database at all.
      writeFileSync(file, "x".repeat(10_000))
      assert.strictEqual((yield* next(2)).status, 200)
      assert.strictEqual(resultOf(yield* next(2)), "hit")
    })
  )

  it.live("is not written while the disk is down to its reserve", () =>
    Effect.gen(function* () {
      const { asked, chat } = yield* cachingGateway({ freeBytes: () => 0 })
      for (const expected of ["miss", "miss"]) assert.strictEqual(resultOf(yield* chat()), expected)
      assert.lengthOf(asked, 2)
    })
  )

  it.live("gives complete responses alone after kill -9", () =>
    Effect.gen(function* () {
      const { chat, config, end, wish } = yield* servingProcess(" }\ncache: { mode: on")
      const first = yield* chat("m", true, {})
      yield* eventually(chat("m", true, {}), (answer) => resultOf(answer) === "hit")
      for (let count = 0; count < 20; count++) {
        yield* Effect.forkChild(Effect.ignoreCause(chat("m", false, { "anthropic-beta": `${count}` })))
      }
      yield* end("SIGKILL")
      const { ready } = yield* gatewayProcess(["serve", "--config", config], listening)
      const again = yield* call(ready, wish("m", true, {}))
      assert.strictEqual(resultOf(again), "hit")
      const said = ({ text }: Answered) => [...text.matchAll(/"content":"([^"]*)"/g)].map(([, content]) => content)
      assert.deepStrictEqual(said(again), said(first))
      for (let count = 0; count < 20; count++) {
        const { json, status } = yield* call(ready, wish("m", false, { "anthropic-beta": `${count}` }))
        assert.deepStrictEqual([status, json.choices[0].message.content], [200, "one two"])
      }
    })
  )
})
