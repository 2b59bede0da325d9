import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { parse, problemsOf } from "./Support.ts"

const withBasics = (text: string) => `master_key: \${GATEWAY_MASTER_KEY}\nproviders: { demo: }\n${text}`

const settingsOf = (more: string) => Result.getOrThrow(parse(withBasics(more)))

describe("presets in a configuration", () => {
  it("are read for a deployment and for an alias", () => {
    const { aliasRules, deployments } = settingsOf(
      "deployments: [{ provider: demo, model: mini, defaults: { thinking: 0, extra_body: { a: { b: [1, x] } } } }]\nmodels: { low: { deployments: demo/mini, fixed: { effort: low, max_tokens: 5, temperature: 0 } } }"
    )
    assert.deepStrictEqual(deployments[0]?.presets, {
      defaults: { effort: "none", extraBody: { a: { b: [1, "x"] } } },
      fixed: {}
    })
    assert.deepStrictEqual(aliasRules?.get("low"), {
      order: undefined,
      fallbacks: [],
      presets: { defaults: {}, fixed: { effort: "low", maxTokens: 5, temperature: 0 } }
    })
  })

  it.each([
    ["{ effort: lots }", '"lots" is not an effort'],
    ["{ effort: low, thinking: 5 }", "`effort` and `thinking` both say how much to reason"],
    ["{ max_tokens: 0 }", "0 is not a whole number from 1"],
    ["{ temperature: 3 }", "3 is not a number from 0 to 2"],
    ["{ extra_body: 5 }", "is not a group of fields of the request's body"],
    ["{ extra_body: { model: x } }", "\"model\" is the caller's own and can't be set here"],
    ["{ top_p: 1 }", '"top_p" is not a field here']
  ])("are refused with a reason: %s", (defaults, reason) => {
    const problems = problemsOf(withBasics(`deployments: [{ provider: demo, model: mini, defaults: ${defaults} }]`))
    assert.lengthOf(problems, 1)
    assert.include(problems[0], reason)
  })
})

describe("wildcards in a configuration", () => {
  it("are read, and are in no bucket unless the file says so", () => {
    const { deployments, models, router } = settingsOf(
      'deployments: [demo/mini, demo/*, { provider: demo, model: "m-*", operations: any }]\nmodels: { "x-*": demo/m-* }'
    )
    assert.deepStrictEqual(
      deployments.map(({ id }) => id),
      ["demo/mini", "demo/*", "demo/m-*"]
    )
    assert.includeMembers([...(deployments[2]?.operations ?? [])], ["chat", "embeddings", "rerank"])
    assert.notIncludeMembers([...(deployments[2]?.operations ?? [])], ["responses"])
    assert.deepStrictEqual(models.get("x-*"), ["demo/m-*"])
    assert.deepStrictEqual(router.buckets, [{ name: "standard", deployments: ["demo/mini"] }])
  })

  it.each([
    ['deployments: ["demo/*-*"]', 'a model has one "*" at most'],
    ["deployments: [demo/*]\nmodels: { x: demo/* }", 'its name must have one "*"'],
    ["deployments: [demo/mini]\nmodels: { x: [demo/mini, demo/*] }", 'its name must have one "*"'],
    ["deployments: [demo/*]\nrouter: { buckets: { all: demo/* } }", "auto is given no name"]
  ])("are refused where no name says the model: %s", (text, reason) => {
    const problems = problemsOf(withBasics(text))
    assert.lengthOf(problems, 1)
    assert.include(problems[0], reason)
  })
})
