import { assert, describe, it } from "@effect/vitest"
import { limitIn } from "../../../src/core/call/OutputLimits.ts"
import { failure as failureOfAnswer } from "../../../src/providers/protocols/openai/OpenAiErrors.ts"
import { vendorError } from "../../support/Upstream.ts"

const limit = (message: string, status = 400) =>
  limitIn(failureOfAnswer({ status, headers: {}, text: JSON.stringify(vendorError(message)) }))

describe("limitIn", () => {
  it("reads the limit from what vendors say", () => {
    const said = [
      ["Invalid max_tokens value, the valid range of max_tokens is [1, 8192]", 8192],
      ["Range of max_tokens should be [1, 2000]", 2000],
      ["max_tokens for `llama-3.1-8b-instant` must be less than or equal to 8000", 8000],
      ["`max_tokens` must be less than or equal to `16384`", 16_384],
      [
        "max_completion_tokens must be less than or equal to 40960, the maximum value for max_completion_tokens is less than the context_window for this model",
        40_960
      ],
      [
        "max_tokens is too large: 16384. This model supports at most 4096 completion tokens, whereas you provided 16384.",
        4096
      ],
      ["max_tokens: 16384 > 8192, which is the maximum allowed number of output tokens for claude-3-5-haiku", 8192],
      [
        "This model's maximum context length is 4096 tokens. However, you requested 16404 tokens (20 in the messages, 16384 in the completion). Please reduce the length of the messages or completion.",
        4076
      ],
      [
        "'max_tokens' or 'max_completion_tokens' is too large: 16384. This model's maximum context length is 4096 tokens and your request has 20 input tokens (16384 > 4096 - 20).",
        4076
      ],
      ["`inputs` tokens + `max_new_tokens` must be <= 8193. Given: 20 `inputs` tokens and 16384 `max_new_tokens`", 8173]
    ] as const
    for (const [message, expected] of said) assert.strictEqual(limit(message), expected, message)
  })

  it("reads none where none is said, or where something else went wrong", () => {
    for (const message of ["max_tokens is wrong", "temperature must be less than or equal to 2", "", "no"]) {
      assert.isUndefined(limit(message), message)
    }
    assert.isUndefined(limit("max_tokens must be less than or equal to 100", 429))
    assert.isUndefined(limit("max_tokens must be less than or equal to 100", 500))
    // Far behind the beginning it may be the caller who is quoted.
    assert.isUndefined(limit(`Invalid message: ${"x".repeat(400)} max_tokens must be less than or equal to 100`))
  })
})
