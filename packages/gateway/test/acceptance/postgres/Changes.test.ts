/** What an administrator changes at one of several gateways holds at all of them when the call returns. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { freshDatabase, isSkipped } from "../../support/postgres/Databases.ts"
import { rowsIn } from "../../support/postgres/Queries.ts"
import { administrate, chat, clusterOf, newKey } from "../../support/postgres/Gateways.ts"
import { eventually } from "../../support/Patience.ts"
import { call } from "../../support/RawHttp.ts"
import { completion, upstream } from "../../support/Upstream.ts"

const cluster = Effect.fnUntraced(function* (count: number, lease?: string) {
  const { baseUrl } = yield* upstream(() => ({ body: completion("yes") }))
  const database = yield* freshDatabase
  const { start } = yield* clusterOf({ database, provider: baseUrl, ...(lease === undefined ? {} : { lease }) })
  const nodes = yield* Effect.replicateEffect(start, count, { concurrency: count })
  return { database, nodes, urls: nodes.map(({ ready }) => ready) }
})

const statusAt = (url: string) =>
  Effect.map(administrate(url, "/admin/deployments"), ({ json }) => String(json.data[0].status))

describe.skipIf(isSkipped)("a change at one of several gateways", () => {
  it.live("of a deployment's rotation holds at all of them", () =>
    Effect.gen(function* () {
      const { urls } = yield* cluster(3)
      const [one = "", two = "", three = ""] = urls
      const { secret } = yield* newKey(one, {})
      for (let round = 0; round < 3; round++) {
        const deployment = { deployment: "up/m" }
        assert.strictEqual((yield* administrate(one, "/admin/deployments/disable", deployment)).status, 200)
        for (const url of urls) assert.strictEqual(yield* statusAt(url), "out_of_rotation")
        for (const url of urls) assert.notStrictEqual((yield* chat(url, secret)).status, 200)
        yield* administrate(two, "/admin/deployments/enable", deployment)
        for (const url of urls) assert.strictEqual((yield* chat(url, secret)).status, 200)
        // Both at once: all agree on one of them.
        yield* Effect.all(
          [
            administrate(one, "/admin/deployments/enable", deployment),
            administrate(three, "/admin/deployments/disable", deployment)
          ],
          { concurrency: 2 }
        )
        assert.strictEqual(new Set(yield* Effect.forEach(urls, statusAt)).size, 1)
      }
    })
  )

  it.live("of a service token holds at all of them with the next request", () =>
    Effect.gen(function* () {
      const { urls } = yield* cluster(2)
      const [one = "", two = ""] = urls
      const body = { name: "reader", role: "viewer", expires_at: new Date(Date.now() + 3_600_000).toISOString() }
      const { json } = yield* administrate(one, "/admin/tokens", body)
      const status = (url: string) =>
        Effect.map(call(url, { method: "GET", path: "/admin/keys", key: json.token }), (answer) => answer.status)
      for (const url of urls) assert.strictEqual(yield* status(url), 200)
      yield* administrate(two, `/admin/tokens/${json.id}`, undefined, "DELETE")
      for (const url of urls) assert.strictEqual(yield* status(url), 401)
    })
  )

  it.live("of a team and its keys holds at all of them", () =>
    Effect.gen(function* () {
      const { urls } = yield* cluster(2)
      const [one = "", two = ""] = urls
      const team = (url: string, rpm: number) => administrate(url, "/admin/teams/red", { limits: { rpm } }, "PUT")
      yield* team(one, 100)
      const { id, secret } = yield* newKey(one, { team: "red" })
      for (const url of urls) assert.strictEqual((yield* chat(url, secret)).status, 200)
      yield* team(two, 2)
      for (const url of urls) assert.strictEqual((yield* chat(url, secret)).status, 429)
      yield* administrate(two, `/admin/keys/${id}`, { team: null }, "PATCH")
      for (const url of urls) assert.strictEqual((yield* chat(url, secret)).status, 200)
      const { json } = yield* administrate(two, `/admin/keys/${id}/rotate`, { grace_seconds: 0 })
      for (const url of urls) assert.strictEqual((yield* chat(url, secret)).status, 401)
      for (const url of urls) assert.strictEqual((yield* chat(url, String(json.key))).status, 200)
    })
  )

  it.live("is waited for by whoever revokes a key a second time, where one hangs", () =>
    Effect.gen(function* () {
      const { database, nodes, urls } = yield* cluster(3, "3s")
      const [one = "", , three = ""] = urls
      const { id, secret } = yield* newKey(one, {})
      for (const url of urls) assert.strictEqual((yield* chat(url, secret)).status, 200)
      nodes[1]?.signal("SIGSTOP")
      const first = yield* Effect.forkChild(administrate(one, `/admin/keys/${id}`, undefined, "DELETE"))
      yield* eventually(
        rowsIn(database, "SELECT 1 FROM model_gateway.keys WHERE revoked_at IS NOT NULL"),
        (rows) => rows.length === 1
      )
      const again = yield* administrate(three, `/admin/keys/${id}`, undefined, "DELETE")
      assert.strictEqual(again.status, 200)
      // By then the one that hangs is out of its lease.
      const waking = yield* Effect.forkChild(chat(urls[1] ?? "", secret))
      nodes[1]?.signal("SIGCONT")
      assert.notStrictEqual((yield* Fiber.join(waking)).status, 200)
      assert.strictEqual((yield* Fiber.join(first)).status, 200)
      const audit = yield* rowsIn(database, "SELECT 1 FROM model_gateway.audit WHERE action = 'keys.revoke'")
      assert.lengthOf(audit, 1)
    })
  )
})
