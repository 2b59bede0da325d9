import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { rowOf, startAdmin } from "../AdminClient.ts"

describe("a path that does not exist", () => {
  it.effect("is a 404 in the one shape, wherever it is", () =>
    Effect.gen(function* () {
      const { send } = yield* startAdmin
      for (const path of [
        "/x",
        "/v1",
        "/v1/nothing",
        "/v1/chat",
        "/v2/chat/completions",
        "/admin",
        "/admin/nothing",
        "/admin/keys/a/b",
        "/admin/keys/a/rotate/b",
        "/admin/deployments/demo",
        "/healthz/x",
        "/%",
        "/%ff",
        "/%e0%a4%a",
        "/admin/keys/%",
        "/admin/keys/%zz",
        `/${"x".repeat(10_000)}`,
        `/admin/keys/${"x".repeat(10_000)}`,
        `/${"a/".repeat(5_000)}`
      ]) {
        for (const method of ["GET", "POST", "PUT", "PATCH", "DELETE"]) {
          const answer = yield* send(method, path)
          assert.deepStrictEqual(
            rowOf(answer),
            [404, "invalid_request_error", "not_found", null],
            `${method} ${path.slice(0, 40)}`
          )
          assert.isBelow(answer.json.error.message.length, 400)
        }
      }
    })
  )

  it.effect("does not repeat the query, which may hold a secret", () =>
    Effect.gen(function* () {
      const { send } = yield* startAdmin
      assert.notInclude((yield* send("GET", "/nothing?key=mgw_secret")).text, "mgw_secret")
    })
  )
})

describe("a method that a path does not have", () => {
  it.effect("is a 405 that names those it has", () =>
    Effect.gen(function* () {
      const { send } = yield* startAdmin
      for (const [method, path, allow] of [
        ["PUT", "/admin/keys", "GET, HEAD, POST"],
        ["OPTIONS", "/admin/keys", "GET, HEAD, POST"],
        ["POST", "/admin/keys/key_1", "GET, HEAD, PATCH, DELETE"],
        ["GET", "/admin/keys/key_1/rotate", "POST"],
        ["POST", "/admin/teams/a", "GET, HEAD, PUT, DELETE"],
        ["GET", "//ADMIN/deployments/%64isable", "POST"],
        ["DELETE", "/admin/spend", "GET, HEAD"],
        ["POST", "/healthz", "GET, HEAD"],
        ["POST", "/docs", "GET, HEAD"],
        ["PROPFIND", "/openapi.json", "GET, HEAD"]
      ] as const) {
        const answer = yield* send(method, path)
        assert.deepStrictEqual(rowOf(answer), [405, "invalid_request_error", "method_not_allowed", null], path)
        assert.strictEqual(answer.headers["allow"], allow, path)
      }
    })
  )
})

describe("every answer", () => {
  it.effect("has an id of ours, or the caller's when that is fit for a header", () =>
    Effect.gen(function* () {
      const { send } = yield* startAdmin
      const idOf = (path: string, headers: Record<string, string> = {}) =>
        Effect.map(send("GET", path, undefined, { headers }), (answer) => answer.headers["x-request-id"])
      const ids = new Set<unknown>()
      for (const path of ["/healthz", "/admin/keys", "/admin/keys/none", "/nothing", "/admin/keys?limit=0"]) {
        const id = yield* idOf(path)
        assert.match(String(id), /^req_[0-9a-v]{24}$/)
        ids.add(id)
        assert.strictEqual(yield* idOf(path, { "x-request-id": "my-id:42" }), "my-id:42")
        assert.strictEqual(yield* idOf(path, { "x-request-id": "x".repeat(128) }), "x".repeat(128))
        for (const unfit of ["x".repeat(129), "a b", "ä", ""]) {
          assert.match(String(yield* idOf(path, { "x-request-id": unfit })), /^req_/)
        }
      }
      assert.strictEqual(ids.size, 5)
    })
  )

  it.effect("of an unauthorized or refused request has it too", () =>
    Effect.gen(function* () {
      const { bare } = yield* startAdmin
      assert.match(String((yield* bare("GET", "/admin/keys")).headers["x-request-id"]), /^req_/)
    })
  )
})
