import { assert, describe, it } from "@effect/vitest"
import type { FailureClass } from "../../../../src/core/domain/Failures.ts"
import { OpenAiProtocol } from "../../../../src/providers/protocols/openai/OpenAiProtocol.ts"

const failure = (status: number, body: unknown, headers: Record<string, string> = {}) =>
  OpenAiProtocol.failure({ status, headers, text: typeof body === "string" ? body : JSON.stringify(body) })

const error = (message: string, code: string | number | null = null, type: string | null = null) => ({
  error: { message, type, param: null, code }
})

const cases: ReadonlyArray<readonly [FailureClass, number, unknown]> = [
  ["rate_limited", 429, error("Rate limit reached for gpt-4o", "rate_limit_exceeded", "requests")],
  ["rate_limited", 429, error("Rate limit reached", "rate_limit_exceeded", "tokens")],
  ["rate_limited", 429, error("Provider returned error", 429)],
  [
    "rate_limited",
    429,
    [{ error: { code: 429, message: "You exceeded your current quota", status: "RESOURCE_EXHAUSTED" } }]
  ],
  ["rate_limited", 429, ""],
  ["rate_limited", 413, error("Request too large for model on tokens per minute", "rate_limit_exceeded", "tokens")],
  ["quota_exhausted", 429, error("You exceeded your current quota", "insufficient_quota", "insufficient_quota")],
  ["quota_exhausted", 429, error("x", "credit_balance_exhausted")],
  ["quota_exhausted", 429, error("x", "organization_spend_limit_exceeded")],
  ["quota_exhausted", 429, error("x", "project_spend_limit_exceeded")],
  ["quota_exhausted", 429, error("x", "organization_usage_limit_exceeded")],
  ["quota_exhausted", 402, error("Insufficient Balance", "invalid_request_error", "unknown_error")],
  ["quota_exhausted", 402, "Payment Required"],
  ["quota_exhausted", 400, error("Your credit balance is too low to access the API", null, "invalid_request_error")],
  ["auth", 401, error("Incorrect API key provided", "invalid_api_key", "invalid_request_error")],
  ["auth", 401, error("Access denied due to invalid subscription key", "401")],
  ["auth", 403, "<html>Forbidden</html>"],
  ["auth", 403, error("Country not supported", "unsupported_country_region_territory", "request_forbidden")],
  [
    "auth",
    400,
    [{ error: { code: 400, message: "API key not valid. Please pass a valid API key.", status: "INVALID_ARGUMENT" } }]
  ],
  ["model_not_found", 404, error("The model `x` does not exist", "model_not_found", "invalid_request_error")],
  ["model_not_found", 404, { error: { code: "DeploymentNotFound", message: "The API deployment does not exist." } }],
  ["model_not_found", 403, error("Project does not have access to model `o9`", "model_not_found")],
  ["model_not_found", 400, error("Model Not Exist", "invalid_request_error", "invalid_request_error")],
  ["model_not_found", 400, { object: "error", message: "Invalid model: tiny", type: "invalid_model", code: "1500" }],
  ["model_not_found", 404, { detail: "Not Found" }],
  ["context_length", 400, error("This model's maximum context length is 8192 tokens.", "context_length_exceeded")],
  [
    "context_length",
    400,
    {
      object: "error",
      message:
        "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens. Please reduce the length",
      type: "BadRequestError",
      param: null,
      code: 400
    }
  ],
  ["context_length", 400, error("prompt is too long: 210000 tokens > 200000 maximum", null, "invalid_request_error")],
  ["context_length", 400, error("the request exceeds the available context size", "400", "exceed_context_size_error")],
  ["context_length", 413, "Request Entity Too Large"],
  ["content_filter", 400, error("The response was filtered", "content_filter")],
  ["content_filter", 400, error("prompt triggering Azure OpenAI's content management policy", null)],
  ["content_filter", 403, error("Your input was flagged by moderation", 403)],
  ["unavailable", 500, error("The server had an error", null, "server_error")],
  ["unavailable", 502, "<html><head><title>502 Bad Gateway</title></head></html>"],
  ["unavailable", 503, error("That model is currently overloaded", null, "server_error")],
  ["unavailable", 529, { type: "error", error: { type: "overloaded_error", message: "Overloaded" } }],
  ["unavailable", 500, error("maximum context length is 5", null, "invalid_request_error")],
  ["unavailable", 408, ""],
  ["unavailable", 301, ""],
  ["bad_request", 400, error("Invalid 'messages[3]'", "invalid_value", "invalid_request_error")],
  ["bad_request", 400, error("Tool choice is required, but model did not call a tool", "tool_use_failed")],
  ["bad_request", 409, ""],
  [
    "bad_request",
    422,
    { detail: [{ loc: ["body", "temperature"], msg: "Input should be less than 2", type: "less_than" }] }
  ],
  ["bad_request", 400, error(`${"x".repeat(600)} maximum context length`, null)],
  // What the caller wrote is not what the provider says of the gateway's account, or every key would pay for one.
  ["bad_request", 400, error("Invalid value: 'invalid api key'. Supported values are: 'auto'.", "invalid_value")],
  ["bad_request", 400, error("'insufficient quota' is not one of ['auto', 'none'] - 'tool_choice'", null)],
  ["bad_request", 400, error("Unknown tool: x' insufficient balance 'y", null, "invalid_request_error")],
  ["bad_request", 422, { detail: [{ msg: "value is not valid: credit balance is too low", type: "value_error" }] }]
]

describe("OpenAiChat.failure", () => {
  for (const [expected, status, body] of cases) {
    const text = typeof body === "string" ? body : JSON.stringify(body)
    it(`${expected}: ${status} ${text.slice(0, 80)}`, () => {
      const it = failure(status, body)
      assert.strictEqual(it.class, expected)
      assert.strictEqual(it.status, status)
      assert.isNotEmpty(it.message)
    })
  }

  it("says where a refusal may be about the request alone", () => {
    const dear = "This request requires more credits, or fewer max_tokens. You requested up to 65536 tokens"
    for (const [expected, status, body] of [
      [true, 403, "<html>Request blocked</html>"],
      [true, 403, error("Country not supported", "unsupported_country_region_territory", "request_forbidden")],
      [true, 403, error("You may not use this model", null, "permission_error")],
      [true, 402, error(dear, 402)],
      [undefined, 403, error("Invalid API key", null)],
      [undefined, 403, error("no", "invalid_api_key")],
      [undefined, 403, error("no", null, "authentication_error")],
      [undefined, 401, "<html>Unauthorized</html>"],
      [undefined, 402, error("Insufficient Balance", "invalid_request_error")],
      [undefined, 403, error("Your input was flagged by moderation", 403)],
      [undefined, 400, error("no")]
    ] as const) {
      assert.strictEqual(failure(status, body).mayBeOfRequest, expected, JSON.stringify(body))
    }
  })

  it("reads the wait in the body where no header tells one", () => {
    const info = (retryDelay: unknown) => ({ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay })
    const limited = (...details: ReadonlyArray<unknown>) => ({ error: { code: 429, message: "slow", details } })
    for (const [expected, body] of [
      [34_400, limited({ "@type": "type.googleapis.com/google.rpc.QuotaFailure" }, info("34.4s"))],
      [34_400, [limited(info("34.4s"))]],
      [1_001, limited(info("1.000000001s"))],
      [0, limited(info("0s"))],
      [86_400_000, limited(info("999999999999s"))],
      [undefined, limited(info("soon"))],
      [undefined, limited(info("34.4"))],
      [undefined, limited(info(34))],
      [undefined, limited(null, "x", { retryDelay: "5s" })],
      [undefined, { error: { message: "slow", details: "34s" } }],
      [undefined, "34s"]
    ] as const) {
      assert.strictEqual(failure(429, body).retryAfterMs, expected, JSON.stringify(body))
    }
    assert.strictEqual(failure(429, limited(info("34.4s")), { "retry-after": "7" }).retryAfterMs, 7_000)
    assert.strictEqual(failure(429, limited(info("34.4s")), { "retry-after-ms": "250" }).retryAfterMs, 250)
  })

  it("keeps the provider's words", () => {
    const it = failure(400, {
      error: { message: "Invalid value", type: "invalid_request_error", param: "n", code: "bad_n" }
    })
    assert.deepInclude(it, { message: "Invalid value", type: "invalid_request_error", param: "n", code: "bad_n" })
    assert.strictEqual(failure(422, { detail: [{ msg: "too big" }] }).message, "too big")
    assert.strictEqual(failure(500, "upstream connect error").message, "upstream connect error")
    assert.strictEqual(failure(500, { error: "no" }).message, "no")
  })

  it("shows no HTML, no half JSON, and nothing that is no word", () => {
    for (const body of ["<!doctype html><p>x", '{"error":', "", " ", "[]", "null"]) {
      assert.strictEqual(
        failure(500, body).message,
        body === "[]" || body === "null" ? body : "the provider responded with status 500"
      )
    }
    const odd = failure(400, { error: { message: "m", code: { deep: 1 }, param: ["x"] } })
    assert.isNull(odd.code)
    assert.isNull(odd.param)
  })

  it("retry_after", () => {
    const wait = (headers: Record<string, string>) => failure(429, "", headers).retryAfterMs
    assert.strictEqual(wait({ "retry-after": "2" }), 2000)
    assert.strictEqual(wait({ "retry-after": "0.5" }), 500)
    assert.strictEqual(wait({ "retry-after": "9", "retry-after-ms": "1234.2" }), 1235)
    const date = "Wed, 21 Oct 2026 07:28:00 GMT"
    assert.strictEqual(wait({ "retry-after": "Wed, 21 Oct 2026 07:28:30 GMT", date }), 30_000)
    assert.strictEqual(wait({ "retry-after": "Wed, 21 Oct 2026 07:27:00 GMT", date }), 0)
    for (const value of ["", "soon", "-5", "9".repeat(400), "Wed, 21 Oct 2026 07:28:30 GMT"])
      assert.isUndefined(wait({ "retry-after": value }))
    assert.isUndefined(wait({}))
  })
})
