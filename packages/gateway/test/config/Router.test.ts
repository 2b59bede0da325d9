import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { parse, problemsOf, withBasics } from "./Support.ts"

const settingsOf = (text: string) => Result.getOrThrowWith(parse(withBasics(text)), (invalid) => invalid)

describe("models", () => {
  it("may have an order, and fallbacks that whoever names the alias does not get", () => {
    const settings = settingsOf(
      "models:\n  a: { deployments: [demo/mini, demo/x], order: weight, fallbacks: [b, demo/mini] }\n  b: { deployments: openai/gpt-5, fallbacks: a }\n  c: b"
    )
    assert.deepStrictEqual(Object.fromEntries(settings.models), {
      a: ["demo/mini", "demo/x", "openai/gpt-5"],
      b: ["openai/gpt-5", "demo/mini", "demo/x"],
      c: ["openai/gpt-5"]
    })
    assert.deepStrictEqual(Object.fromEntries(settings.aliasRules ?? []), {
      a: { order: "weight", fallbacks: ["openai/gpt-5"] },
      b: { order: undefined, fallbacks: ["demo/mini", "demo/x"] }
    })
  })

  it("says what is wrong in the group of an alias", () => {
    const problems = problemsOf(
      withBasics(
        "models:\n  a: { order: weigth, deployments: demo/mini }\n  b: { order: weight }\n  c: { deployments: demo/mini, fallback: d, fallbacks: [nope] }\n  d: [1]"
      )
    )
    assert.match(problems[0] ?? "", /models\.a\.order: "weigth" is not an order; did you mean "weight"\?/)
    assert.match(problems[1] ?? "", /models\.b\.deployments: "deployments" is required/)
    assert.match(problems[2] ?? "", /"fallback" is not a field here; did you mean "fallbacks"/)
    assert.match(problems[3] ?? "", /models\.c\.fallbacks\[0\]: "nope" is not a deployment/)
    assert.match(problems[4] ?? "", /models\.d\[0\]: 1 is not deployment ids/)
    assert.strictEqual(problems.length, 5)
  })

  it("follows aliases of aliases, in order, each deployment once", () => {
    const { models } = settingsOf(
      "models: { all: [best, demo/mini, cheap], best: openai/gpt-5, cheap: [demo/mini, best] }"
    )
    assert.deepStrictEqual(Object.fromEntries(models), {
      all: ["openai/gpt-5", "demo/mini"],
      best: ["openai/gpt-5"],
      cheap: ["demo/mini", "openai/gpt-5"]
    })
  })

  it("takes <provider>/<model> for every deployment of it, whatever their ids", () => {
    const settings = Result.getOrThrowWith(
      parse(`
master_key: \${GATEWAY_MASTER_KEY}
providers: { demo: }
deployments:
  - { provider: demo, model: mini, id: one }
  - { provider: demo, model: mini, id: two }
models: { both: demo/mini }`),
      (invalid) => invalid
    )
    assert.deepStrictEqual(settings.models.get("both"), ["one", "two"])
    assert.lengthOf(settings.deployments, 2)
  })

  it("makes a deployment of a provider's model that is only named in an alias or a bucket, once", () => {
    const settings = settingsOf(
      "models: { big: demo/large }\nrouter: { buckets: { a: demo/large, b: [demo/standard] } }"
    )
    assert.deepStrictEqual(
      settings.deployments.map((one) => one.id),
      ["openai/gpt-5", "demo/mini", "demo/large", "demo/standard"]
    )
  })

  it("refuses circles once each, and says how they go", () => {
    assert.deepStrictEqual(problemsOf(withBasics("models:\n  a: [demo/mini, b]\n  b: c\n  c: [a]\n  self: self")), [
      "gateway.yaml:7:7 models.c[0]: this alias leads back to itself: a → b → c → a",
      "gateway.yaml:8:9 models.self: this alias leads back to itself: self → self"
    ])
  })

  it("suggests the deployment when only its model is named", () => {
    assert.deepStrictEqual(problemsOf(withBasics("models: { a: gpt-5 }")), [
      'gateway.yaml:4:14 models.a: "gpt-5" is not a deployment, an alias or <provider>/<model>; did you mean "openai/gpt-5"? (known: openai/gpt-5, demo/mini)'
    ])
  })
})

describe("router", () => {
  const cutPoints = (buckets: number) =>
    settingsOf(`router: { buckets: { ${Array.from({ length: buckets }, (_, i) => `b${i}: demo/mini`).join(", ")} } }`)
      .router.cutPoints

  it("cuts evenly where no cut points are given, but for the four usual buckets", () => {
    assert.deepStrictEqual(cutPoints(1), [])
    assert.deepStrictEqual(cutPoints(2), [0.5])
    assert.deepStrictEqual(cutPoints(4), [0.35, 0.65, 0.85])
    assert.deepStrictEqual(cutPoints(5), [0.2, 0.4, 0.6, 0.8])
  })

  it("takes an empty list of cut points for a single bucket", () => {
    assert.deepStrictEqual(settingsOf("router: { buckets: { only: demo/mini }, cut_points: [] }").router, {
      buckets: [{ name: "only", deployments: ["demo/mini"] }],
      cutPoints: [],
      preferShift: 0.15,
      model: undefined,
      shadow: false
    })
  })

  it("keeps the order of the file, numbers as names included", () => {
    const buckets = settingsOf("router: { buckets: { 3: demo/mini, high: demo/mini, 1: demo/mini } }").router.buckets
    assert.deepStrictEqual(
      buckets.map((bucket) => bucket.name),
      ["3", "high", "1"]
    )
    const toml = parse(
      `master_key = "\${GATEWAY_MASTER_KEY}"\nproviders.demo.vendor = "demo"\nrouter.buckets.3 = ["demo/mini"]\nrouter.buckets.1 = ["demo/mini"]`,
      { file: "gateway.toml" }
    )
    assert.deepStrictEqual(
      Result.getOrThrow(toml).router.buckets.map((bucket) => bucket.name),
      ["3", "1"]
    )
  })

  it("wants one cut point between each two buckets, ascending, inside 0 and 1", () => {
    const problems = (points: string) =>
      problemsOf(withBasics(`router: { cut_points: ${points}, buckets: { a: demo/mini, b: demo/mini, c: demo/mini } }`))
    const needed = "2 ascending numbers between 0 and 1: one between each two buckets (a, b, c)"
    assert.deepStrictEqual(problems("[0.5]"), [
      `gateway.yaml:4:23 router.cut_points: 1 cut point where there must be ${needed}`
    ])
    assert.deepStrictEqual(problems("0.5"), [`gateway.yaml:4:23 router.cut_points: a number is not ${needed}`])
    assert.deepStrictEqual(problems("[0.5, 0.5]"), ["gateway.yaml:4:23 router.cut_points: cut points must ascend"])
    assert.deepStrictEqual(problems("[0, 0.5]"), [
      "gateway.yaml:4:24 router.cut_points[0]: 0 is not a number between 0 and 1"
    ])
    assert.deepStrictEqual(problems("[0.2, 0.4]"), [])
  })

  it("wants at least one bucket", () => {
    assert.deepStrictEqual(problemsOf(withBasics("router: { buckets: {} }")), [
      "gateway.yaml:4:20 router.buckets: there must be at least one bucket"
    ])
  })

  it("reads how far callers move the cut points, a model beside the file, and shadow", () => {
    const { router } = settingsOf("router: { prefer_shift: 0.05, model: ./models/my-router.json, shadow: true }")
    assert.deepInclude(router, { preferShift: 0.05, model: "models/my-router.json", shadow: true })
    assert.strictEqual(settingsOf("router: { prefer_shift: 0 }").router.preferShift, 0)
    assert.strictEqual(settingsOf("router: { model: /srv/my-router.json }").router.model, "/srv/my-router.json")
  })

  it("takes a model that ships by its name, and no name that is none", () => {
    assert.strictEqual(settingsOf("router: { model: builtin@1 }").router.model, "builtin@1")
    assert.deepStrictEqual(problemsOf(withBasics("router: { model: builtin@7 }")), [
      'gateway.yaml:4:18 router.model: no model "builtin@7" ships with this release; there are builtin@1, builtin@2'
    ])
  })

  it("says what is wrong with them", () => {
    assert.deepStrictEqual(problemsOf(withBasics("router: { prefer_shift: 0.6, model: [], shadow: perhaps }")), [
      "gateway.yaml:4:25 router.prefer_shift: 0.6 is not a number from 0 to 0.5",
      "gateway.yaml:4:37 router.model: a list is not the path of a model file, as `model-gateway router train` writes it",
      'gateway.yaml:4:49 router.shadow: "perhaps" is not true or false'
    ])
  })

  it("keeps of prompts what it is told to, and knows no other word for it", () => {
    const keep = (value: string) => withBasics(`router: { buckets: { a: demo/mini }, keep_prompts: ${value} }`)
    for (const value of ["off", "features", "text"] as const) {
      const settings = Result.getOrThrowWith(parse(keep(value)), (invalid) => invalid)
      assert.strictEqual(settings.router.keepPrompts, value)
    }
    assert.isUndefined(settingsOf("router: { buckets: { a: demo/mini } }").router.keepPrompts)
    const [problem] = problemsOf(keep("all"))
    assert.match(String(problem), /router\.keep_prompts: .*off, features, text/)
  })
})
