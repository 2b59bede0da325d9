import { assert, describe, it } from "@effect/vitest"
import { Redacted } from "effect"
import { redactor } from "../../src/telemetry/logs/Redact.ts"

const redact = (text: string, ...secrets: ReadonlyArray<string>) => {
  const known = secrets.map((secret) => Redacted.make(secret))
  return redactor(() => known)(text)
}

describe("redaction", () => {
  it("never touches a part of a word, even where a secret is one", () => {
    for (const [secret, text] of [
      ["openai", "deployment=myopenaiproxy/gpt-5 reasons=openaiish"],
      ["gateway", "gateways are up"],
      ["a.b+c(", "a.b+c(d"]
    ] as const) {
      assert.strictEqual(redact(text, secret), text)
    }
    assert.strictEqual(redact("key=openai, openai.", "openai"), "key=[redacted], [redacted].")
    assert.strictEqual(redact("a.b+c$d xa.b+c$d", "a.b+c$d"), "[redacted] xa.b+c$d")
  })

  it("leaves words alone that look a little like credentials", () => {
    for (const text of [
      "the task-force on risk-adjusted disk-usage",
      "Basic authentication and Bearer credentials",
      "sk-learning hf_transfer pk_columns akiabcdefgh AIzawaken",
      "deployment=task_sk-models/one"
    ]) {
      assert.strictEqual(redact(text), text)
    }
  })

  it("strikes out credentials whatever stands around them", () => {
    for (const secret of [
      "mgw_0123456789ab_0123456789abcdefghijklmnopqrstuvwxyzABCDEFG012345",
      "mgwa_0123456789ab_0123456789abcdefghijklmnopqrstuvwxyzABCDEFG012345",
      "eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJ4In0.MEUCIQDx-y_z",
      "sk-proj-abc123_DEF",
      "sk-ant-api03-xyz",
      "sk-abcdefghijklmnopqrstuvwx",
      "AIzaSyA1234567890",
      "AKIAIOSFODNN7EXAMPLE",
      "hf_a1B2c3D4e5"
    ]) {
      for (const text of [secret, `"${secret}"`, `key=${secret}&x`, `(${secret})`, `up/${secret}`, `_${secret}`]) {
        assert.notInclude(redact(text), secret, text)
      }
    }
    for (const token of ["abc.def.ghi", "dXNlcjpwYXNz=", "abcdefghijklmnopqrstuvwxyz"]) {
      assert.notInclude(redact(`authorization: bearer ${token}`), token)
    }
  })

  it("strikes out long secrets of the configuration in the middle of a word, too", () => {
    const secret = "p2Y3Y96tNPjhr8MZBoguEYIrwPxX2sQD"
    assert.strictEqual(redact(`x${secret}y`, secret), "x[redacted]y")
  })
})
