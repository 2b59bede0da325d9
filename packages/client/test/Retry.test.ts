import { assert, describe, it } from "@effect/vitest"
import { pauseBefore } from "../src/connection/Retry.ts"
import * as Errors from "../src/Errors.ts"

const answer = (status: number, type: string, headers: Record<string, string> = {}) => ({
  status,
  type,
  headers: new Headers(headers)
})

describe("the pause before another try", () => {
  it("is what the server says: to the millisecond, in seconds, or until a time", () => {
    const pause = (headers: Record<string, string>) =>
      pauseBefore(new Errors.RateLimitError("", answer(429, "rate_limit_exceeded", headers)), 0, false)
    assert.strictEqual(pause({ "retry-after-ms": "20", "retry-after": "1" }), 20)
    assert.strictEqual(pause({ "retry-after": "2" }), 2_000)
    const until = pause({ "retry-after": new Date(Date.now() + 30_000).toUTCString() }) ?? 0
    assert.isAbove(until, 20_000)
    assert.isAtMost(until, 30_000)
    assert.strictEqual(pause({ "retry-after": "61" }), undefined)
    assert.isBelow(pause({ "retry-after-ms": "soon" }) ?? 0, 1_000)
  })

  it("without a word is half a second or so, and doubles up to eight seconds", () => {
    const error = new Errors.RateLimitError("", answer(429, "rate_limit_exceeded"))
    for (const [failures, least, most] of [
      [0, 375, 625],
      [1, 750, 1_250],
      [9, 6_000, 10_000]
    ] as const) {
      const pause = pauseBefore(error, failures, false) ?? 0
      assert.isAtLeast(pause, least)
      assert.isAtMost(pause, most)
    }
  })

  it.each<[string, Errors.GatewayError, generates: boolean, reads: boolean]>([
    ["a rate limit", new Errors.RateLimitError("", answer(429, "rate_limit_exceeded")), true, true],
    ["a budget", new Errors.BudgetExceededError("", answer(429, "insufficient_quota")), false, false],
    [
      "x-should-retry: false",
      new Errors.RateLimitError("", answer(429, "", { "x-should-retry": "false" })),
      false,
      false
    ],
    ["x-should-retry: true", new Errors.UpstreamError("", answer(502, "", { "x-should-retry": "true" })), false, true],
    ["the gateway's own 503", new Errors.ServerError("", answer(503, "server_error")), true, true],
    ["a 503 of providers", new Errors.UpstreamError("", answer(503, "upstream_error")), false, true],
    ["a 500", new Errors.ServerError("", answer(500, "server_error")), false, true],
    ["a 400", new Errors.BadRequestError("", answer(400, "invalid_request_error")), false, false],
    ["a connection that broke", new Errors.ConnectionError(""), false, true],
    ["a redirect", new Errors.ConnectionError("", answer(307, "")), false, false],
    ["a timeout", new Errors.TimeoutError(""), false, false]
  ])("%s", (_, error, generates, reads) => {
    assert.strictEqual(pauseBefore(error, 0, false) !== undefined, generates)
    assert.strictEqual(pauseBefore(error, 0, true) !== undefined, reads)
  })
})
