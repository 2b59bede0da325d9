/** What `GET /admin/deployments` says of how deployments fare. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { vendorError } from "../support/Upstream.ts"
import { facing } from "./Facing.ts"

describe("GET /admin/deployments", () => {
  it.live("tells the circuit, failures, their share, times and the last error", () =>
    Effect.gen(function* () {
      const { admin, chat } = yield* facing({ status: 503, body: vendorError("node 7 is down", "server_error") })
      const health = Effect.map(admin("GET", "/admin/deployments"), ({ json }) =>
        Object.fromEntries(
          json.data.map((one: { readonly id: string; readonly health: object }) => [one.id, one.health])
        )
      )
      assert.deepInclude((yield* health)["bad/m"], {
        circuit: "closed",
        consecutive_failures: 0,
        error_rate: 0,
        latency_ms_p50: null,
        ttft_ms_p50: null,
        last_error: null
      })
      for (let number = 0; number < 4; number++) yield* chat({ model: "spared" })
      assert.deepInclude((yield* health)["bad/m"], { circuit: "closed", consecutive_failures: 4, error_rate: 1 })
      yield* chat({ model: "spared", stream: true })
      const { "bad/m": bad, "good/m": good } = yield* health
      assert.deepInclude(bad, { circuit: "open", consecutive_failures: 5, error_rate: 1, latency_ms_p50: null })
      assert.strictEqual(bad.last_error.class, "unavailable")
      assert.match(bad.last_error.at, /^\d{4}-\d\d-\d\dT/)
      assert.deepInclude(good, { circuit: "closed", consecutive_failures: 0, error_rate: 0, last_error: null })
      assert.isNumber(good.latency_ms_p50)
      // Only the streamed one told when its first token came.
      assert.isNumber(good.ttft_ms_p50)
    })
  )
})
