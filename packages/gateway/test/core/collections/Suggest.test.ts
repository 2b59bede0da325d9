import { assert, describe, it } from "@effect/vitest"
import { didYouMean, listed, nearest } from "../../../src/core/collections/Suggest.ts"

describe("did you mean", () => {
  it("suggests the nearest name, and none that is far", () => {
    assert.strictEqual(nearest("api_kye", ["vendor", "api_key", "app_key"]), "api_key")
    assert.strictEqual(nearest("gpt-5", ["x/gpt-5-mini", "openai/gpt-5"]), "openai/gpt-5")
    assert.isUndefined(nearest("retries", ["server", "router", "failover"]))
    assert.isUndefined(nearest("ab", ["cd"]))
    assert.strictEqual(didYouMean("prot", ["port"]), '; did you mean "port"?')
    assert.strictEqual(didYouMean("zzz", ["port"]), "")
  })

  it("lists at most twenty", () => {
    assert.strictEqual(listed([]), "none")
    assert.strictEqual(listed(["a", "b"]), "a, b")
    assert.match(listed(Array.from({ length: 23 }, (_, index) => `m${index}`)), /, m19 and 3 more$/)
  })
})
