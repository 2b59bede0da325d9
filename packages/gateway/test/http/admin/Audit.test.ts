import { DatabaseSync } from "node:sqlite"
import { assert, describe, it } from "@effect/vitest"
import { AuditPage } from "@model-gateway/protocol"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { call } from "../../support/RawHttp.ts"
import { masterKey, startGateway, temporaryStore } from "../../support/RunningGateway.ts"
import { conforms, rowOf, startAdmin } from "../AdminClient.ts"

const NOON = Date.UTC(2026, 10, 21, 12)

describe("the audit log", () => {
  it.effect("has every change with who, what, before and after, when and from where, and no secret", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(NOON)
      const { gateway, send } = yield* startAdmin
      const made = (yield* send("POST", "/admin/keys", { name: "app", limits: { rpm: 5 } })).json
      yield* TestClock.adjust("1 minute")
      const opened = yield* call(gateway.url, { path: "/admin/session", body: { master_key: masterKey } })
      const halves = {
        cookie: opened.headers["set-cookie"]?.[0]?.split(";")[0] ?? "",
        "x-gateway-session": String(opened.json.token)
      }
      const changed = { path: `/admin/keys/${made.id}`, method: "PATCH", body: { limits: { rpm: 7 } } }
      yield* call(gateway.url, { ...changed, headers: halves })
      const rotated = (yield* send("POST", `/admin/keys/${made.id}/rotate`)).json
      yield* send("PUT", "/admin/teams/red", { budget_usd: 5 })
      yield* send("DELETE", "/admin/teams/red")
      yield* send("POST", "/admin/deployments/disable", { deployments: ["demo/mini", "demo/large"] })
      yield* send("POST", "/admin/deployments/reset", { deployment: "demo/mini" })
      yield* send("DELETE", `/admin/keys/${made.id}`)
      yield* send("DELETE", "/admin/sessions")
      // What changes nothing, is refused or only looks is no entry.
      yield* send("DELETE", `/admin/keys/${made.id}`)
      yield* send("PATCH", `/admin/keys/${made.id}`, {})
      yield* send("DELETE", "/admin/teams/none")
      yield* send("GET", "/admin/keys")

      const all = yield* send("GET", "/admin/audit")
      conforms(AuditPage, all.json)
      const entries = all.json.data.toReversed()
      const row = (one: { action: string; target: string | null; actor: { id: string } }) => [
        one.action,
        one.target,
        one.actor.id
      ]
      assert.deepStrictEqual(entries.map(row), [
        ["keys.create", made.id, "master_key"],
        ["sessions.open", opened.json.id, "master_key"],
        ["keys.update", made.id, opened.json.id],
        ["keys.rotate", made.id, "master_key"],
        ["teams.put", "red", "master_key"],
        ["teams.delete", "red", "master_key"],
        ["deployments.disable", "demo/mini", "master_key"],
        ["deployments.disable", "demo/large", "master_key"],
        ["deployments.reset", "demo/mini", "master_key"],
        ["keys.revoke", made.id, "master_key"],
        ["sessions.close_all", null, "master_key"]
      ])
      const [create, , update] = entries
      assert.deepStrictEqual(
        [create.at, create.before, create.after.limits.rpm, create.actor.address],
        ["2026-11-21T12:00:00.000Z", null, 5, "127.0.0.1"]
      )
      assert.deepStrictEqual([update.before.limits.rpm, update.after.limits.rpm], [5, 7])
      assert.deepStrictEqual([entries[4].before, entries[4].after.budgets[0].usd], [null, 5])
      assert.deepStrictEqual(entries[6].before, { status: "in_rotation" })
      for (const secret of [made.key, rotated.key, masterKey, opened.json.token, halves.cookie.split("=")[1]]) {
        assert.notInclude(all.text, secret)
      }

      const list = (query: string) => Effect.map(send("GET", `/admin/audit?${query}`), ({ json }) => json)
      assert.deepStrictEqual((yield* list(`actor=${opened.json.id}`)).data.map(row), [row(update)])
      assert.strictEqual((yield* list("action=deployments.disable")).data.length, 2)
      assert.strictEqual((yield* list(`target=${made.id}`)).data.length, 4)
      assert.strictEqual((yield* list("to=2026-11-21T12:01:00Z")).data.length, 1)
      const first = yield* list("limit=3")
      const second = yield* list(`limit=3&after=${first.next}`)
      assert.deepStrictEqual([...first.data, ...second.data].map(row), entries.toReversed().slice(0, 6).map(row))
      for (const [query, param] of [
        ["action=keys.steal", "action"],
        ["limit=0", "limit"],
        ["after=x", "after"],
        ["from=yesterday", "from"]
      ]) {
        const refused = yield* send("GET", `/admin/audit?${query}`)
        assert.deepStrictEqual(rowOf(refused), [400, "invalid_request_error", "invalid_field", param])
      }
    })
  )

  it.effect("can't be changed, not even in the store", () =>
    Effect.gen(function* () {
      const store = yield* temporaryStore
      yield* Effect.scoped(
        Effect.flatMap(startGateway({ store }), (gateway) => gateway.admin("POST", "/admin/keys", {}))
      )
      const db = new DatabaseSync(store)
      assert.throws(() => db.exec("UPDATE audit SET actor = 'nobody'"), /never changed/)
      assert.throws(() => db.exec("DELETE FROM audit"), /never changed/)
      assert.strictEqual(db.prepare("SELECT count(*) AS count FROM audit").get()?.["count"], 1)
      db.close()
    })
  )
})
