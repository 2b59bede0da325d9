import { assert, describe, it } from "@effect/vitest"
import { ProviderFailure } from "../../src/core/domain/Failures.ts"
import { withoutSecrets } from "../../src/providers/pool/Member.ts"

const KEY = "q8Zr4LmT2vXw9NbC7kYp5HsD"

const failure = (words: Partial<ProviderFailure>): ProviderFailure =>
  new ProviderFailure({
    class: "bad_request",
    status: 400,
    message: "m",
    type: null,
    code: null,
    param: null,
    ...words
  })

const shown = (message: string): string => withoutSecrets(failure({ message }), [KEY]).message

describe("a failure as others may see it", () => {
  it("has all that it had, but our credentials", () => {
    const told = withoutSecrets(
      failure({
        message: `you sent ${KEY}, ${KEY}`,
        type: KEY,
        code: `x-${KEY}`,
        param: null,
        retryAfterMs: 5,
        key: 1
      }),
      [KEY, "hunter2hunter2"]
    )
    assert.strictEqual(told.message, "you sent [redacted], [redacted]")
    const { class: name, code, key, param, retryAfterMs, status, type } = told
    assert.deepStrictEqual(
      { name, status, type, code, param, retryAfterMs, key },
      {
        name: "bad_request",
        status: 400,
        type: "[redacted]",
        code: "x-[redacted]",
        param: null,
        retryAfterMs: 5,
        key: 1
      }
    )
  })

  it("has nothing endless", () => {
    const long = withoutSecrets(failure({ message: "m".repeat(1e6), type: "t".repeat(1e6) }), [KEY])
    assert.strictEqual(long.message, `${"m".repeat(1999)}…`)
    assert.strictEqual(long.type, `${"t".repeat(199)}…`)
  })

  it("never ends inside a character", () => {
    for (const before of ["", "x"]) {
      const message = shown(before + "😀".repeat(1500))
      assert.isTrue(message.isWellFormed())
      assert.isTrue(message.endsWith("😀…"))
    }
  })

  it("shows no beginning of a key that stands where a message ends", () => {
    for (let before = 1900; before <= 4100; before++) {
      assert.notInclude(shown(`${"x".repeat(before)} ${KEY}`), "q8", `${before}`)
    }
    const looksLikeOne = "sk-proj-abcdEFGH1234"
    for (let before = 1900; before <= 2100; before++) {
      assert.notInclude(shown(`${"x".repeat(before)} ${looksLikeOne}`), "sk-", `${before}`)
    }
  })

  it("never repeats a key", () => {
    for (const secret of [
      "sk-proj-abcdEFGH1234",
      "sk-****************wxyz",
      "gsk_abcdefgh12345678",
      "AIzaSyA-1234567890",
      "xai-12345678abcdef",
      "mgw_abcdefgh_12345678",
      "abc*****xyz"
    ]) {
      const message = shown(`Incorrect API key provided: ${secret}. Find yours at https://x.y`)
      assert.notInclude(message, secret.slice(-4))
      assert.include(message, "[redacted]")
      assert.include(message, "https://x.y")
    }
    assert.notInclude(shown("header Authorization: Bearer abc.def-123456 refused"), "abc.def")
    assert.notInclude(shown("invalid api key: hunter2hunter2"), "hunter2")
  })
})
