import { assert, describe, it } from "@effect/vitest"
import { DeploymentList } from "@model-gateway/protocol"
import { Effect } from "effect"
import { conforms, rowOf, startAdmin } from "../AdminClient.ts"

interface Shown {
  readonly id: string
  readonly status: string
}

const statuses = (list: { readonly data: ReadonlyArray<Shown> }) =>
  Object.fromEntries(list.data.map(({ id, status }) => [id, status]))

describe("deployments", () => {
  it.effect("are listed as configured, with price, buckets and health", () =>
    Effect.gen(function* () {
      const { send } = yield* startAdmin
      const { json, status } = yield* send("GET", "/admin/deployments")
      assert.strictEqual(status, 200)
      conforms(DeploymentList, json)
      assert.strictEqual(json.object, "list")
      const [mini] = json.data
      assert.strictEqual(mini.id, "demo/mini")
      assert.deepStrictEqual(
        [mini.provider, mini.model, mini.status, mini.in_flight],
        ["demo", "mini", "in_rotation", 0]
      )
      assert.deepStrictEqual(mini.buckets, ["simple"])
      assert.isAbove(mini.price.input, 0)
      assert.isAbove(mini.price.output, mini.price.input)
      assert.isBelow(mini.price.output, 1000)
      assert.isAbove(mini.context_window, 0)
      assert.include(mini.supports, "chat")
      assert.deepStrictEqual(mini.health, {
        circuit: "closed",
        since: null,
        consecutive_failures: 0,
        error_rate: 0,
        latency_ms_p50: null,
        latency_ms_p95: null,
        ttft_ms_p50: null,
        ttft_ms_p95: null,
        last_error: null
      })
    })
  )

  it.effect("show what went wrong with them", () =>
    Effect.gen(function* () {
      const { createKey, send } = yield* startAdmin
      const { key } = yield* createKey()
      const body = { model: "demo/status-500", messages: [{ role: "user", content: "Hello" }] }
      const headers = { "x-gateway-no-fallback": "1" }
      assert.isAtLeast((yield* send("POST", "/v1/chat/completions", body, { key, headers })).status, 500)
      const { json } = yield* send("GET", "/admin/deployments")
      conforms(DeploymentList, json)
      const failing = json.data.find(({ id }: Shown) => id === "demo/status-500")
      assert.isAbove(failing.health.consecutive_failures, 0)
      assert.strictEqual(failing.health.last_error.class, "unavailable")
    })
  )

  it.effect("go out of rotation and back, one or several, and again without harm", () =>
    Effect.gen(function* () {
      const { createKey, send } = yield* startAdmin
      const { key } = yield* createKey()
      const ask = Effect.map(
        send(
          "POST",
          "/v1/chat/completions",
          { model: "demo/mini", messages: [{ role: "user", content: "Hi" }] },
          { key }
        ),
        ({ status }) => status
      )
      assert.strictEqual(yield* ask, 200)
      for (let count = 0; count < 2; count++) {
        const { json, status } = yield* send("POST", "/admin/deployments/disable", { deployment: "demo/mini" })
        assert.strictEqual(status, 200)
        conforms(DeploymentList, json)
        assert.deepStrictEqual(statuses(json), { "demo/mini": "out_of_rotation" })
      }
      assert.strictEqual(yield* ask, 503)
      const several = { deployments: ["demo/large", "demo/mini", "demo/large"] }
      const out = yield* send("POST", "/admin/deployments/disable", several)
      assert.deepStrictEqual(
        out.json.data.map(({ id }: Shown) => id),
        ["demo/large", "demo/mini"]
      )
      const back = yield* send("POST", "/admin/deployments/enable", several)
      assert.deepStrictEqual(statuses(back.json), { "demo/large": "in_rotation", "demo/mini": "in_rotation" })
      assert.strictEqual(yield* ask, 200)
    })
  )

  it.effect("that are not there change nothing, not even for those that are", () =>
    Effect.gen(function* () {
      const { send } = yield* startAdmin
      const answer = yield* send("POST", "/admin/deployments/disable", { deployments: ["demo/mini", "demo/nobody"] })
      assert.deepStrictEqual(rowOf(answer), [404, "invalid_request_error", "not_found", null])
      assert.include(answer.json.error.message, "demo/nobody")
      const { json } = yield* send("GET", "/admin/deployments")
      assert.deepStrictEqual(new Set(Object.values(statuses(json))), new Set(["in_rotation"]))
    })
  )

  it.effect("are named one way or the other", () =>
    Effect.gen(function* () {
      const { send } = yield* startAdmin
      for (const [body, param] of [
        [{}, "deployment"],
        [{ deployment: "demo/mini", deployments: ["demo/mini"] }, "deployment"],
        [{ deployment: "" }, "deployment"],
        [{ deployment: 1 }, "deployment"],
        [{ deployments: [] }, "deployments"],
        [{ id: "demo/mini" }, "id"]
      ] as const) {
        for (const path of ["/admin/deployments/disable", "/admin/deployments/enable"]) {
          const answer = yield* send("POST", path, body)
          assert.deepStrictEqual(rowOf(answer), [400, "invalid_request_error", "invalid_field", param])
        }
      }
    })
  )
})
