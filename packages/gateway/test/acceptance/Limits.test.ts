/** Limits and budgets of a key, refused to the letter of the contract. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import type { NewKey } from "../../src/core/KeyStore.ts"
import { call, open } from "../support/RawHttp.ts"
import { limits, startGateway } from "../support/RunningGateway.ts"
import { completion, completionEvents, upstream } from "../support/Upstream.ts"

const messages = [{ role: "user", content: "Hi" }]

/** A gateway with a key, and its upstream: `up/m` answers, `up/hang` streams a word and then says nothing. 1 and 2 USD per million. */
const withKey = Effect.fnUntraced(function* (key: Partial<NewKey>) {
  const { asked, baseUrl } = yield* upstream(({ body }) =>
    body.model === "hang"
      ? { body: completionEvents("one").slice(0, 2), ending: "silence" }
      : { body: body.stream === true ? completionEvents("one") : completion("one") }
  )
  const gateway = yield* startGateway({
    yaml: `
providers: { up: { protocol: openai-chat, base_url: "${baseUrl}", api_key: none } }
deployments:
  - { provider: up, model: m, price: { input: 1, output: 2 } }
  - { provider: up, model: hang, price: { input: 1, output: 2 } }
`
  })
  const { id, secret } = yield* gateway.createKey(key)
  const request = (fields: object) => ({
    path: "/v1/chat/completions",
    key: secret,
    body: { model: "up/m", messages, max_tokens: 100, ...fields }
  })
  return {
    ...gateway,
    asked,
    id,
    chat: (fields: object = {}) => call(gateway.url, request(fields)),
    openStream: (fields: object = {}) => open(gateway.url, request({ model: "up/hang", stream: true, ...fields })),
    own: call(gateway.url, { method: "GET", path: "/v1/key", key: secret })
  }
})

const day = (limit: number) => ({ limit, window: "day" as const, timeZone: "UTC" })

describe("requests per minute", () => {
  it.effect("the sixth call of a minute is refused to the letter, and admitted after the wait it was told", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.UTC(2026, 10, 21, 12))
      const { asked, chat, id } = yield* withKey({ limits: limits({ rpm: 5 }) })
      for (let number = 1; number <= 5; number++) {
        const answer = yield* chat()
        assert.strictEqual(answer.status, 200)
        assert.strictEqual(answer.headers["x-ratelimit-limit-requests"], "5")
        assert.strictEqual(answer.headers["x-ratelimit-remaining-requests"], String(5 - number))
        yield* TestClock.adjust("7500 millis")
      }
      // The first of the five leaves the window 60 s after it came: 22.5 s from now.
      const { headers, json, status } = yield* chat()
      assert.strictEqual(status, 429)
      assert.strictEqual(headers["retry-after"], "23")
      assert.strictEqual(headers["retry-after-ms"], "23000")
      assert.strictEqual(headers["x-gateway-limit-kind"], "rpm")
      assert.deepStrictEqual(Object.keys(json), ["error"])
      const { message, ...error } = json.error
      assert.deepStrictEqual(error, {
        type: "rate_limit_exceeded",
        param: null,
        code: "rate_limit_exceeded",
        kind: "rpm",
        retry_after_seconds: 23,
        limit: 5,
        used: 5,
        scope: "key",
        resets_at: "2026-11-21T12:01:00.000Z"
      })
      assert.include(message, id)
      assert.match(message, /5 requests per minute/)
      assert.notMatch(message, /quota|billing/i)
      assert.isUndefined(headers["x-should-retry"])
      assert.lengthOf(asked, 5)
      yield* TestClock.adjust("22 seconds")
      assert.strictEqual((yield* chat()).status, 429)
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* chat()).status, 200)
    })
  )

  it.live("in real time too, header and body agree on a wait within the minute", () =>
    Effect.gen(function* () {
      const { chat } = yield* withKey({ limits: limits({ rpm: 5 }) })
      for (let number = 1; number <= 5; number++) assert.strictEqual((yield* chat()).status, 200)
      const before = Date.now()
      const { headers, json, status } = yield* chat()
      const after = Date.now()
      assert.strictEqual(status, 429)
      const wait = Number(headers["retry-after"])
      assert.isTrue(Number.isInteger(wait) && wait >= 1 && wait <= 60)
      assert.strictEqual(json.error.retry_after_seconds, wait)
      const free = Date.parse(json.error.resets_at)
      assert.isAtMost(wait, Math.ceil((free - before) / 1000))
      assert.isAtLeast(wait, Math.ceil((free - after) / 1000))
    })
  )

  it.live("streams count as well, and one key's limit is not another's", () =>
    Effect.gen(function* () {
      const { chat, createKey, url } = yield* withKey({ limits: limits({ rpm: 1 }) })
      assert.strictEqual((yield* chat({ stream: true })).status, 200)
      assert.strictEqual((yield* chat({ stream: true })).status, 429)
      const other = yield* createKey({ limits: limits({ rpm: 1 }) })
      const body = { model: "up/m", messages }
      assert.strictEqual((yield* call(url, { path: "/v1/chat/completions", key: other.secret, body })).status, 200)
    })
  )

  it.effect("a team's limit is shared by its keys, and named as the team's", () =>
    Effect.gen(function* () {
      const { chat, createKey, keys, url } = yield* withKey({ team: "red" })
      yield* keys.putTeam("red", { limits: limits({ rpm: 2 }), budgets: [] })
      const other = yield* createKey({ team: "red" })
      const body = { model: "up/m", messages }
      assert.strictEqual((yield* chat()).status, 200)
      assert.strictEqual((yield* call(url, { path: "/v1/chat/completions", key: other.secret, body })).status, 200)
      const { json, status } = yield* chat()
      assert.strictEqual(status, 429)
      assert.deepInclude(json.error, { kind: "rpm", scope: "team", limit: 2, used: 2 })
      assert.include(json.error.message, "red")
    })
  )
})

describe("tokens per minute and requests at once", () => {
  it.effect("what was used counts, and tokens that were only expected are given back", () =>
    Effect.gen(function* () {
      const { chat } = yield* withKey({ limits: limits({ tpm: 200 }) })
      const first = yield* chat()
      assert.strictEqual(first.headers["x-ratelimit-limit-tokens"], "200")
      assert.strictEqual(first.headers["x-ratelimit-remaining-tokens"], String(200 - 16))
      assert.strictEqual((yield* chat()).status, 200)
      const refused = yield* chat({ max_tokens: 190 })
      assert.strictEqual(refused.status, 429)
      assert.strictEqual(refused.headers["x-gateway-limit-kind"], "tpm")
      assert.deepInclude(refused.json.error, { type: "rate_limit_exceeded", kind: "tpm", limit: 200, used: 32 })
      yield* TestClock.adjust(refused.json.error.retry_after_seconds * 1000)
      assert.strictEqual((yield* chat({ max_tokens: 190 })).status, 200)
    })
  )

  it.live("a stream holds its slot until it ends, however it ends", () =>
    Effect.gen(function* () {
      const { asked, chat, openStream } = yield* withKey({ limits: limits({ maxParallel: 1 }) })
      const { hangUp } = yield* openStream()
      const refused = yield* chat()
      assert.strictEqual(refused.status, 429)
      assert.strictEqual(refused.headers["x-gateway-limit-kind"], "parallel")
      assert.deepInclude(refused.json.error, { kind: "parallel", limit: 1, used: 1 })
      hangUp()
      yield* Effect.promise(() => asked[0]!.closed)
      const admitted = Effect.flatMap(chat(), ({ status }) => (status === 200 ? Effect.void : Effect.fail(status)))
      yield* Effect.retry(Effect.delay(admitted, "5 millis"), { times: 100 })
    })
  )
})

describe("budgets", () => {
  it.live("a budget that has no room for a request refuses it for good, in words that clients stop on", () =>
    Effect.gen(function* () {
      const { asked, chat, id } = yield* withKey({ budgets: [day(10_000)] })
      const { headers, json, status } = yield* chat()
      assert.strictEqual(status, 429)
      assert.strictEqual(headers["x-gateway-limit-kind"], "budget")
      assert.strictEqual(headers["x-should-retry"], "false")
      assert.deepInclude(json.error, {
        type: "insufficient_quota",
        code: "insufficient_quota",
        param: null,
        kind: "budget",
        limit: 0.00001,
        used: 0,
        scope: "key"
      })
      assert.strictEqual(Number(headers["retry-after"]), json.error.retry_after_seconds)
      assert.strictEqual(new Date(json.error.resets_at).toISOString(), json.error.resets_at)
      assert.strictEqual(Date.parse(json.error.resets_at) % 86_400_000, 0)
      assert.include(json.error.message, id)
      assert.match(json.error.message, /insufficient_quota/)
      assert.lengthOf(asked, 0)
    })
  )

  it.live("what requests in flight hold is refused for the moment only", () =>
    Effect.gen(function* () {
      // Room for one worst case (about 120 tokens in, 100 out), not for two.
      const { asked, chat, openStream, own } = yield* withKey({ budgets: [day(500_000)] })
      const { hangUp } = yield* openStream()
      const { headers, json, status } = yield* chat()
      assert.strictEqual(status, 429)
      assert.strictEqual(headers["x-gateway-limit-kind"], "budget_reserved")
      assert.isUndefined(headers["x-should-retry"])
      assert.deepInclude(json.error, { type: "insufficient_quota", code: "budget_reserved", kind: "budget_reserved" })
      assert.strictEqual(json.error.retry_after_seconds, 1)
      assert.notMatch(json.error.message, /insufficient_quota|exceeded your|will reset/)
      const [held] = (yield* own).json.budgets
      assert.isAbove(held.reserved_usd, 0)
      hangUp()
      yield* Effect.promise(() => asked[0]!.closed)
      const admitted = Effect.flatMap(chat(), ({ status }) => (status === 200 ? Effect.void : Effect.fail(status)))
      yield* Effect.retry(Effect.delay(admitted, "5 millis"), { times: 100 })
    })
  )

  it.live("what is spent is subtracted exactly, and told", () =>
    Effect.gen(function* () {
      const { chat, own } = yield* withKey({ budgets: [day(1_000_000)] })
      const first = yield* chat()
      assert.strictEqual(first.headers["x-gateway-cost-usd"], "0.00002")
      assert.strictEqual(first.headers["x-gateway-budget-remaining-usd"], "0.00098")
      yield* chat({ stream: true })
      const { json, status } = yield* own
      assert.strictEqual(status, 200)
      assert.deepInclude(json.budgets[0], {
        usd: 0.001,
        window: "day",
        spent_usd: 0.00004,
        reserved_usd: 0,
        remaining_usd: 0.00096
      })
    })
  )

  it.effect("a new day is a new budget", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.UTC(2026, 10, 21, 23, 59))
      const { chat } = yield* withKey({ budgets: [day(300_000)] })
      let answer = yield* chat()
      while (answer.status === 200) answer = yield* chat()
      assert.strictEqual(answer.json.error.kind, "budget")
      assert.strictEqual(answer.json.error.resets_at, "2026-11-22T00:00:00.000Z")
      assert.strictEqual(answer.headers["retry-after"], "60")
      yield* TestClock.adjust("60 seconds")
      assert.strictEqual((yield* chat()).status, 200)
    })
  )

  it.live("a caller without a limit of its own gets as much output as the budget pays for", () =>
    Effect.gen(function* () {
      const { asked, chat } = yield* withKey({ budgets: [day(2_000_000)] })
      assert.strictEqual((yield* chat({ max_tokens: undefined })).status, 200)
      const told = asked[0]!.body.max_completion_tokens ?? asked[0]!.body.max_tokens
      assert.isAtLeast(told, 256)
      assert.isAtMost(told * 2_000, 2_000_000)
    })
  )

  it.live("a model without a price is refused to a key with a budget", () =>
    Effect.gen(function* () {
      const gateway = yield* startGateway({
        yaml: `
providers: { up: { protocol: openai-chat, base_url: "http://127.0.0.1:9/v1", api_key: none } }
deployments: [up/unpriced]
`
      })
      const { secret } = yield* gateway.createKey({ budgets: [day(1_000_000_000)] })
      const body = { model: "up/unpriced", messages }
      const { json, status } = yield* call(gateway.url, { path: "/v1/chat/completions", key: secret, body })
      assert.strictEqual(status, 400)
      assert.deepInclude(json.error, { code: "price_unknown", param: "model" })
    })
  )
})
