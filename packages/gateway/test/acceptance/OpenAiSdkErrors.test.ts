/** What goes wrong reaches the vendor's own client as the class it has for it, once, with words to act on. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import OpenAI from "openai"
import { limits, startGateway } from "../support/RunningGateway.ts"
import { completionEvents, upstream, vendorError } from "../support/Upstream.ts"
import { rejected, resolved } from "./Promised.ts"

const messages = [{ role: "user" as const, content: "Hi" }]
const asked = { model: "demo/mini", messages }

/** A gateway with one deployment, `up/m`, at `baseUrl`, asked as often as the client's own settings say. */
const before = Effect.fnUntraced(function* (baseUrl: string) {
  const gateway = yield* startGateway({
    yaml: `
providers: { up: { protocol: openai-chat, base_url: "${baseUrl}", api_key: none } }
deployments: [{ provider: up, model: m, price: { input: 1, output: 2 }, bounds: { reasoning_tokens: 0 } }]
failover: { base_delay: 1ms }
`
  })
  const { secret } = yield* gateway.createKey()
  let calls = 0
  const client = gateway.client(secret, {
    maxRetries: 2,
    fetch: (url, init) => {
      calls++
      return fetch(url, init)
    }
  })
  return { client, calls: () => calls }
})

describe("openai-node's error classes", () => {
  it.live("401 is an AuthenticationError", () =>
    Effect.gen(function* () {
      const gateway = yield* startGateway()
      const error = yield* rejected(() => gateway.client("sk-not-ours").chat.completions.create(asked))
      assert.instanceOf(error, OpenAI.AuthenticationError)
      assert.deepInclude({ ...error }, { status: 401, code: "invalid_api_key", type: "authentication_error" })
      assert.match(error.requestID ?? "", /^req_/)
    })
  )

  it.live("403 is a PermissionDeniedError", () =>
    Effect.gen(function* () {
      const gateway = yield* startGateway()
      const { secret } = yield* gateway.createKey({ models: ["demo/large"] })
      const error = yield* rejected(() => gateway.client(secret).chat.completions.create(asked))
      assert.instanceOf(error, OpenAI.PermissionDeniedError)
      assert.deepInclude({ ...error }, { status: 403, code: "model_not_allowed", param: "model" })
    })
  )

  it.live("404 is a NotFoundError that names the nearest model", () =>
    Effect.gen(function* () {
      const gateway = yield* startGateway()
      const { secret } = yield* gateway.createKey()
      const error = yield* rejected(() =>
        gateway.client(secret).chat.completions.create({ ...asked, model: "demo/minni" })
      )
      assert.instanceOf(error, OpenAI.NotFoundError)
      assert.strictEqual(error.code, "model_not_found")
      assert.include(error.message, "`demo/mini`")
    })
  )

  it.live("400 is a BadRequestError that names the field", () =>
    Effect.gen(function* () {
      const gateway = yield* startGateway()
      const { secret } = yield* gateway.createKey()
      const error = yield* rejected(() => gateway.client(secret).chat.completions.create({ ...asked, n: 0 }))
      assert.instanceOf(error, OpenAI.BadRequestError)
      assert.deepInclude({ ...error }, { status: 400, code: "invalid_field", param: "n" })
    })
  )

  it.live("429 is a RateLimitError with the wait in its headers", () =>
    Effect.gen(function* () {
      const gateway = yield* startGateway()
      const { secret } = yield* gateway.createKey({ limits: limits({ rpm: 1 }) })
      const client = gateway.client(secret)
      yield* resolved(() => client.chat.completions.create(asked))
      const error = yield* rejected(() => client.chat.completions.create(asked))
      assert.instanceOf(error, OpenAI.RateLimitError)
      assert.strictEqual(error.code, "rate_limit_exceeded")
      assert.strictEqual(error.headers?.get("X-Gateway-Limit-Kind"), "rpm")
      assert.match(error.headers?.get("Retry-After") ?? "", /^[1-9]\d*$/)
      const wait = Number(error.headers?.get("Retry-After"))
      assert.deepInclude(error.error as object, { kind: "rpm", retry_after_seconds: wait } as object)
    })
  )

  it.live("an exhausted failover is an error of the server, and the client does not ask again", () =>
    Effect.gen(function* () {
      const { asked: seen, baseUrl } = yield* upstream(() => ({
        status: 500,
        body: vendorError("down", "server_error")
      }))
      const { calls, client } = yield* before(baseUrl)
      const error = yield* rejected(() => client.chat.completions.create({ model: "up/m", messages }))
      assert.instanceOf(error, OpenAI.InternalServerError)
      assert.deepInclude({ ...error }, { status: 502, type: "upstream_error", code: "upstream_unavailable" })
      assert.strictEqual(error.headers?.get("x-should-retry"), "false")
      assert.strictEqual(calls(), 1)
      // Once, and once more after a moment: nothing else serves the model.
      assert.lengthOf(seen, 2)
    })
  )

  for (const [what, reply, told] of [
    ["whose models nobody knows", { status: 404, body: vendorError("no") }, [404, "model_not_found"]],
    ["without credit", { status: 402, body: vendorError("no") }, [503, "upstream_quota"]],
    [
      "that limit the rate for long",
      { status: 429, headers: { "retry-after": "90" }, body: vendorError("no") },
      [429, "upstream_rate_limited"]
    ]
  ] as const) {
    it.live(`providers ${what}: ${told.join(" ")}, and the client does not ask again`, () =>
      Effect.gen(function* () {
        const { baseUrl } = yield* upstream(() => reply)
        const { calls, client } = yield* before(baseUrl)
        const error = yield* rejected(() => client.chat.completions.create({ model: "up/m", messages }))
        const classes = { 404: OpenAI.NotFoundError, 429: OpenAI.RateLimitError, 503: OpenAI.InternalServerError }
        assert.instanceOf(error, classes[told[0]])
        assert.deepStrictEqual([error.status, error.code], [...told])
        assert.strictEqual(calls(), 1)
      })
    )
  }

  it.live("a used-up budget is a RateLimitError, and the client does not ask again", () =>
    Effect.gen(function* () {
      const gateway = yield* startGateway()
      const { secret } = yield* gateway.createKey({ budgets: [{ limit: 1_000, window: "day", timeZone: "UTC" }] })
      let calls = 0
      const client = gateway.client(secret, {
        maxRetries: 2,
        fetch: (url, init) => {
          calls++
          return fetch(url, init)
        }
      })
      const error = yield* rejected(() => client.chat.completions.create(asked))
      assert.instanceOf(error, OpenAI.RateLimitError)
      assert.strictEqual(error.code, "insufficient_quota")
      assert.strictEqual(calls, 1)
    })
  )

  it.live("a stream that is cut throws an APIError, in the iterator and in the helper", () =>
    Effect.gen(function* () {
      const words = completionEvents("one", "two", "three").slice(0, 3)
      const { baseUrl } = yield* upstream(() => ({ body: words, ending: "reset" }))
      const { client } = yield* before(baseUrl)
      let text = ""
      const iterated = yield* rejected(async () => {
        const stream = await client.chat.completions.create({ model: "up/m", messages, stream: true })
        for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? ""
      })
      assert.instanceOf(iterated, OpenAI.APIError)
      assert.strictEqual(iterated.code, "upstream_unavailable")
      assert.strictEqual(text, "onetwo")
      const helped = yield* rejected(() =>
        client.chat.completions.stream({ model: "up/m", messages }).finalChatCompletion()
      )
      assert.instanceOf(helped, OpenAI.APIError)
    })
  )

  it.live("who stops reading a stream closes the upstream's connection with it", () =>
    Effect.gen(function* () {
      const { asked: seen, baseUrl } = yield* upstream(() => ({ body: completionEvents("one"), ending: "silence" }))
      const { client } = yield* before(baseUrl)
      const stream = yield* resolved(() => client.chat.completions.create({ model: "up/m", messages, stream: true }))
      const read = yield* resolved(async () => {
        let chunks = 0
        for await (const chunk of stream) {
          chunks += chunk.choices.length
          break
        }
        return chunks
      })
      assert.strictEqual(read, 1)
      yield* resolved(() => seen[0]!.closed)
    })
  )
})
