import { assert, describe, it } from "@effect/vitest"
import { openApiJson } from "@model-gateway/protocol"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { rowOf, startAdmin } from "../AdminClient.ts"

describe("the system endpoints", () => {
  it.effect("answer without a credential, and whatever credential they are sent", () =>
    Effect.gen(function* () {
      const { bare } = yield* startAdmin
      for (const headers of [{}, { authorization: "Bearer nothing" }]) {
        for (const path of ["/healthz", "/readyz", "/metrics", "/openapi.json", "/docs"]) {
          assert.strictEqual((yield* bare("GET", path, headers)).status, 200, path)
        }
      }
    })
  )

  it.effect("say that it lives, and no longer that it takes work once it shuts down", () =>
    Effect.gen(function* () {
      const { bare, gateway } = yield* startAdmin
      assert.deepStrictEqual((yield* bare("GET", "/healthz")).json, { status: "ok" })
      assert.deepStrictEqual((yield* bare("GET", "/readyz")).json, { status: "ready" })
      yield* TestClock.adjust("1 minute")
      gateway.readiness.drain()
      yield* TestClock.adjust("1 minute")
      const answer = yield* bare("GET", "/readyz")
      assert.deepStrictEqual(rowOf(answer), [503, "server_error", "draining", null])
      assert.deepStrictEqual(answer.json.failing, [{ check: "draining", since: "1970-01-01T00:01:00.000Z" }])
      assert.match(answer.headers["retry-after"] ?? "", /^[1-9]\d*$/)
      assert.deepStrictEqual((yield* bare("GET", "/healthz")).json, { status: "ok" })
    })
  )

  it.effect("refuse a check that can't be excluded from readiness, and say which can", () =>
    Effect.gen(function* () {
      const { bare } = yield* startAdmin
      for (const query of ["exclude=disk", "exclude=", "exclude=store,disk", "exclude=store&exclude=store"]) {
        const answer = yield* bare("GET", `/readyz?${query}`)
        assert.deepStrictEqual(rowOf(answer), [400, "invalid_request_error", "invalid_field", "exclude"], query)
        assert.include(answer.json.error.message, "store")
      }
    })
  )

  it.effect("answer HEAD as GET, without a body", () =>
    Effect.gen(function* () {
      const { bare } = yield* startAdmin
      const answer = yield* bare("HEAD", "/healthz")
      assert.deepStrictEqual([answer.status, answer.text], [200, ""])
    })
  )

  it.effect("serve the description that is published", () =>
    Effect.gen(function* () {
      const { bare } = yield* startAdmin
      const answer = yield* bare("GET", "/openapi.json")
      assert.strictEqual(answer.text, openApiJson())
      assert.match(answer.headers["content-type"] ?? "", /^application\/json/)
    })
  )
})
