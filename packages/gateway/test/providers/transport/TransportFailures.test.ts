import { assert, describe, it } from "@effect/vitest"
import { failureOf } from "../../../src/providers/transport/TransportFailures.ts"

const error = (code: string, message = "") => Object.assign(new Error(message), { code })

const before: ReadonlyArray<readonly [string, string]> = [
  ["ECONNREFUSED", "refused"],
  ["ENOTFOUND", "refused"],
  ["EAI_AGAIN", "refused"],
  ["EHOSTUNREACH", "refused"],
  ["ECONNRESET", "refused"],
  ["DEPTH_ZERO_SELF_SIGNED_CERT", "refused"],
  ["UNABLE_TO_VERIFY_LEAF_SIGNATURE", "refused"],
  ["ERR_TLS_CERT_ALTNAME_INVALID", "refused"],
  ["EPROTO", "refused"],
  ["ETIMEDOUT", "connect_timeout"]
]

const after: ReadonlyArray<readonly [string, string]> = [
  ["ECONNRESET", "reset"],
  ["EPIPE", "reset"],
  ["ETIMEDOUT", "reset"]
]

describe("failureOf", () => {
  it("names origin and cause on one line, and tells before from after the connection", () => {
    for (const [cases, connected] of [
      [before, false],
      [after, true]
    ] as const) {
      for (const [code, kind] of cases) {
        const failure = failureOf(error(code, "some\nmessage\n"), { name: "https://api.example.com" }, connected)
        assert.strictEqual(failure.kind, kind, code)
        assert.isTrue(failure.message.startsWith("https://api.example.com "))
        assert.isTrue(failure.message.endsWith(` (${code})`))
        assert.notInclude(failure.message, "\n")
      }
    }
  })

  it("says why a certificate is not trusted", () => {
    const failure = failureOf(
      error("DEPTH_ZERO_SELF_SIGNED_CERT", "self-signed certificate"),
      { name: "https://a.example" },
      false
    )
    assert.include(failure.message, "can't be trusted: self-signed certificate")
  })

  it("takes whatever is thrown", () => {
    assert.strictEqual(failureOf("nonsense", { name: "https://a.example" }, true).kind, "reset")
    assert.strictEqual(failureOf(undefined, { name: "https://a.example" }, false).kind, "refused")
  })
})
