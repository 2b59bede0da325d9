/** What goes wrong reaches Anthropic's own client as the class it has for it, in the vendor's shape. */
import Anthropic from "@anthropic-ai/sdk"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { limits, startGateway } from "../../support/RunningGateway.ts"
import { rejected, resolved } from "../Promised.ts"
import { before, claude, claudeError, textEvents } from "./Claude.ts"

const request = { model: "up/m", max_tokens: 100, messages: [{ role: "user" as const, content: "Hi" }] }
const demo = { ...request, model: "demo/mini" }

const failing = (status: number, type: string, headers: Record<string, string> = {}) =>
  before("anthropic-messages", () => ({ status, headers, body: claudeError(type, "The upstream's words") }))

/** The error that the client throws, and its body. */
const thrown = (call: () => PromiseLike<unknown>) =>
  Effect.map(rejected(call), (error) => {
    if (!(error instanceof Anthropic.APIError)) throw error
    return { error, body: error.error as { type: string; request_id: string; error: { [name: string]: unknown } } }
  })

describe("errors of the Messages API", () => {
  it.live("a wrong key is an AuthenticationError, with the request's id", () =>
    Effect.gen(function* () {
      const { url } = yield* startGateway()
      const { body, error } = yield* thrown(() => claude(url, "sk-not-ours").messages.create(demo))
      assert.instanceOf(error, Anthropic.AuthenticationError)
      assert.strictEqual(body.type, "error")
      assert.strictEqual(body.request_id, error.requestID)
      assert.deepInclude(body.error, { type: "authentication_error", code: "invalid_api_key" })
      assert.match(error.requestID ?? "", /^req_/)
    })
  )

  it.live("a request without max_tokens, or with a wrong field, is told which field and why", () =>
    Effect.gen(function* () {
      const { createKey, url } = yield* startGateway()
      const { secret } = yield* createKey()
      const client = claude(url, secret)
      const refused = (body: object) =>
        Effect.map(
          thrown(() => client.post("/v1/messages", { body })),
          ({ body, error }) => {
            assert.instanceOf(error, Anthropic.BadRequestError)
            assert.strictEqual(body.error["type"], "invalid_request_error")
            return body.error["param"]
          }
        )
      const { max_tokens: _, ...without } = demo
      assert.strictEqual(yield* refused(without), "max_tokens")
      assert.strictEqual(yield* refused({ ...demo, messages: [] }), "messages")
      assert.strictEqual(yield* refused({ ...demo, system: 3 }), "system")
      assert.strictEqual(yield* refused({ ...demo, messages: [{ content: "Hi" }] }), "messages[0].role")
    })
  )

  it.live("an unknown model is a NotFoundError", () =>
    Effect.gen(function* () {
      const { createKey, url } = yield* startGateway()
      const { secret } = yield* createKey()
      const { body, error } = yield* thrown(() => claude(url, secret).messages.create({ ...demo, model: "demo/minni" }))
      assert.instanceOf(error, Anthropic.NotFoundError)
      assert.deepInclude(body.error, { type: "not_found_error", code: "model_not_found" })
    })
  )

  it.live("a limit of the key is a RateLimitError with the contract's fields", () =>
    Effect.gen(function* () {
      const { createKey, url } = yield* startGateway()
      const { secret } = yield* createKey({ limits: limits({ rpm: 1 }) })
      const client = claude(url, secret)
      yield* resolved(() => client.messages.create(demo))
      const { body, error } = yield* thrown(() => client.messages.create(demo))
      assert.instanceOf(error, Anthropic.RateLimitError)
      assert.deepInclude(body.error, { type: "rate_limit_error", kind: "rpm", limit: 1, used: 1, scope: "key" })
      assert.isNumber(body.error["retry_after_seconds"])
      assert.isNotNull(error.headers?.get("retry-after"))
    })
  )

  it.live("a budget without room refuses a request, and the provider is not asked", () =>
    Effect.gen(function* () {
      const gateway = yield* before("anthropic-messages", () => ({ body: {} }))
      const budgets = [{ limit: 100_000, window: "day" as const, timeZone: "UTC" }]
      const { secret } = yield* gateway.createKey({ budgets })
      const { body } = yield* thrown(() => claude(gateway.url, secret).messages.create(request))
      assert.deepInclude(body.error, { type: "rate_limit_error", code: "insufficient_quota", kind: "budget" })
      assert.lengthOf(gateway.asked, 0)
    })
  )

  it.live("an overloaded provider is 529, an overloaded_error", () =>
    Effect.gen(function* () {
      const { client } = yield* failing(529, "overloaded_error")
      const { body, error } = yield* thrown(() => client.messages.create(request))
      assert.strictEqual(error.status, 529)
      assert.deepInclude(body.error, { type: "overloaded_error", code: "upstream_unavailable" })
    })
  )

  it.live("a request that the provider finds wrong keeps the provider's status and words", () =>
    Effect.gen(function* () {
      const { client } = yield* failing(400, "invalid_request_error")
      const { body, error } = yield* thrown(() => client.messages.create(request))
      assert.strictEqual(error.status, 400)
      assert.deepInclude(body.error, { type: "invalid_request_error", message: "The upstream's words" })
    })
  )

  it.live("a stream that breaks off ends with an error event, which the client throws", () =>
    Effect.gen(function* () {
      const { client, ledger } = yield* before("anthropic-messages", () => ({
        body: textEvents("Hel", "lo").slice(0, 4),
        ending: "reset"
      }))
      const { body } = yield* thrown(() => client.messages.stream(request).finalMessage())
      assert.deepInclude(body, { type: "error" })
      assert.deepInclude(body.error, { type: "api_error", code: "upstream_unavailable" })
      const [row] = yield* ledger
      assert.deepInclude(row, { status: "settled", estimated: 1 })
      assert.isAbove(row?.cost ?? 0, 0)
    })
  )
})
