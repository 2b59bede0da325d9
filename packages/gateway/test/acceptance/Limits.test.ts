/** Limits of a key, refused to the letter of the contract. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { call } from "../support/RawHttp.ts"
import { limits } from "../support/RunningGateway.ts"
import { withKey } from "./WithKey.ts"

const messages = [{ role: "user", content: "Hi" }]

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
})
