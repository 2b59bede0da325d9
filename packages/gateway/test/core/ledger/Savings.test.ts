import { assert, describe, it } from "@effect/vitest"
import { type Scripts, Script, TestGateway, type TestKey } from "@model-gateway/gateway/testing"
import { Effect } from "effect"
import type { JsonObject } from "../../../src/core/domain/Json.ts"
import { SpendLedger } from "../../../src/core/ledger/SpendLedger.ts"

/** USD per million tokens: nano-USD per thousand of them. A simple prompt costs a tenth of what it is compared with. */
const small = { id: "small", provider: "a", model: "small", price: { input: 1, output: 2 } }
const large = { id: "large", provider: "b", model: "large", price: { input: 10, output: 20 } }
const unpriced = { id: "unpriced", provider: "c", model: "nobody-knows-it" }

const provider = (name: string): JsonObject => ({ protocol: "openai-chat", base_url: Script.baseUrl(name) })
const providers = { a: provider("a"), b: provider("b"), c: provider("c") }

const buckets = (simple: string | ReadonlyArray<string>, strongest: string): JsonObject => ({
  buckets: { simple, reasoning: strongest },
  cut_points: [0.99]
})

const usage = { input: 1000, output: 100 }
const cheap = 1000 * 1000 + 100 * 2000
const dear = 10 * cheap

const world = (router: JsonObject, scripts: Scripts) =>
  TestGateway.layer({ providers, deployments: [small, large, unpriced], router, scripts })

const sums = Effect.gen(function* () {
  const ledger = yield* SpendLedger
  const all = { key: undefined, team: undefined, model: undefined, provider: undefined }
  const to = Number.MAX_SAFE_INTEGER
  const [row] = yield* ledger.spend({ visibility: "all", from: 0, to, timeZone: "UTC", ...all, groupBy: [] })
  return [row?.autoRequests, row?.autoCost, row?.autoBaseline, row?.cost]
})

/** What one request leaves in the books. */
const asked = (model: string, fields?: JsonObject, key: TestKey = {}) =>
  Effect.gen(function* () {
    const gateway = yield* TestGateway
    const answer = yield* gateway.chat(yield* gateway.createKey(key), model, "Hello", fields)
    return { answer, sums: yield* sums }
  })

const plain = {
  a: [Script.answer("Hi", { usage })],
  b: [Script.answer("Hi", { usage })],
  c: [Script.answer("Hi", { usage })]
}

describe("what auto saved", () => {
  it.effect("is what its answer would have cost at the first deployment of the strongest bucket", () =>
    Effect.gen(function* () {
      const { sums } = yield* asked("auto")
      assert.deepStrictEqual(sums, [1, cheap, dear, cheap])
    }).pipe(Effect.provide(world(buckets("small", "large"), plain)))
  )

  it.effect("is the same for a stream", () =>
    Effect.gen(function* () {
      const { sums } = yield* asked("auto", { stream: true })
      assert.deepStrictEqual(sums, [1, cheap, dear, cheap])
    }).pipe(Effect.provide(world(buckets("small", "large"), plain)))
  )

  it.effect("is nothing where the strongest bucket answered", () =>
    Effect.gen(function* () {
      const { sums } = yield* asked("auto")
      assert.deepStrictEqual(sums, [1, dear, dear, dear])
    }).pipe(Effect.provide(world(buckets("large", "large"), plain)))
  )

  it.effect("is nothing while auto only watches: the strongest bucket serves, as before", () =>
    Effect.gen(function* () {
      const { sums } = yield* asked("auto")
      assert.deepStrictEqual(sums, [1, dear, dear, dear])
    }).pipe(Effect.provide(world({ ...buckets("small", "large"), shadow: true }, plain)))
  )

  it.effect("has no part in requests that name their model", () =>
    Effect.gen(function* () {
      const { sums } = yield* asked("small")
      assert.deepStrictEqual(sums, [0, 0, 0, cheap])
    }).pipe(Effect.provide(world(buckets("small", "large"), plain)))
  )

  it.effect("is nothing where the strongest deployment has no price, nor where the one that answered has none", () =>
    Effect.gen(function* () {
      const compared = yield* Effect.provide(asked("auto"), world(buckets("small", "unpriced"), plain))
      assert.deepStrictEqual(compared.sums, [1, cheap, cheap, cheap])
      const answered = yield* Effect.provide(asked("auto"), world(buckets("unpriced", "large"), plain))
      assert.strictEqual(answered.answer.status, 200)
      assert.deepStrictEqual(answered.sums, [1, 0, 0, 0])
    })
  )

  it.effect("loses what a failed attempt cost: only the answer counts on the other side", () =>
    Effect.gen(function* () {
      const { answer, sums } = yield* asked("auto", { stream: true })
      assert.strictEqual(answer.headers["x-gateway-decision"], "b/large")
      const [requests = 0, cost = 0, baseline, all] = sums
      assert.deepStrictEqual([requests, baseline, all], [1, dear, cost])
      assert.isAbove(cost, dear)
    }).pipe(
      Effect.provide(
        world(buckets(["small", "large"], "large"), {
          ...plain,
          // It broke off before it said anything, so that the next one is asked; what it read is billed.
          a: [Script.cutAfter(1, Script.answer("Hi", { usage }))]
        })
      )
    )
  )

  it.effect("is less than nothing for a request that got no whole answer and was billed", () =>
    Effect.gen(function* () {
      const { sums } = yield* asked("auto", { stream: true })
      const [requests, cost = 0, baseline, all] = sums
      assert.deepStrictEqual([requests, baseline, all], [1, 0, cost])
      assert.isAbove(cost, 0)
    }).pipe(
      Effect.provide(
        world(buckets("small", "large"), {
          ...plain,
          a: [Script.cutAfter(2, Script.stream(["one", " two"], { usage }))]
        })
      )
    )
  )
})
