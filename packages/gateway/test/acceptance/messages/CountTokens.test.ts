/** `count_tokens`: free, by Anthropic where it is asked, else counted here. */
import Anthropic from "@anthropic-ai/sdk"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { startGateway } from "../../support/RunningGateway.ts"
import { completion } from "../../support/Upstream.ts"
import { rejected, resolved } from "../Promised.ts"
import { before, claude, claudeError } from "./Claude.ts"

const request = {
  model: "up/m",
  system: "Be brief",
  messages: [{ role: "user" as const, content: "How many words does a raven know?" }]
}

describe("count_tokens", () => {
  it.live("passes to Anthropic as it is, and costs nothing", () =>
    Effect.gen(function* () {
      const { asked, createKey, ledger, url } = yield* before("anthropic-messages", () => ({
        body: { input_tokens: 321 }
      }))
      // Nothing is left of this budget for any answer.
      const { secret } = yield* createKey({ budgets: [{ limit: 1, window: "day", timeZone: "UTC" }] })
      const { data, response } = yield* resolved(() =>
        claude(url, secret)
          .messages.countTokens(request, { headers: { "anthropic-beta": "one-2026-01-01" } })
          .withResponse()
      )
      assert.deepInclude({ ...data } as object, { input_tokens: 321 })
      assert.strictEqual(asked[0]?.path, "/v1/messages/count_tokens")
      assert.deepStrictEqual(asked[0]?.body, { ...request, model: "m" })
      assert.strictEqual(asked[0]?.headers["anthropic-beta"], "one-2026-01-01")
      assert.strictEqual(response.headers.get("x-gateway-cost-usd"), "0")
      assert.strictEqual(response.headers.get("x-gateway-decision"), "up/m")
      const rows = yield* ledger
      assert.isTrue(rows.every(({ cost, estimated }) => cost === 0 && estimated === 0))
    })
  )

  it.live("is counted here where the provider has no count, and says so", () =>
    Effect.gen(function* () {
      const { asked, client } = yield* before("openai-chat", () => ({ body: completion("not asked") }))
      const few = yield* resolved(() => client.messages.countTokens(request))
      const long = { ...request, messages: [{ role: "user" as const, content: "word ".repeat(1_000) }] }
      const many = yield* resolved(() => client.messages.countTokens(long))
      assert.isAbove(few.input_tokens, 8)
      assert.isBelow(few.input_tokens, 40)
      assert.closeTo(many.input_tokens, 1_000, 50)
      assert.strictEqual(Reflect.get(Reflect.get(few, "gateway"), "estimated"), true)
      assert.lengthOf(asked, 0)
    })
  )

  it.live("works with the demo provider and `auto`", () =>
    Effect.gen(function* () {
      const { createKey, url } = yield* startGateway()
      const { secret } = yield* createKey()
      const counted = yield* resolved(() => claude(url, secret).messages.countTokens({ ...request, model: "auto" }))
      assert.isAbove(counted.input_tokens, 8)
    })
  )

  it.live("the provider's refusal is passed on", () =>
    Effect.gen(function* () {
      const { client } = yield* before("anthropic-messages", () => ({
        status: 400,
        body: claudeError("invalid_request_error", "messages: wrong")
      }))
      const error = yield* rejected(() => client.messages.countTokens(request))
      assert.instanceOf(error, Anthropic.BadRequestError)
      assert.include(error.message, "messages: wrong")
    })
  )
})
