/** Bedrock's refusals: what they say of the request, of the deployment, of our credentials. */
import { assert, describe, it } from "@effect/vitest"
import { failure } from "../../../../src/providers/protocols/bedrock/BedrockErrors.ts"

const refusal = (status: number, type: string | undefined, message: string, headers = {}) =>
  failure({
    status,
    headers: { ...(type === undefined ? {} : { "x-amzn-errortype": type }), ...headers },
    text: JSON.stringify({ message })
  })

describe("a refusal of Bedrock", () => {
  it.each([
    [400, "ValidationException", "The provided model identifier is invalid.", "model_not_found"],
    [400, undefined, "The provided model identifier is invalid.", "model_not_found"],
    [
      403,
      "AccessDeniedException",
      "You don't have access to the model with the specified model ID.",
      "model_not_found"
    ],
    [
      403,
      "AccessDeniedException",
      "User: arn:aws:sts::1:x/y is not authorized to perform: bedrock:InvokeModel on resource: z",
      "model_not_found"
    ],
    [403, "AccessDeniedException", "No identity-based policy allows it", "auth"],
    [403, "ExpiredTokenException", "The security token included in the request is expired", "auth"],
    [400, "IncompleteSignatureException", "no", "auth"],
    [429, "ThrottlingException", "Too many tokens per day, please wait before trying again.", "quota_exhausted"],
    [429, "ThrottlingException", "Too many requests", "rate_limited"],
    [429, "ModelNotReadyException", "Warming up", "unavailable"],
    [424, "ModelErrorException", "It failed", "unavailable"],
    [413, undefined, "Too large", "context_length"],
    [
      400,
      "ValidationException",
      "The model returned the following errors: prompt is too long: 9 tokens",
      "context_length"
    ],
    [400, "ValidationException", "The maximum tokens you requested exceeds the model limit of 8192.", "bad_request"],
    [400, "ValidationException", "This model doesn't support the video content block that you provided.", "bad_request"]
  ] as const)("%i %s: %s", (status, type, message, expected) => {
    assert.strictEqual(refusal(status, type, message).class, expected)
  })

  it("is of the request where the words that say otherwise may be the caller's", () => {
    for (const words of [
      "the provided model identifier is invalid",
      "security token expired",
      "api key is invalid",
      "per day"
    ]) {
      const told = refusal(400, "ValidationException", `messages.0: tool "${words}" is not allowed`)
      assert.strictEqual(told.class, "bad_request", words)
    }
  })

  it("has the name of its type, without the address behind it, and the wait of its headers", () => {
    const told = refusal(429, "ThrottlingException:http://internal.amazon.com/coral/", "No", { "retry-after": "3" })
    assert.deepInclude(told, { type: "ThrottlingException", retryAfterMs: 3_000 })
    assert.strictEqual(refusal(400, "com.amazon.coral.service#ValidationException", "No").type, "ValidationException")
    assert.isNull(refusal(400, "<script>", "No").type)
  })

  it("has words of its own where there are none", () => {
    assert.match(failure({ status: 503, headers: {}, text: "<html>" }).message, /503 and no message/)
  })
})
