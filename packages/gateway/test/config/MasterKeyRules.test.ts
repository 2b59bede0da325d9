import { assert, describe, it } from "@effect/vitest"
import { masterKeyWeakness } from "../../src/config/MasterKeyRules.ts"
import { masterKey, problemsOf, withBasics } from "./Support.ts"

describe("master key", () => {
  it("may be anything random of 32 characters or more", () => {
    for (const key of [
      masterKey,
      "9f86d081884c7d659a2feaa0c55ad015",
      "iVtrsCBVmNZB2mQz3Gcm1Fh3vZpuyiSXFkT4hWnVnqwT",
      "Ue+K/0x9bQ5Zl1tTgM3oPw7dVnR2sYcA8hJfXqEiBk4="
    ]) {
      assert.isUndefined(masterKeyWeakness(key), key)
    }
  })

  it("must not be short, well known, an example or a pattern", () => {
    const long = "x9Kq2mVt7Lp4RfWc8Jd1HsNb6GyTa3E"
    for (const [key, why] of [
      [long, /has 31 characters, and needs at least 32/],
      ["sk-1234", /has 7 characters/],
      ["sk-1234567890abcdef1234567890abcdef", /well-known/],
      ["changemechangemechangemechangeme", /well-known/],
      ["CHANGE-ME-before-you-deploy-this-x9Kq2mVt7", /well-known/],
      ["replace_me_with_openssl_rand_base64_33", /well-known/],
      ["mgw-example-master-key-7Lp4RfWc8Jd1", /example/],
      ["my-super-secret-key-7Lp4RfWc8Jd1HsNb", /well-known/],
      ["a".repeat(64), /pattern/],
      ["x9Kq2mVt7x9Kq2mVt7x9Kq2mVt7x9Kq2mV", /pattern/],
      ["ABCDEFGHIJKLMNOPQRSTUVWXYZABCDEFGHIJ", /well-known/],
      ["efghijklmnopqrstuvwxyzEFGHIJKLMNOPQR", /pattern/],
      ["0101101001011101010110100101110101101", /pattern/]
    ] as const) {
      assert.match(masterKeyWeakness(key) ?? "", why, key)
      assert.notInclude(masterKeyWeakness(key) ?? "", key)
    }
  })

  it("is refused with its place and the way to make one", () => {
    const text = withBasics("").replace("${GATEWAY_MASTER_KEY}", "too-short")
    assert.deepStrictEqual(problemsOf(text), [
      "gateway.yaml:1:13 master_key: the master key has 9 characters, and needs at least 32; make one with `openssl rand -base64 33` or `model-gateway init`"
    ])
  })
})
