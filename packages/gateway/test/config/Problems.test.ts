import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { fixture, parse, problemsOf, withBasics } from "./Support.ts"

describe("problems", () => {
  it("are all told at once, each with its place, what was found and what is allowed", () => {
    assert.deepStrictEqual(
      problemsOf(fixture("everything-wrong.yaml"), { file: "everything-wrong.yaml" }),
      fixture("everything-wrong.txt").trimEnd().split("\n")
    )
  })

  it("have their places in TOML, too", () => {
    assert.deepStrictEqual(
      problemsOf(fixture("wrong.toml"), { file: "wrong.toml" }),
      fixture("wrong.toml.txt").trimEnd().split("\n")
    )
  })

  it("carry their parts for programs", () => {
    const text = withBasics("server: { port: 70000 }\nmodels: { a: demo/mini, auto: demo/mini }")
    const invalid = Result.getOrThrow(Result.flip(parse(text)))
    assert.strictEqual(invalid._tag, "ConfigInvalid")
    assert.deepStrictEqual(
      invalid.problems.map(({ column, file, found, line, path }) => ({ column, file, found, line, path })),
      [
        { file: "gateway.yaml", line: 4, column: 17, path: "server.port", found: "70000" },
        { file: "gateway.yaml", line: 5, column: 25, path: "models.auto", found: '"auto"' }
      ]
    )
    assert.strictEqual(invalid.problems[0]?.allowed, "a whole number from 0 to 65535")
  })

  it("name keys of a list that are the same, and nothing of them", () => {
    const key = "sk-0123456789abcdef"
    assert.deepStrictEqual(
      problemsOf(withBasics("").replace("demo:", `spare: { vendor: openai, api_key: [${key}, sk-x, ${key}] }, demo:`)),
      ["gateway.yaml:2:90 providers.spare.api_key: [2] is the same key as [0]"]
    )
  })

  it("name what `early_keepalive` may be", () => {
    const allowed = "a duration such as 250ms, 60s, 5m or 1h, from 100ms to 24h, or off"
    for (const value of ["true", "soon", "10ms", "2d", "[15s]"]) {
      const [problem] = problemsOf(withBasics(`server: { early_keepalive: ${value} }`))
      assert.include(problem, "server.early_keepalive", value)
      assert.include(problem, allowed, value)
    }
    assert.deepStrictEqual(problemsOf(withBasics("server: { early_keepalive: 15 }")), [
      "gateway.yaml:4:28 server.early_keepalive: 15 has no unit; write 15s or 15ms"
    ])
  })

  it("name what a size of images may be", () => {
    const price = (sizes: string) =>
      `master_key: \${GATEWAY_MASTER_KEY}\nproviders: { demo: }\ndeployments: [{ provider: demo, model: mini, price: { input: 0, output: 0, image_sizes: ${sizes} } }]`
    assert.deepStrictEqual(problemsOf(price("{ 1024x1024: 0.04, hd-1024x1792: 0.12 }")), [])
    const [size] = problemsOf(price("{ large: 1 }"))
    assert.include(size, '"large" is not a size such as 1024x1024 or 2k, or a quality and a size such as hd-1024x1792')
    const [usd] = problemsOf(price("{ 1024x1024: -1 }"))
    assert.include(usd, "a price: USD per image, from 0 to 1000")
  })

  it("say once that something else stands where a group belongs", () => {
    assert.deepStrictEqual(problemsOf("[1, 2]"), ["gateway.yaml:1:1: a list is not a group of fields"])
    assert.deepStrictEqual(problemsOf(withBasics("server: [1]\nrouter: later\nfailover: 3")), [
      "gateway.yaml:4:9 server: a list is not a group of fields",
      "gateway.yaml:5:9 router: text is not a group of fields",
      "gateway.yaml:6:11 failover: a number is not a group of fields"
    ])
    const price = "deployments: [{ provider: demo, model: mini, price: 3 }]"
    assert.deepStrictEqual(problemsOf(`master_key: \${GATEWAY_MASTER_KEY}\nproviders: { demo: }\n${price}`), [
      "gateway.yaml:3:53 deployments[0].price: a number is not a group of fields"
    ])
  })

  it("are not told again of what refers to a thing with a problem", () => {
    const missing = "the environment variable NO_SUCH is not set"
    const text = withBasics('models: { fast: "${NO_SUCH}", quick: fast }\nrouter: { buckets: { a: fast, b: quick } }')
    const problems = problemsOf(
      text.replace("demo: }", 'demo: , spare: "${NO_SUCH}" }').replace("[openai/", "[spare/x, openai/")
    )
    assert.lengthOf(problems, 2)
    assert.include(problems[0], `providers.spare: ${missing}`)
    assert.include(problems[1], `models.fast: ${missing}`)
  })

  it("take no date and nothing filled in for a group", () => {
    const toml = `master_key = "\${GATEWAY_MASTER_KEY}"\nproviders.demo.vendor = "demo"\ndeployments = ["demo/mini"]\n`
    assert.deepStrictEqual(problemsOf(`server = 2026-01-01T00:00:00Z\n${toml}`, { file: "gateway.toml" }), [
      "gateway.toml:1:10 server: a date is not a group of fields"
    ])
    assert.deepStrictEqual(problemsOf(withBasics('logs: "${OPENAI_API_KEY}"')), [
      "gateway.yaml:4:7 logs: text is not a group of fields"
    ])
  })

  it("tell what bounds may be said of a deployment", () => {
    const problems = (bounds: string) =>
      problemsOf(
        `master_key: \${GATEWAY_MASTER_KEY}\nproviders: { demo: }\ndeployments: [{ provider: demo, model: mini, bounds: ${bounds} }]`
      )
    const place = "gateway.yaml:3"
    assert.deepStrictEqual(
      problems("{ image_tokens: 0, page_tokens: 1, reasoning_tokens: 0, tool_calls: 5, tool_tokens: 1 }"),
      []
    )
    assert.deepStrictEqual(problems("5"), [`${place}:54 deployments[0].bounds: a number is not a group of fields`])
    assert.deepStrictEqual(problems("{ tool_calls: 0 }"), [
      `${place}:68 deployments[0].bounds.tool_calls: 0 is not a whole number from 1 to 1000`
    ])
    assert.deepStrictEqual(problems("{ image_tokens: -1 }"), [
      `${place}:70 deployments[0].bounds.image_tokens: -1 is not a whole number from 0 to 1000000000`
    ])
    assert.include(problems("{ image_token: 1 }")[0], 'did you mean "image_tokens"?')
  })

  it("tell what is wrong with a price, wherever in it", () => {
    const text = (price: string) => `master_key: \${GATEWAY_MASTER_KEY}
providers: { demo: }
deployments: [{ provider: demo, model: mini, price: ${price} }]`
    const problem = (price: string) => problemsOf(text(price))
    const place = "deployments[0].price"
    const fine = "input: 1, output: 2"
    assert.deepStrictEqual(
      problem(
        `{ ${fine}, cache_write_1h: 4, audio_input: 3, audio_output: 6, image_input: 1, image_output: 9, image: 0.04, audio_second: 0.0001, character: 15, rerank_unit: 2, request_fee: 5, web_search: 10, file_search: 2.5, code_execution: 1, tiers: [{ above: 200000, input: 2 }, { above: 400000, output: 3 }], flex: { input: 0.5, output: 1 }, priority: { ${fine}, tiers: [{ above: 9, input: 3 }] }, scale: { ${fine} }, batch: { ${fine} } }`
      ),
      []
    )
    assert.deepStrictEqual(problem(`{ ${fine}, web_search: -1 }`), [
      `gateway.yaml:3:88 ${place}.web_search: -1 is not a price: USD per 1,000 calls, from 0 to 1000000, with at most 6 decimals`
    ])
    assert.deepStrictEqual(problem(`{ ${fine}, image: 2000 }`), [
      `gateway.yaml:3:83 ${place}.image: 2000 is not a price: USD per image, from 0 to 1000, with at most 6 decimals`
    ])
    assert.deepStrictEqual(problem(`{ ${fine}, audio_input: free }`), [
      `gateway.yaml:3:89 ${place}.audio_input: "free" is not a price: USD per million tokens, from 0 to 1000000, with at most 6 decimals`
    ])
    assert.include(problem(`{ ${fine}, audio_inputs: 1 }`)[0], 'did you mean "audio_input"?')
    assert.deepStrictEqual(problem(`{ ${fine}, priority: { input: 1 } }`), [
      `gateway.yaml:3:86 ${place}.priority.output: "output" is required: USD per million tokens (0 where there is no output)`
    ])
    assert.include(
      problem(`{ ${fine}, priority: { ${fine}, flex: { ${fine} } } }`)[0],
      `${place}.priority.flex: "flex" is not a field here`
    )
    assert.deepStrictEqual(problem(`{ ${fine}, tiers: [{ input: 1 }] }`), [
      `gateway.yaml:3:84 ${place}.tiers[0].above: "above" is required: input tokens above which it holds`
    ])
    assert.deepStrictEqual(problem(`{ ${fine}, tiers: [{ above: 9 }, { above: 9 }] }`), [
      `gateway.yaml:3:83 ${place}.tiers: tiers must ascend: 9 comes after 9`
    ])
    assert.lengthOf(problem(`{ ${fine}, tiers: [] }`), 1)
    assert.lengthOf(problem(`{ ${fine}, tiers: 3, flex: 4 }`), 2)
  })

  it("name the service tiers that a deployment may have", () => {
    const problems = problemsOf(`master_key: \${GATEWAY_MASTER_KEY}
providers: { demo: }
deployments: [{ provider: demo, model: mini, service_tier: prioritty }]`)
    assert.deepStrictEqual(problems, [
      'gateway.yaml:3:60 deployments[0].service_tier: "prioritty" is not a service tier; did you mean "priority"? (allowed: auto, default, flex, priority)'
    ])
  })

  it("tell what to write for numbers without a unit, and refuse parts of milliseconds and more than a day", () => {
    const problem = (value: string) => problemsOf(withBasics(`failover: { base_delay: ${value} }`))[0]
    const place = "gateway.yaml:4:25 failover.base_delay:"
    const allowed = "a duration such as 250ms, 60s, 5m or 1h, from 0ms to 24h"
    assert.strictEqual(problem("250"), `${place} 250 has no unit; write 250s or 250ms`)
    assert.strictEqual(problem("0.5ms"), `${place} "0.5ms" is not ${allowed}`)
    assert.strictEqual(problem("25h"), `${place} "25h" is not ${allowed}`)
    assert.strictEqual(problem("-1s"), `${place} "-1s" is not ${allowed}`)
    assert.strictEqual(problem(".inf"), `${place} Infinity has no unit`)
    assert.isUndefined(problem("0.25s"))
  })

  it("say what may be stored of responses", () => {
    const problem = (fields: string) => problemsOf(withBasics(`responses: { ${fields} }`))[0]
    assert.deepStrictEqual(
      [problem("store: of"), problem("lifetime: 30"), problem("max_mb: 0"), problem("keep: 30d")],
      [
        'gateway.yaml:4:21 responses.store: "of" is not a choice for stored responses; did you mean "on"? (allowed: on, off)',
        "gateway.yaml:4:24 responses.lifetime: 30 has no unit; write 30d or 30h",
        "gateway.yaml:4:22 responses.max_mb: 0 is not a whole number from 1 to 1048576",
        'gateway.yaml:4:14 responses.keep: "keep" is not a field here (fields: store, lifetime, max_mb, max_mb_per_key)'
      ]
    )
  })

  it("take hours and days for how long receipts are kept", () => {
    const problem = (value: string) => problemsOf(withBasics(`receipts: { keep: ${value} }`))[0]
    const place = "gateway.yaml:4:19 receipts.keep:"
    assert.strictEqual(problem("30"), `${place} 30 has no unit; write 30d or 30h`)
    assert.strictEqual(problem("10s"), `${place} "10s" is not a time such as 12h or 30d, up to 3650d, or off`)
    assert.strictEqual(problem("3651d"), `${place} "3651d" is not a time such as 12h or 30d, up to 3650d, or off`)
    for (const fine of ["12h", "1.5d", "3650d", "0", "off"]) assert.isUndefined(problem(fine), fine)
  })

  it("take numbers for numbers only", () => {
    const problems = (port: string) => problemsOf(withBasics(`server: { port: ${port} }`))
    for (const port of ['"4100"', ".nan", ".inf", "true", "4100.5", "-1", "2026-01-01", "[4100]", "{ a: 1 }"]) {
      assert.lengthOf(problems(port), 1, port)
    }
    assert.lengthOf(problems("0"), 0)
  })
})

describe("secrets", () => {
  const secret = "sk-secret"

  it("are not in the problems of a file in which everything is wrong", () => {
    assert.include(fixture("everything-wrong.yaml"), secret)
    assert.notInclude(problemsOf(fixture("everything-wrong.yaml")).join("\n"), "secret-")
  })

  it("are not in any message, wherever they slipped to and whatever is wrong around them", () => {
    const slips = [
      `providers: { openai: ${secret} }`,
      `providers: { openai:${secret} }`,
      `providers: { openai: { api_key:${secret} } }`,
      `providers: { "openai:${secret}": { hots: 1 } }`,
      `providers: { "openai:${secret}": 1 }`,
      `providers: { openai: { api_kye: ${secret} } }`,
      `providers: { openai: { api_key: { key: ${secret} } } }`,
      `providers: { openai: { api_key: [[${secret}]] } }`,
      `providers: { openai: { api_key: "${secret} " } }`,
      `providers: { openai: { api_key: [${secret}, ${secret}] } }`,
      `providers: { openai: { api_key: ["${secret}\\n"] } }`,
      `providers: { openai: { api_key: none, base_url: ${secret} } }`,
      `providers: { openai: { api_key: none, base_url: "https://x:${secret}@example.com" } }`,
      `providers: { openai: { api_key: none, base_url: "https://example.com/?key=${secret}" } }`,
      `providers: { openai: { api_key: none, base_url: "ftp://${secret}" } }`,
      `master_key: ${secret}`,
      `master_key: [${secret}]`,
      `master_key: "${secret}`,
      `master_key: ${secret}: x`,
      `master_key: { ${secret}`,
      `master_key: *${secret}`,
      `master_key: !${secret} x`,
      `master_key: |${secret}\n  x`,
      `master_key: "${secret} \\q"`,
      `master_key: "\${${secret}}"`,
      `master_key: "\${:-${secret}}"`,
      `master_key: "\${A:-${secret}"`,
      `master_key: "\${A:-${secret}}"`,
      `master_key: {\n${secret}\n`,
      `- ${secret}`,
      secret
    ]
    for (const slip of slips) {
      const problems = problemsOf(slip)
      assert.isNotEmpty(problems, slip)
      assert.notInclude(problems.join("\n"), "secret", slip)
    }
    for (const slip of [`master_key = ${secret}`, `master_key = "${secret}`, `master_key = 2026-99-99T${secret}`]) {
      const problems = problemsOf(slip, { file: "gateway.toml" })
      assert.isNotEmpty(problems, slip)
      assert.notInclude(problems.join("\n"), "secret", slip)
    }
    const json = problemsOf(`{"master_key": '${secret}'}`, { file: "gateway.json" })
    assert.isNotEmpty(json)
    assert.notInclude(json.join("\n"), "secret")
  })

  it("are not in any message when they come from outside into a field that is shown otherwise", () => {
    const filledIn = "${OPENAI_API_KEY}"
    const slips = [
      `server: { host: ok, port: "${filledIn}" }`,
      `server: { shutdown_grace: "${filledIn}" }`,
      `failover: { order: "${filledIn}" }`,
      `models: { a: "${filledIn}", b: nothing }`,
      `models: { a: ["x/${filledIn}"] }`,
      `router: { buckets: { a: "${filledIn}" } }`,
      `store: { synchronous: "pre-${filledIn}" }`
    ]
    for (const slip of slips) {
      const problems = problemsOf(withBasics(slip))
      assert.isNotEmpty(problems, slip)
      assert.notInclude(problems.join("\n"), "secret", slip)
    }
    const deployments = problemsOf(`
master_key: \${GATEWAY_MASTER_KEY}
providers: { demo: }
deployments:
  - "demo/${filledIn}"
  - { provider: demo, model: "${filledIn}" }
  - { provider: "${filledIn}", model: x, id: "${filledIn}" }
  - "${filledIn}/x"
models: { a: unknown }`)
    assert.lengthOf(deployments, 4)
    assert.notInclude(deployments.join("\n"), "secret")
  })
})
