/** One response cache of three gateways on one Postgres. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { cachingGateway, numbered } from "../cache/CacheRun.ts"
import { freshDatabase, isSkipped } from "../../support/postgres/Databases.ts"
import { administer, rowsIn } from "../../support/postgres/Queries.ts"
import { eventually, until } from "../../support/Patience.ts"
import { completion } from "../../support/Upstream.ts"

/** Their provider answers requests for `held` when `release` is called. */
const three = Effect.gen(function* () {
  let release = () => {}
  const gate = new Promise<void>((resolve) => (release = resolve))
  const provider = yield* numbered(({ body }) =>
    body.messages[0].content === "held" ? { gate, body: completion("held") } : undefined
  )
  const url = yield* freshDatabase
  const start = cachingGateway({ provider, more: `store: { postgres: { url: "${url}", lease: 20s } }` })
  const gateways = [yield* start, yield* start, yield* start] as const
  const stored = (count: number) =>
    eventually(
      rowsIn(url, "SELECT id FROM model_gateway.cached_responses WHERE kind <> 'erased'"),
      ({ length }) => length === count
    )
  return { asked: provider.asked, gateways, release: () => release(), stored, url }
})

const held = { messages: [{ role: "user", content: "held" }] }

describe.skipIf(isSkipped)("three gateways on one Postgres", () => {
  it.live("give each other's entries, count every hit, and do without the table", () =>
    Effect.gen(function* () {
      const { asked, gateways, stored, url } = yield* three
      const [{ admin, chat, secret }, b, c] = gateways
      const first = yield* chat()
      yield* stored(1)
      for (const gateway of [b, c]) {
        const hit = yield* gateway.chat({}, {}, secret)
        assert.strictEqual(hit.headers["x-gateway-cache"], "hit")
        assert.strictEqual(hit.json.choices[0].message.content, first.json.choices[0].message.content)
      }
      assert.lengthOf(asked, 1)
      const spend = yield* eventually(admin("GET", "/admin/spend"), ({ json }) => json.total.requests === 3)
      assert.deepInclude(spend.json.total, { cost_usd: 0.00002, cache_hits: 2, cache_saved_usd: 0.00004 })
      yield* administer(url, "DROP TABLE model_gateway.cached_responses CASCADE")
      for (const gateway of gateways) {
        const { headers, status } = yield* gateway.chat({}, {}, secret)
        assert.deepStrictEqual([status, headers["x-gateway-cache"]], [200, "miss"])
      }
    })
  )

  it.live("have nothing left of a key when its revocation, or a deletion, at one of them returns", () =>
    Effect.gen(function* () {
      const { asked, gateways, release, stored } = yield* three
      const [a, b, c] = gateways
      yield* a.admin("PUT", "/admin/teams/t", { cache: { namespace: "team" } })
      const [maker, other] = [yield* a.createKey({ team: "t" }), yield* a.createKey({ team: "t" })]
      const resultOf = Effect.fnUntraced(function* (at: typeof a, key: string, fields = {}) {
        const { headers, status } = yield* at.chat(fields, {}, key)
        return status === 200 ? headers["x-gateway-cache"] : status
      })
      yield* resultOf(a, maker.secret)
      yield* stored(1)
      assert.strictEqual(yield* resultOf(b, other.secret), "hit")
      // A request that runs when its key is revoked must not be stored for the team afterwards.
      const running = yield* Effect.forkChild(resultOf(a, maker.secret, held))
      yield* until(() => asked.length === 2)
      assert.strictEqual((yield* c.admin("DELETE", `/admin/keys/${maker.id}`)).status, 200)
      release()
      yield* stored(0)
      for (const gateway of gateways) assert.strictEqual(yield* resultOf(gateway, maker.secret), 401)
      yield* Fiber.join(running)
      assert.strictEqual(yield* resultOf(b, other.secret, held), "miss")
      assert.strictEqual(yield* resultOf(b, other.secret), "miss")
      yield* stored(2)
      assert.strictEqual((yield* a.admin("DELETE", "/admin/cache?team=t&model=up/*")).status, 200)
      assert.strictEqual(yield* resultOf(c, other.secret), "miss")
      yield* stored(1)
      assert.strictEqual((yield* b.admin("DELETE", "/admin/teams/t?force=true")).status, 200)
      yield* stored(0)
    })
  )

  it.live("let equal requests wait for one call in each of them", () =>
    Effect.gen(function* () {
      const { asked, gateways, release, stored } = yield* three
      const [{ secret }] = gateways
      const all = yield* Effect.forkChild(
        Effect.forEach([...gateways, ...gateways], (one) => one.chat(held, {}, secret), { concurrency: 6 })
      )
      yield* until(() => asked.length === 3)
      release()
      const results = (yield* Fiber.join(all)).map(({ headers }) => headers["x-gateway-cache"])
      assert.deepStrictEqual([...results].sort(), ["hit", "hit", "hit", "miss", "miss", "miss"])
      assert.lengthOf(asked, 3)
      yield* stored(1)
    })
  )
})
