import { assert, describe, it } from "@effect/vitest"
import type { FailureClass } from "../../../../src/core/domain/Failures.ts"
import { AnthropicProtocol } from "../../../../src/providers/protocols/anthropic/AnthropicProtocol.ts"

const failed = (status: number, type: string, message: string, headers: Record<string, string> = {}) =>
  AnthropicProtocol.failure({
    status,
    headers,
    text: JSON.stringify({ type: "error", error: { type, message }, request_id: "req_1" })
  })

describe("failure classes", () => {
  const cases: ReadonlyArray<readonly [FailureClass, number, string, string]> = [
    ["bad_request", 400, "invalid_request_error", "messages: Field required"],
    ["bad_request", 422, "invalid_request_error", "nope"],
    ["context_length", 400, "invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum"],
    [
      "context_length",
      400,
      "invalid_request_error",
      "input length and `max_tokens` exceed context limit: 190000 + 64000 > 200000"
    ],
    ["context_length", 413, "request_too_large", "Request exceeds the maximum allowed number of bytes."],
    ["quota_exhausted", 400, "invalid_request_error", "Your credit balance is too low to access the Anthropic API."],
    [
      "quota_exhausted",
      400,
      "invalid_request_error",
      "You have reached your specified API usage limits. You will regain access on 2026-02-01."
    ],
    ["bad_request", 400, "invalid_request_error", "tools.0.name: 'billing quota' should match pattern '^[a-z]+$'"],
    ["bad_request", 400, "invalid_request_error", "metadata: unexpected value 'your credit balance is too low'"],
    ["quota_exhausted", 402, "billing_error", "There's an issue with your billing."],
    ["content_filter", 400, "invalid_request_error", "Output blocked by content filtering policy"],
    ["auth", 401, "authentication_error", "invalid x-api-key"],
    ["auth", 403, "permission_error", "Your API key does not have permission"],
    ["model_not_found", 404, "not_found_error", "model: claude-sonet-4-5"],
    ["rate_limited", 429, "rate_limit_error", "Number of request tokens has exceeded your per-minute rate limit"],
    ["quota_exhausted", 429, "rate_limit_error", "You have hit your monthly spend limit"],
    ["unavailable", 500, "api_error", "Internal server error"],
    ["unavailable", 503, "api_error", "Unavailable"],
    ["unavailable", 504, "timeout_error", "Timed out"],
    ["unavailable", 529, "overloaded_error", "Overloaded"]
  ]
  for (const [expected, status, type, message] of cases) {
    it(`${status} ${message.slice(0, 40)}: ${expected}`, () => {
      const failure = failed(status, type, message)
      assert.deepInclude(failure, { class: expected, status, type, message, param: null })
    })
  }
})

describe("the wait", () => {
  const wait = (headers: Record<string, string>) => failed(429, "rate_limit_error", "Slow down", headers).retryAfterMs

  it("is in seconds, or to the millisecond", () => {
    assert.strictEqual(wait({ "retry-after": "13" }), 13_000)
    assert.strictEqual(wait({ "retry-after": "13", "retry-after-ms": "12500" }), 12_500)
  })

  it("may be a date, counted from that of the answer", () => {
    const headers = { date: "Thu, 01 Jan 2026 00:00:00 GMT", "retry-after": "Thu, 01 Jan 2026 00:00:07 GMT" }
    assert.strictEqual(wait(headers), 7_000)
  })

  it("is unknown where there is none, or nonsense", () => {
    for (const headers of [{}, { "retry-after": "" }, { "retry-after": "soon" }, { "retry-after": "-3" }]) {
      assert.isUndefined(wait(headers as Record<string, string>))
    }
  })
})

describe("the message", () => {
  it("is not a page of something in between", () => {
    const failure = AnthropicProtocol.failure({ status: 502, headers: {}, text: "<html>secret.internal</html>" })
    assert.strictEqual(failure.class, "unavailable")
    assert.notInclude(failure.message, "secret")
    assert.include(failure.message, "502")
  })

  it("is read from the shapes that compatible servers use", () => {
    const text = (body: unknown) =>
      AnthropicProtocol.failure({ status: 400, headers: {}, text: JSON.stringify(body) }).message
    assert.strictEqual(text({ error: "No." }), "No.")
    assert.strictEqual(text({ message: "No." }), "No.")
    assert.strictEqual(text({ error: { message: "No." } }), "No.")
  })
})
