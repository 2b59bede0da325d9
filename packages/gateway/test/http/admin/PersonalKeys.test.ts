/** Keys that people make for themselves, through the real port. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { addPerson, peopleYaml, sessionOf } from "../../support/People.ts"
import { eventually } from "../../support/Patience.ts"
import { type Answered, call } from "../../support/RawHttp.ts"
import { startGateway } from "../../support/RunningGateway.ts"

const startWorld = Effect.fnUntraced(function* (policy: object = { enabled: true }, yaml = peopleYaml) {
  const gateway = yield* startGateway({ yaml })
  yield* addPerson(gateway, "ada", { teams: { red: "member" } })
  yield* addPerson(gateway, "lead", { teams: { red: "admin" } })
  yield* gateway.admin("PUT", "/admin/teams/red/policy/personal_keys", policy)
  const as = (name: string) =>
    Effect.map(
      sessionOf(gateway, name),
      ({ headers }) =>
        (method: string, path: string, body?: object) =>
          call(gateway.url, { method, path, headers, ...(body === undefined ? {} : { body }) })
    )
  const chat = (key: string, model = "demo/mini", headers: Readonly<Record<string, string>> = {}) =>
    call(gateway.url, {
      path: "/v1/chat/completions",
      key,
      headers,
      body: { model, messages: [{ role: "user", content: "Hello" }] }
    })
  return { ...gateway, chat, ada: yield* as("ada"), lead: yield* as("lead") }
})

const failure = ({ json, status }: Answered) => [status, json.error?.code, json.error?.param]
const idsOf = ({ json }: Answered) => json.data.map(({ id }: { readonly id: string }) => id)

describe("personal keys", () => {
  it.effect("lets a member make a key, use it, and see what it spent", () =>
    Effect.gen(function* () {
      const { ada, admin, chat, createKey, url } = yield* startWorld({
        enabled: true,
        budgets: [{ usd: 5, window: "month" }]
      })
      const other = yield* createKey({ team: "red", name: "of the team" })
      const made = yield* ada("POST", "/admin/me/keys", { team: "red", name: "laptop" })
      assert.strictEqual(made.status, 201, made.text)
      assert.deepInclude(made.json, {
        kind: "personal",
        owner: "user_ada",
        created_by: "user_ada",
        team: "red",
        status: "active",
        on_unknown_price: "deny"
      })
      assert.strictEqual((yield* chat(made.json.key)).status, 200)
      assert.strictEqual((yield* chat(other.secret)).status, 200)
      for (const path of ["/admin/me/keys", "/admin/keys"]) {
        assert.deepStrictEqual(idsOf(yield* ada("GET", path)), [made.json.id], path)
      }
      const spent: number = (yield* ada("GET", "/admin/me/spend")).json.total.cost_usd
      assert.isAbove(spent, 0)
      const { rows } = (yield* admin("GET", "/admin/spend?group_by=user")).json
      assert.deepInclude(rows[0], { user: "user_ada", cost_usd: spent })
      assert.strictEqual(rows.length, 1)
      assert.strictEqual((yield* admin("GET", "/admin/spend?user=user_ada")).json.total.cost_usd, spent)
      const [team] = (yield* ada("GET", "/admin/me")).json.teams
      assert.deepInclude(team, { team: "red", role: "member" })
      assert.deepInclude(team.budgets[0], { usd: 5, spent_usd: spent })
      const own = yield* call(url, { method: "GET", path: "/v1/key", key: made.json.key })
      assert.deepInclude(own.json.scopes[0], { scope: "member", subject: "user_ada" })
      assert.strictEqual(own.json.scopes[0].budgets[0].spent_usd, spent)
      assert.strictEqual((yield* ada("GET", "/admin/requests")).json.data.length, 1)
      const { json: log } = yield* admin("GET", "/admin/audit?action=keys.create&actor=user_ada")
      assert.deepInclude(log.data[0].actor, { kind: "user", name: "Person ada" })
    })
  )

  it.effect("refuses with the field's name what the team's policy does not allow", () =>
    Effect.gen(function* () {
      const { ada, admin } = yield* startWorld({
        enabled: true,
        max_keys: 2,
        max_lifetime_seconds: 86_400,
        models: ["demo/*"],
        limits: { rpm: 60 },
        budgets: [{ usd: 50, window: "month" }]
      })
      const base = { team: "red", expires_at: "1970-01-01T12:00:00Z" }
      const outside: ReadonlyArray<readonly [object, string, string]> = [
        [
          { models: ["demo/mini", "openai/gpt-6"] },
          "models[1]",
          `models[1] is openai/gpt-6; team "red" allows demo/*.`
        ],
        [{ limits: { rpm: 61 } }, "limits.rpm", `limits.rpm is 61; team "red" allows 60 per member.`],
        [
          { budgets: [{ usd: 80, window: "month" }] },
          "budgets[0].usd",
          `budgets[0].usd is 80; team "red" allows 50 per member and month.`
        ],
        [
          {
            budgets: [
              { usd: 50, window: "month", raises: [{ add_usd: 1, until: "1970-01-02T00:00:00Z", reason: "more" }] }
            ]
          },
          "budgets[0].usd",
          `budgets[0].usd is 51; team "red" allows 50 per member and month.`
        ],
        [
          { expires_at: null },
          "expires_at",
          `expires_at must be 1970-01-02T00:00:00.000Z or earlier: team "red" limits the lifetime.`
        ]
      ]
      const key = (yield* ada("POST", "/admin/me/keys", base)).json
      for (const [field, param, message] of outside) {
        const created = yield* ada("POST", "/admin/me/keys", { ...base, ...field })
        assert.deepStrictEqual(failure(created), [403, "outside_team_policy", param])
        assert.strictEqual(created.json.error.message, message)
        assert.deepStrictEqual(failure(yield* ada("PATCH", `/admin/keys/${key.id}`, field)), [
          403,
          "outside_team_policy",
          param
        ])
      }
      const within = { models: ["demo/m*"], limits: { rpm: 60 }, budgets: [{ usd: 50, window: "month" }] }
      assert.strictEqual((yield* ada("POST", "/admin/me/keys", { ...base, ...within })).status, 201)
      const third = yield* ada("POST", "/admin/me/keys", base)
      assert.deepStrictEqual(failure(third), [403, "outside_team_policy", "team"])
      assert.include(third.json.error.message, `allows 2 personal keys per member, and you have as many`)
      yield* ada("DELETE", `/admin/keys/${key.id}`)
      assert.strictEqual((yield* ada("POST", "/admin/me/keys", base)).status, 201)
      const elsewhere = yield* ada("POST", "/admin/me/keys", { ...base, team: "blue" })
      assert.deepStrictEqual(failure(elsewhere).slice(0, 2), [404, "not_found"])
      assert.include((yield* admin("POST", "/admin/me/keys", base)).json.error.message, "a person who signed in")
      yield* admin("PUT", "/admin/teams/red/policy/personal_keys", { enabled: false })
      const off = yield* ada("POST", "/admin/me/keys", base)
      assert.strictEqual(off.json.error.message, `Team "red" allows no personal keys. A team admin can enable them.`)
    })
  )

  it.effect("lets the person change no field of a personal key that escapes budgets or the team", () =>
    Effect.gen(function* () {
      const { ada, admin, createKey, lead } = yield* startWorld()
      const { id } = (yield* ada("POST", "/admin/me/keys", { team: "red" })).json
      const fields: ReadonlyArray<object> = [
        { on_unknown_price: "allow" },
        { unknown_fields: "pass" },
        { model_rules: [] },
        { per_end_user: null },
        { per_session: null },
        { end_user: null },
        { require: null }
      ]
      for (const field of fields) {
        const [name] = Object.keys(field)
        assert.deepStrictEqual(failure(yield* ada("PATCH", `/admin/keys/${id}`, field)), [
          403,
          "outside_team_policy",
          name
        ])
        assert.strictEqual((yield* ada("POST", "/admin/me/keys", { team: "red", ...field })).status, 400)
      }
      for (const field of [{ kind: "service" }, { owner: "user_lead" }, { created_by: "user_lead" }]) {
        assert.strictEqual((yield* ada("PATCH", `/admin/keys/${id}`, field)).status, 400)
        assert.strictEqual((yield* admin("PATCH", `/admin/keys/${id}`, field)).status, 400)
      }
      assert.deepStrictEqual(failure(yield* ada("PATCH", `/admin/keys/${id}`, { team: null })).slice(0, 2), [
        403,
        "not_permitted"
      ])
      assert.deepStrictEqual(failure(yield* admin("PATCH", `/admin/keys/${id}`, { team: "blue" })), [
        403,
        "outside_team_policy",
        "team"
      ])
      assert.strictEqual((yield* lead("PATCH", `/admin/keys/${id}`, { on_unknown_price: "allow" })).status, 200)
      assert.strictEqual((yield* ada("PATCH", `/admin/keys/${id}`, { name: "mine", disabled: true })).status, 200)
      // Keys of the team and of others are not there for a member.
      const other = yield* createKey({ team: "red" })
      assert.strictEqual((yield* ada("DELETE", `/admin/keys/${other.id}`)).status, 404)
      const theirs = (yield* lead("POST", "/admin/me/keys", { team: "red" })).json
      assert.strictEqual((yield* ada("GET", `/admin/keys/${theirs.id}`)).status, 404)
    })
  )

  it.effect("gives a new secret of a personal key to nobody but its person", () =>
    Effect.gen(function* () {
      const { ada, admin, lead } = yield* startWorld()
      const { id } = (yield* ada("POST", "/admin/me/keys", { team: "red" })).json
      for (const answered of [
        yield* lead("POST", `/admin/keys/${id}/rotate`, {}),
        yield* admin("POST", `/admin/keys/${id}/rotate`, {})
      ]) {
        assert.deepStrictEqual(failure(answered).slice(0, 2), [403, "not_permitted"])
        assert.notInclude(answered.text, "mgw_")
      }
      assert.strictEqual((yield* ada("POST", `/admin/keys/${id}/rotate`, {})).status, 200)
      assert.strictEqual((yield* lead("DELETE", `/admin/keys/${id}`)).status, 200)
    })
  )

  it.effect("holds all keys of a person against one budget, also after a key was replaced", () =>
    Effect.gen(function* () {
      const { ada, admin, chat } = yield* startWorld({ enabled: true, budgets: [{ usd: 0.0001, window: "total" }] })
      const first = (yield* ada("POST", "/admin/me/keys", { team: "red" })).json
      let answered = yield* chat(first.key)
      for (let sent = 0; answered.status === 200 && sent < 100; sent++) answered = yield* chat(first.key)
      assert.deepInclude(answered.json.error, { code: "insufficient_quota", scope: "member", subject: "user_ada" })
      assert.include(answered.json.error.message, "all personal keys of user_ada")
      yield* ada("DELETE", `/admin/keys/${first.id}`)
      const second = (yield* ada("POST", "/admin/me/keys", { team: "red" })).json
      assert.strictEqual((yield* chat(second.key)).json.error.scope, "member")
      const [budget] = (yield* ada("GET", "/admin/me")).json.teams[0].budgets
      assert.isAtMost(budget.spent_usd, 0.0001)
      yield* admin("PUT", "/admin/teams/red/policy/personal_keys", { enabled: true, models: ["demo/large"] })
      assert.deepStrictEqual(failure(yield* chat(second.key)).slice(0, 2), [403, "model_not_allowed"])
      assert.strictEqual((yield* chat(second.key, "demo/large")).status, 200)
    })
  )

  it.effect("refuses the keys of a person who is disabled, left the team or may have none, and no others", () =>
    Effect.gen(function* () {
      const { ada, admin, chat, createKey, identities, lead } = yield* startWorld()
      const { id, key } = (yield* ada("POST", "/admin/me/keys", { team: "red" })).json
      const theirs = (yield* lead("POST", "/admin/me/keys", { team: "red" })).json.key
      const shared = (yield* createKey({ team: "red" })).secret
      const stopped = Effect.gen(function* () {
        assert.deepStrictEqual(failure(yield* chat(key)), [401, "suspended_api_key", null])
        assert.strictEqual((yield* admin("GET", `/admin/keys/${id}`)).json.status, "suspended")
        assert.include(idsOf(yield* admin("GET", "/admin/keys?status=suspended")), id)
        assert.notInclude(idsOf(yield* admin("GET", "/admin/keys?status=active")), id)
        assert.strictEqual((yield* chat(shared)).status, 200)
      })
      const works = Effect.gen(function* () {
        assert.strictEqual((yield* chat(key)).status, 200)
        assert.strictEqual((yield* chat(theirs)).status, 200)
      })
      yield* works
      yield* admin("PATCH", "/admin/users/user_ada", { status: "disabled" })
      yield* stopped
      assert.strictEqual((yield* chat(theirs)).status, 200)
      yield* admin("PATCH", "/admin/users/user_ada", { status: "active" })
      yield* works
      // The provider gives the role no more; then it is given by hand, and taken away.
      const person = yield* Effect.fromOption(yield* identities.person("user_ada"))
      yield* identities.save(person, "idp:corp", [])
      yield* admin("PUT", "/admin/teams/red/members/user_ada", { role: "member" })
      yield* works
      yield* admin("DELETE", "/admin/teams/red/members/user_ada")
      yield* stopped
      yield* admin("PUT", "/admin/teams/red/members/user_ada", { role: "member" })
      yield* works
      yield* admin("PUT", "/admin/teams/red/policy/personal_keys", { enabled: false })
      yield* stopped
      yield* admin("PUT", "/admin/teams/red", { limits: { rpm: 600 } })
      yield* stopped
      yield* admin("PUT", "/admin/teams/red/policy/personal_keys", { enabled: true })
      yield* works
      const cached = Effect.map(admin("GET", "/admin/cache"), ({ json }) => json.data.length)
      yield* admin("PATCH", `/admin/keys/${id}`, { cache: { mode: "on" } })
      yield* works
      yield* eventually(cached, (owners) => owners === 1)
      yield* admin("DELETE", "/admin/users/user_ada")
      assert.strictEqual(yield* cached, 0)
      assert.deepStrictEqual(failure(yield* chat(key)), [401, "suspended_api_key", null])
    })
  )

  it.effect("lists keys that are unused or expire soon", () =>
    Effect.gen(function* () {
      const { admin, chat, createKey } = yield* startWorld()
      const unused = yield* createKey({ name: "unused" })
      const used = yield* createKey({ name: "used", expiresAt: 40 * 86_400_000 })
      yield* TestClock.adjust("31 days")
      yield* chat(used.secret)
      const since = new Date(86_400_000).toISOString()
      assert.deepStrictEqual(idsOf(yield* admin("GET", `/admin/keys?unused_since=${since}`)), [unused.id])
      const soon = new Date(45 * 86_400_000).toISOString()
      assert.deepStrictEqual(idsOf(yield* admin("GET", `/admin/keys?expires_before=${soon}`)), [used.id])
    })
  )

  it.effect("admits a key with a list of addresses from these addresses only", () =>
    Effect.gen(function* () {
      const { admin, chat } = yield* startWorld(
        undefined,
        peopleYaml.replace("server: {", "server: { trusted_proxies: [127.0.0.1],")
      )
      const from = (address: string) => ({ "x-forwarded-for": address })
      const made = yield* admin("POST", "/admin/keys", { allow_from: ["10.0.0.0/8", "2001:db8::7"] })
      assert.deepStrictEqual(made.json.allow_from, ["10.0.0.0/8", "2001:db8::7"])
      const { id, key } = made.json
      assert.strictEqual((yield* chat(key, "demo/mini", from("10.1.2.3"))).status, 200)
      assert.strictEqual((yield* chat(key, "demo/mini", from("2001:db8::7"))).status, 200)
      for (const address of ["11.1.2.3", "2001:db8::8", "127.0.0.1"]) {
        const refused = yield* chat(key, "demo/mini", from(address))
        assert.deepStrictEqual(failure(refused), [403, "address_not_allowed", null])
        assert.include(refused.json.error.message, address)
        assert.notInclude(refused.text, "10.0.0.0")
      }
      const wrong = yield* admin("PATCH", `/admin/keys/${id}`, { allow_from: ["10.0.0.0/8", "10.0.0.0/33"] })
      assert.deepStrictEqual(failure(wrong), [400, "invalid_field", "allow_from[1]"])
      yield* admin("PATCH", `/admin/keys/${id}`, { allow_from: null })
      assert.strictEqual((yield* chat(key, "demo/mini", from("11.1.2.3"))).status, 200)
    })
  )
})
