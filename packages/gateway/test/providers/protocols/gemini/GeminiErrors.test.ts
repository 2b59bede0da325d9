/** Google's errors, as it documents them and as they were recorded. */
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { GeminiChat, GeminiProtocol } from "../../../../src/providers/protocols/gemini/GeminiProtocol.ts"
import { asking, callOf, kinds, response, streamed } from "./Support.ts"

const failureOf = (status: number, error: unknown, headers: Record<string, string> = {}) =>
  GeminiProtocol.failure({ status, headers, text: typeof error === "string" ? error : JSON.stringify({ error }) })
const classOf = (status: number, error: unknown) => failureOf(status, error).class
const info = (reason: string) => ({ "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason })
const retry = (retryDelay: string) => ({ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay })
const quota = (quotaId: string) => ({
  "@type": "type.googleapis.com/google.rpc.QuotaFailure",
  violations: [{ quotaId }]
})

describe("a refusal", () => {
  it("for too many requests names the wait in its body", () => {
    const error = {
      code: 429,
      status: "RESOURCE_EXHAUSTED",
      message: "Slow down",
      details: [quota("PerMinute"), retry("34.4s")]
    }
    const failure = failureOf(429, error, { "retry-after": "1" })
    assert.strictEqual(failure.class, "rate_limited")
    assert.strictEqual(failure.retryAfterMs, 34_400)
    assert.strictEqual(failureOf(429, { message: "Resource exhausted" }, { "retry-after": "3" }).retryAfterMs, 3_000)
  })

  it("for a day's quota, or for one of nothing, is no matter of seconds", () => {
    const daily = {
      message: "Quota exceeded",
      details: [quota("GenerateRequestsPerDayPerProjectPerModel"), retry("9s")]
    }
    assert.strictEqual(classOf(429, daily), "quota_exhausted")
    assert.strictEqual(classOf(429, { message: "Quota exceeded for metric x, limit: 0, model: y" }), "quota_exhausted")
  })

  it("of the key is the deployment's, also where it is a 400; of a file it may be the request's", () => {
    const bad = {
      code: 400,
      status: "INVALID_ARGUMENT",
      message: "API key not valid.",
      details: [info("API_KEY_INVALID")]
    }
    assert.strictEqual(classOf(400, bad), "auth")
    assert.strictEqual(classOf(400, { message: "API key expired. Please renew the API key." }), "auth")
    assert.strictEqual(classOf(401, { status: "UNAUTHENTICATED", message: "no" }), "auth")
    assert.isUndefined(failureOf(403, { message: "off", details: [info("SERVICE_DISABLED")] }).mayBeOfRequest)
    assert.isTrue(failureOf(403, { message: "You do not have permission to access the File x" }).mayBeOfRequest)
  })

  it("of the request, of its length, of its model, and of the server are told apart", () => {
    const long = "The input token count (1100000) exceeds the maximum number of tokens allowed (1048576)."
    assert.strictEqual(classOf(400, { message: long }), "context_length")
    assert.strictEqual(classOf(400, { message: "Invalid value at 'contents'" }), "bad_request")
    assert.strictEqual(classOf(404, { message: "models/x is not found" }), "model_not_found")
    assert.strictEqual(classOf(503, { status: "UNAVAILABLE", message: "The model is overloaded." }), "unavailable")
    assert.strictEqual(
      classOf(400, { status: "FAILED_PRECONDITION", message: "User location is not supported" }),
      "unavailable"
    )
    assert.strictEqual(classOf(403, { message: "This API method requires billing to be enabled." }), "quota_exhausted")
    assert.strictEqual(classOf(502, "<html>Bad gateway</html>"), "unavailable")
    assert.strictEqual(classOf(400, '[{"error":{"code":400,"message":"in a list"}}]'), "bad_request")
  })
})

describe("an answer that is none", () => {
  const why = (body: unknown) => Result.getOrThrow(Result.flip(GeminiChat.lift(JSON.stringify(body), callOf(asking()))))

  it("because the prompt was blocked is a content filter, with what it used", () => {
    const body = {
      promptFeedback: { blockReason: "SAFETY" },
      usageMetadata: { promptTokenCount: 9, totalTokenCount: 9 }
    }
    const failure = why(body)
    assert.strictEqual(failure.class, "content_filter")
    assert.include(failure.message, "SAFETY")
    assert.strictEqual(failure.usage?.input, 9)
    const [event] = streamed([body])
    assert.isTrue(event?.kind === "failed" && event.failure.class === "content_filter")
  })

  it("because the model's call was malformed is a failure that others may mend, with what it used", () => {
    const failure = why(response([], "MALFORMED_FUNCTION_CALL"))
    assert.strictEqual(failure.class, "truncated")
    assert.strictEqual(failure.usage?.input, 10)
    assert.deepStrictEqual(kinds(streamed([response([{ text: "So" }]), response([], "MALFORMED_FUNCTION_CALL")])), [
      "lifecycle",
      "content",
      "failed"
    ])
  })

  it("without candidates, without a reason for its end, or of parts that are none is a failure", () => {
    for (const body of [
      {},
      { candidates: [] },
      response([{ text: "Hi" }]),
      response([{ text: 7 }], "STOP"),
      [],
      "x",
      null
    ]) {
      assert.strictEqual(why(body).class, "truncated")
    }
    assert.strictEqual(why({ error: { code: 503, status: "UNAVAILABLE", message: "no" } }).class, "unavailable")
  })

  it("may be empty all the same: blocked on the way, or cut before its first word", () => {
    const finish = (reason: string) => {
      const { body } = Result.getOrThrow(
        GeminiChat.lift(JSON.stringify({ candidates: [{ finishReason: reason }] }), callOf(asking()))
      )
      return (body["choices"] as ReadonlyArray<Record<string, unknown>>)[0]!["finish_reason"]
    }
    for (const reason of ["SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "MODEL_ARMOR"]) {
      assert.strictEqual(finish(reason), "content_filter")
    }
    assert.strictEqual(finish("MAX_TOKENS"), "length")
    assert.strictEqual(finish("STOP"), "stop")
  })
})

describe("a stream", () => {
  it("that reports an error fails with it, and says nothing after", () => {
    const error = { error: { code: 429, status: "RESOURCE_EXHAUSTED", message: "no", details: [retry("2s")] } }
    const events = streamed([response([{ text: "So" }]), error, response([{ text: "far" }], "STOP")])
    assert.deepStrictEqual(kinds(events), ["lifecycle", "content", "failed"])
    const last = events.at(-1)
    assert.isTrue(
      last?.kind === "failed" && last.failure.class === "rate_limited" && last.failure.retryAfterMs === 2_000
    )
  })

  it("with an event that makes no sense says so", () => {
    for (const event of [7, [], { candidates: [7] }, response([{ functionCall: { args: {} } }])]) {
      assert.include(kinds(streamed([event])), "malformed")
    }
  })

  it("of several candidates keeps them apart, and ends when all have", () => {
    const candidate = (index: number, text: string, finishReason?: string) => ({
      content: { parts: [{ text }] },
      index,
      ...(finishReason === undefined ? {} : { finishReason })
    })
    const fields = { n: 2 }
    const events = streamed(
      [{ candidates: [candidate(0, "a"), candidate(1, "b")] }, { candidates: [candidate(1, "c", "STOP")] }],
      fields
    )
    assert.notInclude(kinds(events), "done")
    const all = streamed(
      [{ candidates: [candidate(0, "a", "STOP")] }, { candidates: [candidate(1, "b", "MAX_TOKENS")] }],
      fields
    )
    assert.deepStrictEqual(kinds(all), ["lifecycle", "content", "finish", "lifecycle", "content", "finish", "done"])
  })
})
