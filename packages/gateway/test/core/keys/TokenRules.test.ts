import { assert, describe, it } from "@effect/vitest"
import type { TokenRule } from "../../../src/core/domain/Settings.ts"
import { ruledBy, unmetBy } from "../../../src/core/keys/TokenRules.ts"

const rule = (match: TokenRule["match"], given: Partial<TokenRule> = {}): TokenRule => ({
  name: "x/a",
  match,
  per: "sub",
  endUser: undefined,
  maxSubjects: 10,
  key: {
    team: null,
    models: [],
    tags: [],
    limits: { rpm: undefined, tpm: undefined, maxParallel: undefined },
    budgets: []
  },
  ...given
})

describe("rules for tokens", () => {
  for (const [pattern, value, matches] of [
    ["repo:acme/*", "repo:acme/app", true],
    ["repo:acme/*", "repo:acme-evil/app", false],
    ["repo:acme*", "repo:acme-evil/app", false],
    ["repo:acme/*", "repo:acme/app:ref:x", false],
    ["repo:acme/*", "repo:acme/", true],
    ["*", "a/b", false],
    ["*", "a:b", false],
    ["refs/heads/*", "refs/heads/a/b", false],
    ["refs/heads/release-*-x", "refs/heads/release-1-x", true],
    ["Main", "main", false],
    ["true", true, true],
    ["12", 12, true],
    ["a", ["b", "a"], true],
    ["a", { a: 1 }, false],
    ["a", undefined, false],
    ["a/b", "a:b", false]
  ] as const) {
    it(`${JSON.stringify(value)} ${matches ? "matches" : "does not match"} ${pattern}`, () => {
      assert.strictEqual(unmetBy(rule([["claim", [pattern]]]), { claim: value }), matches ? undefined : "claim")
    })
  }

  it("names the first claim that does not match, and reads nested claims by JSON pointer", () => {
    const one = rule([
      ["/google/compute_engine/project_id", ["p"]],
      ["__proto__", ["x"]]
    ])
    assert.strictEqual(
      unmetBy(one, { google: { compute_engine: { project_id: "q" } } }),
      "/google/compute_engine/project_id"
    )
    assert.strictEqual(unmetBy(one, { google: { compute_engine: { project_id: "p" } } }), "__proto__")
  })

  it("takes the first rule that matches, and needs its subject and end user as one text", () => {
    const rules = [rule([["a", ["1"]]], { endUser: "actor" }), rule([["b", ["1"]]], { name: "x/b", per: "id" })]
    assert.isUndefined(ruledBy(rules, { sub: "s" }))
    assert.deepInclude(ruledBy(rules, { a: "1", b: "1", sub: "s", actor: "ada" }), { subject: "s", endUser: "ada" })
    for (const claims of [
      { actor: "ada" },
      { sub: ["s", "t"], actor: "ada" },
      { sub: "s\n", actor: "ada" },
      { sub: "" }
    ]) {
      assert.deepInclude(ruledBy(rules, { a: "1", ...claims }), { lacking: "sub" })
    }
    for (const actor of [undefined, "a".repeat(257), "a\u0000b"]) {
      assert.deepInclude(ruledBy(rules, { a: "1", sub: "s", actor }), { lacking: "actor" })
    }
    assert.deepInclude(ruledBy(rules, { b: "1", id: 7 }), { subject: "7", endUser: undefined })
  })
})
