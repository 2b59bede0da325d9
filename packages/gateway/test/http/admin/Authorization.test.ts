import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { masterKey } from "../../support/RunningGateway.ts"
import { rowOf, startAdmin } from "../AdminClient.ts"

const endpoints = [
  ["POST", "/admin/keys"],
  ["GET", "/admin/keys"],
  ["GET", "/admin/keys/key_000000000000"],
  ["PATCH", "/admin/keys/key_000000000000"],
  ["DELETE", "/admin/keys/key_000000000000"],
  ["POST", "/admin/keys/key_000000000000/rotate"],
  ["GET", "/admin/teams/research"],
  ["PUT", "/admin/teams/research"],
  ["GET", "/admin/deployments"],
  ["POST", "/admin/deployments/disable"],
  ["POST", "/admin/deployments/enable"],
  ["GET", "/admin/spend"]
] as const

/** Ways to write `/admin/keys` that the router takes for it. */
const spellings = [
  "//admin/keys",
  "/admin//keys",
  "///admin///keys",
  "/ADMIN/keys",
  "/Admin/Keys",
  "/%61dmin/keys",
  "/admin/%6Beys",
  "/%61%64%6d%69%6e/%6b%65%79%73",
  "/admin/keys;limit=1",
  "/admin/keys?limit=1",
  "http://elsewhere.example/admin/keys",
  "HTTP://elsewhere.example//ADMIN/%6Beys",
  "/admin/keys/"
]

describe("the master key", () => {
  it.effect("is asked for by every endpoint, before anything else is looked at", () =>
    Effect.gen(function* () {
      const { bare } = yield* startAdmin
      for (const [method, path] of endpoints) {
        // Many wrong credentials in one minute would be told to wait.
        yield* TestClock.adjust("1 minute")
        for (const headers of [{}, { authorization: `Bearer ${masterKey.slice(1)}` }, { authorization: masterKey }]) {
          const answer = yield* bare(method, path, headers, method === "GET" ? undefined : "{")
          const code = "authorization" in headers ? "invalid_api_key" : "missing_api_key"
          assert.deepStrictEqual(rowOf(answer), [401, "authentication_error", code, null], `${method} ${path}`)
          assert.strictEqual(answer.headers["www-authenticate"], "Bearer")
        }
      }
    })
  )

  it.effect("is not a virtual key, in whatever header that comes, and the answer says so", () =>
    Effect.gen(function* () {
      const { bare, createKey } = yield* startAdmin
      const { key } = yield* createKey()
      for (const [method, path] of endpoints) {
        for (const headers of [
          { authorization: `Bearer ${key}` },
          { "x-api-key": key },
          { "api-key": key },
          { "x-goog-api-key": key },
          { authorization: "Bearer mgw_mistyped" }
        ]) {
          const answer = yield* bare(method, path, headers)
          assert.deepStrictEqual(rowOf(answer), [403, "permission_error", "wrong_key_kind", null], `${method} ${path}`)
        }
      }
    })
  )

  it.effect("can't be got around by another spelling of the path", () =>
    Effect.gen(function* () {
      const { bare, createKey } = yield* startAdmin
      const { id, key } = yield* createKey()
      for (const path of spellings) {
        for (const headers of [{}, { authorization: `Bearer ${key}` }]) {
          const answer = yield* bare("GET", path, headers)
          assert.strictEqual(answer.status, "authorization" in headers ? 403 : 401, path)
          assert.notInclude(answer.text, id, path)
        }
      }
    })
  )

  it.effect("opens each of these spellings, so they are no dead ends that prove nothing", () =>
    Effect.gen(function* () {
      const { send } = yield* startAdmin
      for (const path of spellings) {
        assert.strictEqual((yield* send("GET", path)).status, 200, path)
      }
    })
  )

  it.effect("is found whatever the case of the scheme, and is refused on /v1", () =>
    Effect.gen(function* () {
      const { bare, send } = yield* startAdmin
      const lower = yield* bare("GET", "/admin/keys", { authorization: `bearer  ${masterKey}` })
      assert.strictEqual(lower.status, 200)
      assert.deepStrictEqual(rowOf(yield* send("GET", "/v1/key")), [403, "permission_error", "wrong_key_kind", null])
    })
  )

  it.effect("gives browsers of other sites nothing to go on", () =>
    Effect.gen(function* () {
      const { send } = yield* startAdmin
      const headers = { origin: "https://evil.example", "access-control-request-method": "GET" }
      for (const method of ["OPTIONS", "GET"]) {
        const answer = yield* send(method, "/admin/keys", undefined, { headers })
        assert.deepStrictEqual(
          Object.keys(answer.headers).filter((name) => name.startsWith("access-control")),
          []
        )
      }
    })
  )
})
