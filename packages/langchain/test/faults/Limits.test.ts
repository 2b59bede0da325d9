/** What the gateway itself refuses: credentials, models, rates, budgets. Each is a class of its own. */
import { assert, describe, it } from "@effect/vitest"
import {
  GatewayAuthenticationError,
  GatewayBudgetError,
  GatewayError,
  GatewayPermissionError,
  GatewayRateLimitError
} from "../../src/index.ts"
import { useGateway } from "../support/UseGateway.ts"
import { counted } from "../support/Counted.ts"
import { connect, failure } from "../support/Model.ts"

const gateway = useGateway()

describe("refused for good: thrown at once, never asked again", () => {
  it("a key that is none: 401", async () => {
    const { fetch, calls } = counted()
    const { model } = await connect(gateway(), { fetch, apiKey: "mgw_no_such_key" })
    const error = await failure(model.invoke("Hello"))
    assert(GatewayAuthenticationError.isInstance(error))
    assert.deepInclude({ ...error }, { status: 401, code: "invalid_api_key" })
    assert.strictEqual(calls(), 1)
  })

  it("a model that the key may not use: 403", async () => {
    const { fetch, calls } = counted()
    const { model } = await connect(gateway(), { fetch, model: "demo/large" }, { models: ["demo/mini"] })
    const error = await failure(model.invoke("Hello"))
    assert(GatewayPermissionError.isInstance(error))
    assert.deepInclude({ ...error }, { status: 403, code: "model_not_allowed" })
    assert.strictEqual(calls(), 1)
  })

  it("a model that there is not: 404, with the names that there are", async () => {
    const { fetch, calls } = counted()
    const { model } = await connect(gateway(), { fetch, model: "demo/minni" })
    const error = await failure(model.invoke("Hello"))
    assert(GatewayError.isInstance(error))
    assert.deepInclude({ ...error }, { status: 404, code: "model_not_found" })
    assert.include(error.message, "demo/mini")
    assert.strictEqual(calls(), 1)
  })

  it("a budget that is too small: 429 of kind budget, with limit and scope; nothing is spent", async () => {
    const { fetch, calls } = counted()
    const { keyId, model } = await connect(gateway(), { fetch }, { budget_usd: 0.000001 })
    for (const call of [() => model.invoke("Hello"), () => model.stream("Hello").then((stream) => stream.next())]) {
      const error = await failure(call())
      assert(GatewayBudgetError.isInstance(error))
      assert.deepInclude({ ...error }, { status: 429, kind: "budget", limit: 0.000001, used: 0, scope: "key" })
    }
    assert.strictEqual(calls(), 2)
    assert.strictEqual(await gateway().spent(keyId), 0)
  })
})

describe("a limit that passes", () => {
  it("requests a minute: 429 of kind rpm, with the seconds to wait", async () => {
    const { model } = await connect(gateway(), { maxRetries: 0 }, { limits: { rpm: 1 } })
    await model.invoke("Hello")
    const error = await failure(model.invoke("Hello again"))
    assert(GatewayRateLimitError.isInstance(error))
    assert.isFalse(GatewayBudgetError.isInstance(error))
    assert.deepInclude({ ...error }, { status: 429, kind: "rpm", limit: 1, used: 1, scope: "key" })
    assert.isAtLeast(error.retryAfterSeconds ?? 0, 1)
    assert.isAtMost(error.retryAfterSeconds ?? 61, 60)
    assert.strictEqual(error.headers?.get("retry-after"), String(error.retryAfterSeconds))
  })

  it("requests in flight: waits as long as it is told to, and is answered", async () => {
    const { answered, calls, fetch } = counted()
    const { model } = await connect(gateway(), { model: "paced/standard", fetch }, { limits: { max_parallel: 1 } })
    const open = await model.stream("Hello")
    await open.next()
    const waiting = model.invoke("Hello too", { model: "demo/mini" } as object)
    await answered(429)
    await open.return()
    assert.include((await waiting).text, "Hello too")
    assert.isAtLeast(calls(), 3)
  })
})
