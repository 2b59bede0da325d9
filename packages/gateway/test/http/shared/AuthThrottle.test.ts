/** Wrong credentials, many of them. Under `it.effect` the `TestClock` is the gateway's clock. */
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { TestClock } from "effect/testing"
import * as Credential from "../../../src/core/keys/Credential.ts"
import { Unauthorized } from "../../../src/core/domain/Errors.ts"
import { AuthThrottle } from "../../../src/http/shared/AuthThrottle.ts"
import { call } from "../../support/RawHttp.ts"
import { demoYaml, masterKey, startGateway } from "../../support/RunningGateway.ts"

const started = Effect.fnUntraced(function* (server = "") {
  const gateway = yield* startGateway({ yaml: `server: { ${server} }\n${demoYaml}` })
  const { id, secret } = yield* gateway.createKey()
  const own = (key: string, forwarded?: string) =>
    call(gateway.url, {
      method: "GET",
      path: "/v1/key",
      key,
      ...(forwarded === undefined ? {} : { headers: { "x-forwarded-for": forwarded } })
    })
  const admin = (key: string) => call(gateway.url, { method: "GET", path: "/admin/keys", key })
  const guess = (forwarded?: string) => own(Credential.generate().text, forwarded)
  return { ...gateway, id, secret, own, admin, guess }
})

const statuses = <A extends { readonly status: number }>(times: number, ask: () => Effect.Effect<A>) =>
  Effect.map(Effect.forEach(Array.from({ length: times }), ask), (answers) => answers.map(({ status }) => status))

describe("wrong credentials", () => {
  it.effect("from one address are answered 20 times a minute, then with a 429 whose Retry-After is true", () =>
    Effect.gen(function* () {
      const { guess } = yield* started()
      assert.deepStrictEqual(new Set(yield* statuses(20, guess)), new Set([401]))
      yield* TestClock.adjust("17500 millis")
      const { headers, json, status } = yield* guess()
      assert.strictEqual(status, 429)
      assert.strictEqual(headers["retry-after"], "43")
      assert.strictEqual(headers["x-should-retry"], "false")
      assert.strictEqual(headers["x-gateway-limit-kind"], "auth_failures")
      assert.deepInclude(json.error, {
        type: "rate_limit_exceeded",
        code: "too_many_auth_failures",
        kind: "auth_failures",
        param: null,
        retry_after_seconds: 43
      })
      yield* TestClock.adjust("43 seconds")
      assert.strictEqual((yield* guess()).status, 401)
    })
  )

  it.effect("lock nobody out: a right key or master key works from the same address", () =>
    Effect.gen(function* () {
      const { admin, createKey, guess, own, secret } = yield* started()
      yield* statuses(30, guess)
      assert.strictEqual((yield* own(secret)).status, 200)
      assert.strictEqual((yield* admin(masterKey)).status, 200)
      assert.strictEqual((yield* own((yield* createKey()).secret)).status, 200)
      assert.strictEqual((yield* guess()).status, 429)
    })
  )

  it.effect("of /v1 and /admin count together", () =>
    Effect.gen(function* () {
      const { admin, guess } = yield* started("auth_failures_per_minute: 4")
      assert.deepStrictEqual(yield* statuses(2, guess), [401, 401])
      assert.deepStrictEqual(yield* statuses(3, () => admin("wrong-master-key")), [401, 401, 429])
      assert.strictEqual((yield* guess()).status, 429)
    })
  )

  it.effect("are no credential at all, and no key that was right once", () =>
    Effect.gen(function* () {
      const { admin, id, keys, own, secret, url } = yield* started("auth_failures_per_minute: 2")
      yield* Effect.orDie(keys.update(id, { disabled: true }))
      const none = () => call(url, { method: "GET", path: "/v1/key" })
      assert.deepStrictEqual(yield* statuses(5, none), [401, 401, 401, 401, 401])
      assert.deepStrictEqual(yield* statuses(5, () => own(secret)), [401, 401, 401, 401, 401])
      assert.deepStrictEqual(yield* statuses(5, () => own(masterKey)), [403, 403, 403, 403, 403])
      assert.deepStrictEqual(yield* statuses(5, () => admin(secret)), [403, 403, 403, 403, 403])
      assert.deepStrictEqual(yield* statuses(3, () => own("sk-guess")), [401, 401, 429])
    })
  )

  it.effect("behind a trusted proxy count for the caller, not for the proxy", () =>
    Effect.gen(function* () {
      const { guess } = yield* started('trusted_proxies: ["127.0.0.0/8"], auth_failures_per_minute: 2')
      assert.deepStrictEqual(yield* statuses(3, () => guess("1.1.1.1")), [401, 401, 429])
      assert.deepStrictEqual(yield* statuses(3, () => guess("1.1.1.1, 2.2.2.2")), [401, 401, 429])
      assert.deepStrictEqual(yield* statuses(2, () => guess("3.3.3.3, 1.1.1.1")), [429, 429])
    })
  )

  it.effect("can't choose their address where no proxy is trusted", () =>
    Effect.gen(function* () {
      const { guess } = yield* started("auth_failures_per_minute: 2")
      assert.deepStrictEqual(
        yield* Effect.forEach(["1.1.1.1", "2.2.2.2", "3.3.3.3"], (one) =>
          Effect.map(guess(one), ({ status }) => status)
        ),
        [401, 401, 429]
      )
    })
  )
})

describe("AuthThrottle", () => {
  const wrong = new Unauthorized({ code: "invalid_api_key" })
  const fails = (throttle: AuthThrottle["Service"], address: string) =>
    Effect.map(
      Clock.currentTimeMillis,
      (now) => throttle.judge({ headers: {}, socket: { remoteAddress: address } } as never, wrong, now)._tag
    )

  it.effect("remembers a bounded number of addresses, and none for longer than it must", () =>
    Effect.gen(function* () {
      const throttle = yield* AuthThrottle
      for (let n = 0; n < 25_000; n++) yield* fails(throttle, `10.${n >> 16}.${(n >> 8) & 255}.${n & 255}`)
      assert.strictEqual(throttle.size(), 10_000)
      // The newest are known still.
      assert.strictEqual(yield* fails(throttle, "10.0.97.167"), "TooManyAuthFailures")
      yield* TestClock.adjust("60 seconds")
      assert.strictEqual(yield* fails(throttle, "9.9.9.9"), "Unauthorized")
      assert.strictEqual(throttle.size(), 1)
    }).pipe(Effect.provide(AuthThrottle.layer({ trustedProxies: [], authFailuresPerMinute: 1 })))
  )

  it.effect("are not refused for a day because the clock was set back", () =>
    Effect.gen(function* () {
      const { guess } = yield* started()
      yield* TestClock.adjust("1 day")
      yield* statuses(21, guess)
      yield* TestClock.setTime(0)
      assert.strictEqual((yield* guess()).status, 401)
    })
  )
})
