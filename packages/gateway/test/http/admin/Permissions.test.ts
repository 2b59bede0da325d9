/**
 * The permission walk: every operation under `/admin` as every principal, against a table that is written by hand. The endpoints'
 * annotations are not read for the walk; a second test shows that no annotation can be weakened unnoticed.
 */
import { openApiJson, type Access, EndpointAccess, ServedApi } from "@model-gateway/protocol"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect } from "effect"
import { TestClock } from "effect/testing"
import { HttpApi } from "effect/http-api"
import { decide } from "../../../src/core/admin/Access.ts"
import { NotPermitted } from "../../../src/core/domain/Errors.ts"
import { type Principal, seesTeam } from "../../../src/core/domain/Principal.ts"
import { addPerson, peopleYaml, sessionOf } from "../../support/People.ts"
import { call, open } from "../../support/RawHttp.ts"
import { masterKey, type RunningGateway, startGateway } from "../../support/RunningGateway.ts"

/** `lead`: admin of team red. `member`: member of team red. `nobody`: a person without a role. `t…`: service tokens of the role. */
const columns = [
  "master",
  "admin",
  "viewer",
  "lead",
  "member",
  "nobody",
  "tAdmin",
  "tViewer",
  "tLead",
  "tMember"
] as const
type Column = (typeof columns)[number]

/**
 * The last word of a row is its target: of team `red` or `blue`, `none`, or `self`. Cells: `ok`; a status; for lists `all`, `red`
 * (data of team red only) or `own` (no data of a team).
 */
const table = `
POST   /admin/keys                     red  | ok  ok  403 ok  403 403 | ok  403 ok  403
POST   /admin/keys                     blue | ok  ok  403 403 403 403 | ok  403 403 403
POST   /admin/keys                     none | ok  ok  403 403 403 403 | ok  403 403 403
GET    /admin/keys                     list | all all all red own own | all all red own
GET    /admin/keys/{id}                red  | ok  ok  ok  ok  404 404 | ok  ok  ok  404
GET    /admin/keys/{id}                blue | ok  ok  ok  404 404 404 | ok  ok  404 404
PATCH  /admin/keys/{id}                red  | ok  ok  403 ok  404 404 | ok  403 ok  404
PATCH  /admin/keys/{id}                blue | ok  ok  403 404 404 404 | ok  403 404 404
PATCH  /admin/keys/{id}                move | ok  ok  403 403 404 404 | ok  403 403 404
DELETE /admin/keys/{id}                red  | ok  ok  403 ok  404 404 | ok  403 ok  404
DELETE /admin/keys/{id}                blue | ok  ok  403 404 404 404 | ok  403 404 404
POST   /admin/keys/{id}/rotate         red  | ok  ok  403 ok  404 404 | ok  403 ok  404
POST   /admin/keys/{id}/rotate         blue | ok  ok  403 404 404 404 | ok  403 404 404
GET    /admin/teams                    list | all all all red red 403 | all all red red
GET    /admin/teams/{team}             red  | ok  ok  ok  ok  ok  403 | ok  ok  ok  ok
GET    /admin/teams/{team}             blue | ok  ok  ok  404 404 403 | ok  ok  404 404
PUT    /admin/teams/{team}             red  | ok  ok  403 403 403 403 | ok  403 403 403
DELETE /admin/teams/{team}             red  | ok  ok  403 403 403 403 | ok  403 403 403
GET    /admin/teams/{team}/policy      red  | ok  ok  ok  ok  ok  403 | ok  ok  ok  ok
GET    /admin/teams/{team}/policy      blue | ok  ok  ok  404 404 403 | ok  ok  404 404
PUT    /admin/teams/{team}/policy/personal_keys red  | ok  ok  403 ok  403 403 | ok  403 ok  403
PUT    /admin/teams/{team}/policy/personal_keys blue | ok  ok  403 404 403 403 | ok  403 404 403
GET    /admin/teams/{team}/members     red  | ok  ok  ok  ok  403 403 | ok  ok  ok  403
GET    /admin/teams/{team}/members     blue | ok  ok  ok  404 403 403 | ok  ok  404 403
PUT    /admin/teams/{team}/members/{user} red  | ok  ok  403 ok  403 403 | ok  403 ok  403
PUT    /admin/teams/{team}/members/{user} blue | ok  ok  403 404 403 403 | ok  403 404 403
DELETE /admin/teams/{team}/members/{user} red  | ok  ok  403 ok  403 403 | ok  403 ok  403
DELETE /admin/teams/{team}/members/{user} blue | ok  ok  403 404 403 403 | ok  403 404 403
GET    /admin/end-users                none | ok  ok  ok  403 403 403 | ok  ok  403 403
GET    /admin/end-users/{owner}/{id}   none | ok  ok  ok  403 403 403 | ok  ok  403 403
PUT    /admin/end-users/{owner}/{id}   none | ok  ok  403 403 403 403 | ok  403 403 403
DELETE /admin/end-users/{owner}/{id}   none | ok  ok  403 403 403 403 | ok  403 403 403
GET    /admin/budgets                  list | all all all red own own | all all red own
GET    /admin/overview                 list | all all all red own own | all all red own
GET    /admin/spend                    list | all all all red own own | all all red own
GET    /admin/traffic                  list | all all all red own own | all all red own
GET    /admin/requests                 list | all all all red own own | all all red own
GET    /admin/requests/stream          list | all all all red own own | all all red own
GET    /admin/requests/{id}            red  | ok  ok  ok  ok  404 404 | ok  ok  ok  404
GET    /admin/requests/{id}            blue | ok  ok  ok  404 404 404 | ok  ok  404 404
GET    /admin/requests/{id}/content    self | 404 404 403 404 403 403 | 404 403 404 403
GET    /admin/cache                    none | ok  ok  ok  403 403 403 | ok  ok  403 403
DELETE /admin/cache                    none | 400 400 403 403 403 403 | 400 403 403 403
GET    /admin/guardrails               none | ok  ok  ok  403 403 403 | ok  ok  403 403
POST   /admin/route/explain            red  | ok  ok  ok  ok  404 404 | ok  ok  ok  404
POST   /admin/route/explain            blue | ok  ok  ok  404 404 404 | ok  ok  404 404
POST   /admin/route/explain            none | ok  ok  ok  400 400 400 | ok  ok  400 400
GET    /admin/deployments              none | ok  ok  ok  403 403 403 | ok  ok  403 403
POST   /admin/deployments/disable      none | ok  ok  403 403 403 403 | ok  403 403 403
POST   /admin/deployments/enable       none | ok  ok  403 403 403 403 | ok  403 403 403
POST   /admin/deployments/reset        none | ok  ok  403 403 403 403 | ok  403 403 403
GET    /admin/config                   none | 400 400 400 403 403 403 | 400 400 403 403
POST   /admin/config/reload            none | 400 400 403 403 403 403 | 400 403 403 403
GET    /admin/info                     none | ok  ok  ok  ok  ok  ok  | ok  ok  ok  ok
GET    /admin/nodes                    none | ok  ok  ok  403 403 403 | ok  ok  403 403
GET    /admin/audit                    list | all all all red own own | all all red own
GET    /admin/session                  self | 404 ok  ok  ok  ok  ok  | 403 403 403 403
DELETE /admin/session                  self | 404 ok  ok  ok  ok  ok  | 403 403 403 403
GET    /admin/sessions                 list | all all own own own own | 403 403 403 403
DELETE /admin/sessions                 self | ok  ok  ok  ok  ok  ok  | 403 403 403 403
DELETE /admin/sessions/{id}            none | ok  ok  404 404 404 404 | 403 403 403 403
GET    /admin/me                       self | ok  ok  ok  ok  ok  ok  | ok  ok  ok  ok
GET    /admin/me/keys                  list | own own own own own own | 403 403 403 403
POST   /admin/me/keys                  self | 403 404 404 ok  ok  404 | 403 403 403 403
GET    /admin/me/spend                 list | own own own own own own | 403 403 403 403
GET    /admin/device/{code}            self | 403 ok  ok  ok  ok  ok  | 403 403 403 403
POST   /admin/device/{code}/approve    self | 403 ok  ok  ok  ok  ok  | 403 403 403 403
POST   /admin/device/{code}/deny       self | 403 ok  ok  ok  ok  ok  | 403 403 403 403
GET    /admin/me/sign-ins              list | 403 own own own own own | 403 403 403 403
DELETE /admin/me/sign-ins/{id}         self | 403 404 404 404 404 404 | 403 403 403 403
GET    /admin/users                    list | all all all red 403 403 | all all red 403
GET    /admin/users/{user}             red  | ok  ok  ok  ok  403 403 | ok  ok  ok  403
GET    /admin/users/{user}             blue | ok  ok  ok  404 403 403 | ok  ok  404 403
PATCH  /admin/users/{user}             red  | ok  ok  403 403 403 403 | 403 403 403 403
DELETE /admin/users/{user}             red  | ok  ok  403 403 403 403 | 403 403 403 403
POST   /admin/users/{user}/sign-out    red  | ok  ok  404 404 404 404 | 403 403 403 403
GET    /admin/tokens                   list | all all 403 red 403 403 | 403 403 403 403
POST   /admin/tokens                   red  | ok  ok  403 ok  403 403 | 403 403 403 403
POST   /admin/tokens                   blue | ok  ok  403 403 403 403 | 403 403 403 403
POST   /admin/tokens                   none | ok  ok  403 403 403 403 | 403 403 403 403
DELETE /admin/tokens/{token}           red  | ok  ok  403 ok  403 403 | 403 403 403 403
DELETE /admin/tokens/{token}           blue | ok  ok  403 404 403 403 | 403 403 403 403
`

const rows = table
  .trim()
  .split("\n")
  .map((line) => {
    const [method, path, target, ...cells] = line.replaceAll("|", " ").split(/\s+/)
    return { name: `${method} ${path} ${target}`, method: method!, path: path!, target: target!, cells }
  })

/** They need no credential. */
const openToAll = new Set([
  "POST /admin/session",
  "GET /admin/sign-in",
  "GET /admin/sign-in/{provider}",
  "GET /admin/sign-in/{provider}/callback"
])

const operations = (under: string) => {
  const { paths } = JSON.parse(openApiJson()) as { paths: Record<string, Record<string, object>> }
  return Object.entries(paths).flatMap(([path, methods]) =>
    path.startsWith(under) ? Object.keys(methods).map((method) => [method.toUpperCase(), path] as const) : []
  )
}

const teams = ["red", "blue"] as const
const budgets = [{ usd: 10, window: "month" }]
const soon = "1970-06-01T00:00:00Z"

/** Both teams with a key, a budget, a request and a person each; and everybody's credentials. */
const startWorld = Effect.gen(function* () {
  const gateway = yield* startGateway({ yaml: peopleYaml })
  const admin = (method: string, path: string, body?: object) =>
    Effect.tap(gateway.admin(method, path, body), ({ status, text }) =>
      status < 300 ? Effect.void : Effect.die(`${method} ${path}: ${text}`)
    )
  const receipts: Record<string, string> = {}
  for (const team of teams) {
    yield* admin("PUT", `/admin/teams/team-${team}`, { budgets })
    yield* admin("PUT", `/admin/teams/team-${team}/policy/personal_keys`, { enabled: true })
    const key = yield* newKey(gateway, `team-${team}`)
    const sent = yield* call(gateway.url, {
      path: "/v1/chat/completions",
      key: key.key,
      body: { model: "demo/mini", messages: [{ role: "user", content: "Hello" }] }
    })
    receipts[team] = String(sent.headers["x-gateway-request-id"] ?? sent.headers["x-request-id"])
    yield* addPerson(gateway, `of-team-${team}`, { teams: { [`team-${team}`]: "member" } })
  }
  yield* addPerson(gateway, "admin", { role: "admin" })
  yield* addPerson(gateway, "viewer", { role: "viewer" })
  yield* addPerson(gateway, "lead", { teams: { "team-red": "admin" } })
  yield* addPerson(gateway, "member", { teams: { "team-red": "member" } })
  yield* addPerson(gateway, "nobody")
  const token = (role: string, team: string | null) =>
    Effect.map(newToken(gateway, role, team), ({ token: secret }): string => secret)
  const tokens = {
    tAdmin: yield* token("admin", null),
    tViewer: yield* token("viewer", null),
    tLead: yield* token("admin", "team-red"),
    tMember: yield* token("member", "team-red")
  }
  yield* token("member", "team-blue")
  /** New for each call: some end sessions. */
  const credential = (column: Column) =>
    Effect.gen(function* () {
      if (column === "master") return { authorization: `Bearer ${masterKey}` }
      if (column in tokens) return { authorization: `Bearer ${tokens[column as keyof typeof tokens]}` }
      return (yield* sessionOf(gateway, column)).headers
    })
  return { gateway, credential, receipts }
})

const newKey = (gateway: RunningGateway, team: string) =>
  Effect.map(gateway.admin("POST", "/admin/keys", { team, name: `key of ${team}` }), ({ json }) => json)

/** An address may begin 20 in a minute. */
const newCode = Effect.fnUntraced(function* (gateway: RunningGateway) {
  yield* TestClock.adjust("4 seconds")
  const form = { path: "/oauth/device_authorization", body: "client_id=walk" }
  const headers = { "content-type": "application/x-www-form-urlencoded" }
  const { json } = yield* call(gateway.url, { method: "POST", headers, ...form })
  return String(json.user_code)
})

const newToken = (gateway: RunningGateway, role: string, team: string | null) =>
  Effect.map(
    gateway.admin("POST", "/admin/tokens", { name: `${role} of ${team}`, role, team, expires_at: soon }),
    ({ json }) => json
  )

const queries: Readonly<Record<string, string>> = {
  "/admin/spend": "?group_by=team",
  "/admin/traffic": "?group_by=team",
  "/admin/me/spend": "?group_by=team",
  "/admin/keys": "?status=active"
}

const bodies: Readonly<Record<string, object>> = {
  "PATCH /admin/keys/{id}": { name: "renamed" },
  "POST /admin/keys/{id}/rotate": {},
  "PUT /admin/teams/{team}": { budgets },
  "PUT /admin/teams/{team}/policy/personal_keys": { enabled: true },
  "PUT /admin/end-users/{owner}/{id}": { blocked: true },
  "PUT /admin/teams/{team}/members/{user}": { role: "member" },
  "PATCH /admin/users/{user}": { role: null },
  "POST /admin/deployments/disable": { deployment: "demo/cut-3" },
  "POST /admin/deployments/enable": { deployment: "demo/cut-3" },
  "POST /admin/deployments/reset": { deployment: "demo/cut-3" }
}

describe("the permission walk", () => {
  it("has a row for every operation under /admin, and declares the access of each", () => {
    const known = new Set(rows.map(({ method, path }) => `${method} ${path}`))
    assert.deepStrictEqual(
      operations("/admin").flatMap(([method, path]) => {
        const name = `${method} ${path}`
        return openToAll.has(name) || known.has(name) ? [] : [name]
      }),
      []
    )
    assert.strictEqual(known.size, operations("/admin").length - openToAll.size)
    for (const [name, { access }] of declared) assert.notStrictEqual(access, undefined, name)
  })

  it.effect(
    "gives every principal at every operation what the table says",
    () =>
      Effect.gen(function* () {
        const { credential, gateway, receipts } = yield* startWorld
        const found: Array<string> = []
        let number = 0
        for (const row of rows) {
          for (const [index, column] of columns.entries()) {
            const team = row.target === "blue" ? "team-blue" : "team-red"
            const own = row.target === "none" || row.target === "list" || row.target === "self"
            // What is changed or deleted is there anew for each call.
            const body: Record<string, unknown> | undefined = yield* Effect.gen(function* () {
              if (row.path === "/admin/keys" && row.method === "POST") return own ? {} : { team }
              if (row.path === "/admin/me/keys" && row.method === "POST") return { team }
              if (row.path === "/admin/tokens" && row.method === "POST")
                return { name: "x", role: "admin", expires_at: soon, ...(own ? {} : { team }) }
              if (row.path === "/admin/route/explain") {
                const request = { messages: [{ role: "user", content: "Hello" }] }
                return own ? { request } : { request, key: (yield* newKey(gateway, team)).id }
              }
              if (row.target === "move") return { team: "team-blue" }
              return bodies[`${row.method} ${row.path}`] as Record<string, unknown> | undefined
            })
            let path = row.path
            if (path.includes("/keys/{id}")) path = path.replace("{id}", (yield* newKey(gateway, team)).id)
            if (path.includes("/requests/{id}")) path = path.replace("{id}", receipts[row.target]!)
            if (path.includes("{code}")) path = path.replace("{code}", yield* newCode(gateway))
            if (path.includes("/sessions/{id}")) {
              path = path.replace("{id}", (yield* sessionOf(gateway, `of-team-red`)).id)
            }
            if (path.includes("{token}")) path = path.replace("{token}", (yield* newToken(gateway, "admin", team)).id)
            if (path.includes("{user}")) {
              const name = path.includes("/members/") ? `new-${number++}` : `of-${team}-${number++}`
              yield* addPerson(gateway, name, path.includes("/members/") ? {} : { teams: { [team]: "member" } })
              const person = yield* gateway.identities.personOf("https://login.example.com", name)
              const id = person._tag === "Some" ? person.value.id : ""
              if (row.method === "DELETE") yield* gateway.identities.assign(id, team, "member")
              path = path.replace("{user}", id)
            }
            if (path.includes("{owner}")) {
              path = path.replace("{owner}/{id}", `team:${team}/ann`)
              yield* gateway.admin("PUT", path, {})
            }
            path = path.replace("{team}", team)
            const query = row.method === "DELETE" && row.path === "/admin/teams/{team}" ? "?force=true" : ""
            const sent = {
              method: row.method,
              path: path + (queries[row.path] && row.method === "GET" ? queries[row.path] : query),
              headers: yield* credential(column),
              ...(body === undefined ? {} : { body })
            }
            const expected = row.cells[index]!
            if (row.path === "/admin/requests/stream") {
              const { hangUp, response } = yield* open(gateway.url, { ...sent, headers: { ...sent.headers } })
              hangUp()
              if (response.statusCode !== 200) found.push(`${row.name} ${column}: ${response.statusCode}`)
              continue
            }
            const answer = yield* call(gateway.url, sent)
            if (row.path === "/admin/teams/{team}" && row.method === "DELETE") {
              yield* gateway.admin("PUT", `/admin/teams/${team}`, { budgets })
            }
            const got = resultOf(answer.status, answer.text, row.target === "list" ? row.path : undefined)
            if (got !== expected) found.push(`${row.name} ${column}: ${got}, the table says ${expected}`)
          }
        }
        assert.deepStrictEqual(found, [])
      }),
    120_000
  )

  it.effect(
    "refuses everybody without a role at all of them: no credential, a virtual key, a disabled person, an old token",
    () =>
      Effect.gen(function* () {
        const { gateway } = yield* startWorld
        const { secret } = yield* gateway.createKey()
        yield* addPerson(gateway, "left", { role: "admin" })
        const left = yield* sessionOf(gateway, "left")
        yield* gateway.admin("PATCH", "/admin/users/user_left", { status: "disabled" })
        yield* addPerson(gateway, "erased", { role: "admin" })
        const erased = yield* sessionOf(gateway, "erased")
        yield* gateway.admin("DELETE", "/admin/users/user_erased")
        const revoked = yield* newToken(gateway, "admin", null)
        yield* gateway.admin("DELETE", `/admin/tokens/${revoked.id}`)
        const short = yield* gateway.admin("POST", "/admin/tokens", {
          name: "short",
          role: "admin",
          expires_at: "1970-01-01T00:00:30Z"
        })
        const refused: ReadonlyArray<readonly [string, Readonly<Record<string, string>>, number, string]> = [
          ["no credential", {}, 401, "missing_api_key"],
          ["virtual key", { authorization: `Bearer ${secret}` }, 403, "wrong_key_kind"],
          ["disabled person", left.headers, 401, "invalid_session"],
          ["erased person", erased.headers, 401, "invalid_session"],
          ["revoked token", { authorization: `Bearer ${revoked.token}` }, 401, "invalid_service_token"],
          ["expired token", { authorization: `Bearer ${short.json.token}` }, 401, "invalid_service_token"],
          [
            "made-up token",
            { authorization: `Bearer mgwa_${"a".repeat(12)}_${"b".repeat(43)}` },
            401,
            "invalid_service_token"
          ],
          ["token in another header", { "x-api-key": short.json.token }, 401, "invalid_api_key"]
        ]
        for (const [method, path] of operations("/admin")) {
          if (openToAll.has(`${method} ${path}`)) continue
          yield* TestClock.adjust("1 minute")
          for (const [who, headers, status, code] of refused) {
            const answer = yield* call(gateway.url, { method, path: path.replaceAll(/\{\w+\}/g, "some"), headers })
            assert.deepStrictEqual([answer.status, answer.json.error.code], [status, code], `${method} ${path} ${who}`)
          }
        }
      })
  )

  it.effect("opens no operation under /v1 to a principal of /admin", () =>
    Effect.gen(function* () {
      const { credential, gateway } = yield* startWorld
      for (const [method, path] of operations("/v1")) {
        yield* TestClock.adjust("1 minute")
        for (const column of ["master", "admin", "tAdmin"] as const) {
          const headers = yield* credential(column)
          const answer = yield* call(gateway.url, { method, path: path.replaceAll(/\{\w+\}/g, "some"), headers })
          assert.strictEqual(answer.status, column === "admin" ? 401 : 403, `${method} ${path} ${column}`)
        }
      }
    })
  )

  it("fails when any annotation is weakened", () => {
    assert.deepStrictEqual(mismatches(new Map(Array.from(declared, ([name, { access }]) => [name, access]))), [])
    let mutants = 0
    for (const [name, { access }] of declared) {
      for (const weaker of weakened(access)) {
        mutants++
        const all = new Map(Array.from(declared, ([other, one]) => [other, other === name ? weaker : one.access]))
        assert.isNotEmpty(mismatches(all), `${name} may become ${JSON.stringify(weaker)} unnoticed`)
      }
    }
    assert.isAbove(mutants, 60)
  })
})

/** What an answer shows of the two teams. */
const resultOf = (status: number, text: string, list: string | undefined): string => {
  if (status >= 300) return String(status)
  if (list === undefined) return "ok"
  // Sessions have no team: those of others are seen or not.
  if (list === "/admin/sessions") {
    const whose = (JSON.parse(text).data as ReadonlyArray<{ readonly user: string }>).map(({ user }) => user)
    return new Set(whose).size > 1 ? "all" : "own"
  }
  const [red, blue] = teams.map((team) => text.includes(`team-${team}`))
  return blue ? "all" : red ? "red" : "own"
}

/** The access that each operation declares, as the gateway reads it. */
const declared = (() => {
  const found = new Map<string, { readonly access: Access }>()
  HttpApi.reflect(ServedApi, {
    onGroup: () => {},
    onEndpoint: ({ endpoint }) => {
      const access = Context.get(endpoint.annotations, EndpointAccess)
      const path = endpoint.path.replaceAll(/:(\w+)/g, "{$1}")
      if (path.startsWith("/admin") && access !== "public") found.set(`${endpoint.method} ${path}`, { access })
    }
  })
  return found
})()

const person = (roles: Partial<Principal>): Principal => ({
  actor: { kind: "user", id: "user_1", address: "" },
  role: null,
  teams: new Map(),
  user: "user_1",
  session: "sess_1",
  ...roles
})
const ofToken = { actor: { kind: "service_token", id: "tok_1", address: "" }, user: null, session: null } as const
const lead = new Map([["red", "admin"]] as const)
const member = new Map([["red", "member"]] as const)
const principals: Readonly<Record<Column, Principal>> = {
  master: person({ actor: { kind: "master_key", id: "master_key", address: "" }, role: "admin", user: null }),
  admin: person({ role: "admin" }),
  viewer: person({ role: "viewer" }),
  lead: person({ teams: lead }),
  member: person({ teams: member }),
  nobody: person({}),
  tAdmin: person({ ...ofToken, role: "admin" }),
  tViewer: person({ ...ofToken, role: "viewer" }),
  tLead: person({ ...ofToken, teams: lead }),
  tMember: person({ ...ofToken, teams: member })
}

/** Where the table and what `decide` makes of the annotations differ. */
const mismatches = (all: ReadonlyMap<string, Access>): ReadonlyArray<string> =>
  rows.flatMap(({ cells, method, name, path, target }) =>
    columns.flatMap((column, index) => {
      const visibility = decide(principals[column], all.get(`${method} ${path}`)!)
      const cell = cells[index]!
      const isRefused = visibility instanceof NotPermitted
      // A handler refuses some targets that the annotation can't tell apart: keys put into another team.
      const isOfHandler =
        cell === "403" &&
        ((column.toLowerCase().endsWith("lead") && isMovable(path, target)) ||
          (column === "master" && /^\/admin\/(me\/(keys|sign-ins)|device)/.test(path)))
      if (isRefused || (cell === "403" && !isOfHandler))
        return isRefused === (cell === "403") ? [] : [`${name} ${column}`]
      const sees = visibility === "all" ? "all" : visibility.teams.includes("red") ? "red" : "own"
      if (target === "self" && sees === "all" && !/master|admin/i.test(column)) return [`${name} ${column}`]
      const expected = target === "list" ? cell : target === "red" || target === "blue" ? cell : undefined
      if (expected === "ok") return seesTeam(visibility, target) ? [] : [`${name} ${column}`]
      if (expected === "404") return seesTeam(visibility, target) ? [`${name} ${column}`] : []
      if (target === "none" && cell === "404") return sees === "all" ? [`${name} ${column}`] : []
      return expected === undefined || isOfHandler || expected === sees ? [] : [`${name} ${column}`]
    })
  )

const isMovable = (path: string, target: string): boolean =>
  target === "move" || ((path === "/admin/keys" || path === "/admin/tokens") && target !== "red" && target !== "list")

/** Every way to let one more principal in, or to show it more. */
const weakened = (access: Access): ReadonlyArray<Access> => {
  const { people_only: _, ...anybody } = access
  return [
    ...(access.people_only === true ? [anybody] : []),
    ...(access.viewer === "all" ? [] : [{ ...access, viewer: "all" } as const]),
    ...(access.team_admin === undefined ? [{ ...access, team_admin: "team" } as const] : []),
    ...(access.member === undefined ? [{ ...access, member: "own" } as const] : [])
  ]
}
