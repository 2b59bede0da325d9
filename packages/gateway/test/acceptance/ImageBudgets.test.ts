/** Images before keys with budgets and limits. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { call } from "../support/RawHttp.ts"
import { startGateway } from "../support/RunningGateway.ts"
import type { Reply } from "../support/Upstream.ts"
import { demo, made, over, picture, prompt, usage } from "./Pictures.ts"

describe("images under a budget", () => {
  it.live("20 at once near its end overspend nothing", () =>
    Effect.gen(function* () {
      // Room for seven images of 0.04 USD.
      const { ledger, post } = yield* over([() => ({ ...made()(), delay: 20 })], { budget: 300_000_000 })
      const answers = yield* Effect.all(
        Array.from({ length: 20 }, () => post({})),
        { concurrency: "unbounded" }
      )
      assert.lengthOf(
        answers.filter(({ status }) => status === 200),
        7
      )
      assert.deepStrictEqual([...new Set(answers.map(({ status }) => status))].toSorted(), [200, 429])
      const rows = yield* ledger
      assert.strictEqual(
        rows.reduce((sum, { cost }) => sum + cost, 0),
        280_000_000
      )
      for (const { reserved } of rows) assert.strictEqual(reserved, 40_000_000)
    })
  )

  it.live("the dearest that size and quality may turn out to be is held", () =>
    Effect.gen(function* () {
      const held = Effect.fnUntraced(function* (model: string, body: object, reply: Reply = made()()) {
        const { ledger, post } = yield* over([() => reply], { budget: 10_000_000_000, model, more: "" })
        const { status, text } = yield* post(body)
        assert.strictEqual(status, 200, text)
        const [row] = yield* ledger
        return { reserved: row!.reserved, cost: row!.cost }
      })
      const usd = (amount: number) => ({ reserved: amount * 1e9, cost: amount * 1e9 })
      assert.deepStrictEqual(yield* held("dall-e-3", {}), usd(0.04))
      assert.deepStrictEqual(yield* held("dall-e-3", { size: "1792x1024" }), usd(0.08))
      assert.deepStrictEqual(yield* held("dall-e-3", { size: "1792x1024", quality: "hd" }), usd(0.12))
      assert.deepStrictEqual(yield* held("dall-e-3", { size: "1024x1024", quality: "auto" }), usd(0.08))
      assert.deepStrictEqual(yield* held("dall-e-3", { size: "auto", quality: "hd" }), usd(0.12))
      assert.deepStrictEqual(yield* held("dall-e-3", { size: "7x7" }), usd(0.12))
      assert.deepStrictEqual(yield* held("dall-e-2", { size: "256x256", quality: "standard" }), usd(0.016))
      const tokens = made({ b64_json: picture }, { usage })()
      const low = yield* held("gpt-image-1", { quality: "low", size: "1024x1024" }, tokens)
      assert.isAtLeast(low.reserved, 272 * 40_000)
      assert.isBelow(low.reserved, 272 * 40_000 + 2_000_000)
      const high = yield* held("gpt-image-1", { n: 2 }, tokens)
      assert.isAtLeast(high.reserved, 2 * 6_240 * 40_000)
      assert.isBelow(high.reserved, 2 * 6_240 * 40_000 + 4_000_000)
    })
  )

  it.live("sizes and qualities may have prices in the configuration", () =>
    Effect.gen(function* () {
      const more =
        "price: { input: 0, output: 0, image_sizes: { std-512x512: 0.01, hd-512x512: 0.02, std-1024x1024: 0.03 } }"
      const { ledger, post } = yield* over([made()], { budget: 10_000_000_000, more })
      for (const body of [
        {},
        { quality: "hd" },
        { size: "1024x1024" },
        { size: "auto" },
        { size: "512x512", quality: "auto" },
        { size: "9x9" }
      ]) {
        assert.strictEqual((yield* post(body)).status, 200)
      }
      const rows = yield* ledger
      assert.deepStrictEqual(
        rows.map(({ cost }) => cost / 1e9),
        [0.01, 0.02, 0.03, 0.03, 0.02, 0.03]
      )
      for (const { cost, reserved } of rows) assert.strictEqual(reserved, cost)
    })
  )

  it.live("a model without a price is refused, and nothing is asked", () =>
    Effect.gen(function* () {
      const { asked, post } = yield* over([made()], { budget: 1_000_000_000, more: "" })
      const { json, status } = yield* post({})
      assert.strictEqual(status, 400)
      assert.strictEqual(json.error.code, "price_unknown")
      const priced = yield* over([made()], { budget: 1_000_000_000, more: "price: { input: 1, output: 1 }" })
      const refused = yield* priced.post({})
      assert.match(refused.json.error.message, /image/)
      assert.strictEqual(refused.status, status)
      assert.lengthOf([...asked[0]!, ...priced.asked[0]!], 0)
    })
  )

  it.live("tokens per minute are not used up", () =>
    Effect.gen(function* () {
      const gateway = yield* startGateway({ yaml: demo })
      const { secret } = yield* gateway.createKey({ limits: { rpm: undefined, tpm: 10, maxParallel: undefined } })
      for (let times = 0; times < 3; times++) {
        const { headers, status } = yield* call(gateway.url, {
          path: "/v1/images/generations",
          key: secret,
          body: { prompt: prompt.repeat(100), size: "16x16" }
        })
        assert.strictEqual(status, 200)
        assert.strictEqual(headers["x-ratelimit-remaining-tokens"], "10")
      }
    })
  )
})
