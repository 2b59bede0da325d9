import { assert, describe, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { Result } from "effect"
import { isMap, isPair, isSeq, parseDocument } from "yaml"
import { reportAsJson, reportAsText } from "../../src/config/ReportView.ts"
import { convert, type Converted } from "../../src/config/Convert.ts"
import { parseSettings } from "../../../gateway/src/config/ParseSettings.ts"
import { spellings, vendorOf } from "../../src/config/LitellmVendors.ts"
import { knownVendors } from "../../../gateway/src/providers/vendors/Vendors.ts"
import { Chance } from "../../../gateway/test/support/Mutate.ts"

const fixture = (name: string): string => readFileSync(join(import.meta.dirname, "fixtures", name), "utf8")

const converted = (text: string): Converted => Result.getOrThrow(convert([{ file: "config.yaml", text }]))

const problemOf = (text: string): string => {
  const result = convert([{ file: "config.yaml", text }])
  return Result.isFailure(result) ? result.failure.message : "no problem"
}

/** With a variable of its own behind each name, as `check` would read it. */
const settingsOf = ({ text, variables }: Converted) => {
  const environment = Object.fromEntries(variables.map((name) => [name, `${name}-value`]))
  const parsed = parseSettings(text ?? "", {
    file: "gateway.yaml",
    vendors: knownVendors,
    environment: {
      ...environment,
      GATEWAY_MASTER_KEY: MASTER,
      LITELLM_MASTER_KEY: MASTER,
      SOME_BASE: "https://x.test/v1"
    },
    readFile: () => Result.fail("no such file")
  })
  return Result.getOrThrow(parsed)
}

const MASTER = "q7Vn2LxW9cRt4YbK8mPz3HsD6fJg1aUe5T"

/** Counted by another parser. */
const leavesIn = (node: unknown): number => {
  if (isMap(node))
    return Math.max(
      1,
      node.items.reduce((sum, pair) => sum + (isPair(pair) ? leavesIn(pair.value) : 0), 0)
    )
  return isSeq(node)
    ? Math.max(
        1,
        node.items.reduce((sum: number, item) => sum + leavesIn(item), 0)
      )
    : 1
}

const model = (params: string, more = ""): string =>
  `model_list:\n  - model_name: m\n    litellm_params: { model: openai/gpt-4o, ${params} }\n${more}`

const saidOf = ({ lines }: Converted, path: string) => lines.find((line) => line.path === path)

describe("convert", () => {
  it.each([
    ["settings.yaml", 200],
    ["constructs.yaml", 290]
  ])("says of every documented setting what stands behind it in %s", (name, least) => {
    const text = fixture(name)
    const rows = text.split("\n")
    const { lines } = converted(text)
    assert.isAtLeast(lines.length, least)
    const wrong = lines.flatMap((line) => {
      const expected = / # (\w+)$/.exec(rows[line.line - 1] ?? "")?.[1]
      return expected === line.outcome || expected === "mixed" ? [] : [`${line.line} ${line.path}: ${line.outcome}`]
    })
    assert.deepStrictEqual(wrong, [])
  })

  it("knows every construct, and what comes out is a configuration that is taken", () => {
    const made = converted(fixture("constructs.yaml"))
    assert.deepStrictEqual(
      made.lines.filter(({ message }) => message === "the import does not know this setting"),
      []
    )
    const { deployments, receipts } = settingsOf(made)
    assert.lengthOf(deployments, 18)
    assert.deepStrictEqual(receipts, { keepMs: 0 })
  })

  it.each(["realtime", "video_generation", "ocr", "search"])(
    "leaves a model of the mode %s out, and says so",
    (mode) => {
      const { lines, text } = converted(
        `${model("api_key: os.environ/K")}  - model_name: x\n    litellm_params: { model: openai/y, api_key: os.environ/K }\n    model_info: { mode: ${mode} }\n`
      )
      assert.notInclude(text, "openai/y")
      assert.include(lines.find(({ path }) => path === "model_list[1].model_name")?.message, `its mode is ${mode}`)
    }
  )

  it("calls an inference profile of Bedrock by its ARN, at the prices of its model", () => {
    const arn = "arn:aws:bedrock:us-east-1:1:application-inference-profile/abc"
    const { text } = converted(
      `model_list:\n  - { model_name: m, litellm_params: { model: bedrock/anthropic.claude-sonnet-4-v1:0, aws_region_name: us-east-1, model_id: "${arn}" } }\n`
    )
    assert.match(text ?? "", new RegExp(`model: ${arn}\\s+base_model: anthropic.claude-sonnet-4-v1:0`))
  })

  it.each([
    ["maximum_spend_logs_retention_period: 7d", "keep: 7d"],
    ["maximum_spend_logs_retention_period: 12h", "keep: 12h"],
    ["disable_spend_logs: true", "keep: off"]
  ])("keeps receipts as long as LiteLLM keeps its rows: %s", (setting, keep) => {
    const { text } = converted(`${model("api_key: os.environ/K")}general_settings: { ${setting} }\n`)
    assert.match(text ?? "", new RegExp(`receipts:\\s+\\{? ?${keep}`))
  })

  it.each(["settings.yaml", "providers.yaml", "constructs.yaml"])(
    "accounts for every value of %s, each at its place",
    (name) => {
      const text = fixture(name)
      const { lines } = converted(text)
      const document = parseDocument(text, { uniqueKeys: false })
      // The anchor is expanded where it is merged: its two values are there once more.
      const expanded = name === "providers.yaml" ? 1 : 0
      assert.strictEqual(lines.length, leavesIn(document.contents) + expanded)
      for (const line of lines) {
        assert.isAbove(line.line, 0)
        assert.notStrictEqual(line.message, "")
      }
    }
  )

  it.each(["settings.yaml", "providers.yaml", "constructs.yaml"])(
    "makes what check accepts of %s, and the same each time",
    (name) => {
      const first = converted(fixture(name))
      assert.isAtLeast(settingsOf(first).deployments.length, 4)
      assert.strictEqual(converted(fixture(name)).text, first.text)
    }
  )

  it("makes the provider, address and key of each kind of model", () => {
    assert.strictEqual(converted(fixture("providers.yaml")).text, fixture("providers.gateway.yaml.txt"))
  })

  it("makes the deployments, aliases and settings of the fixture", () => {
    assert.strictEqual(converted(fixture("settings.yaml")).text, fixture("settings.gateway.yaml.txt"))
  })

  it("shows no secret of the file anywhere", () => {
    const all = JSON.stringify(converted(fixture("providers.yaml")))
    assert.notMatch(
      all.replaceAll(/AWS_SECRET_ACCESS_KEY|AZURE_CLIENT_SECRET|aws_secret_access_key|client_secret/g, ""),
      /SECRET/
    )
  })

  it("knows a vendor for every spelling that it lists", () => {
    for (const prefix of Object.keys(spellings)) assert.isDefined(vendorOf(prefix), prefix)
    assert.isUndefined(vendorOf("demo"))
  })

  it("finds every vendor of the gateway by its own name", () => {
    for (const { name } of knownVendors.filter((one) => one.name !== "demo"))
      assert.strictEqual(vendorOf(name)?.name, name)
  })

  it("takes weights as LiteLLM does: by what the first of a name has", () => {
    const entry = (key: string, share: string) =>
      `  - { model_name: m, litellm_params: { model: openai/x, api_key: os.environ/${key}, ${share} } }\n`
    const weights = (...shares: ReadonlyArray<string>) =>
      settingsOf(
        converted(`model_list:\n${shares.map((share, index) => entry(`K${index}`, share)).join("")}`)
      ).deployments.map((one) => one.weight)
    assert.deepStrictEqual(weights("weight: 2", "weight: 8"), [2, 8])
    assert.deepStrictEqual(weights("rpm: 10", "rpm: 30"), [10, 30])
    assert.deepStrictEqual(weights("tpm: 5000000", "tpm: 10000000"), [500_000, 1_000_000])
    assert.deepStrictEqual(weights("weight: 1, rpm: 5", "rpm: 50"), [1, 0.000001])
    assert.deepStrictEqual(weights("max_retries: 1", "rpm: 50"), [1, 1])
  })

  it("asks fallbacks after the deployments of a name, in both directions, cutting circles", () => {
    const settings = settingsOf(
      converted(
        [
          "model_list:",
          ...["a", "b", "c"].map((name) => `  - { model_name: ${name}, litellm_params: { model: openai/${name}1 } }`),
          "router_settings: { fallbacks: [{ a: [b, a] }, { b: [c] }, { c: [a] }, { '*': [c] }, { nope: [a] }, { a: [{ model: b }] }] }"
        ].join("\n")
      )
    )
    assert.deepStrictEqual(Object.fromEntries(settings.models), {
      a: ["openai/a1", "openai/b1", "openai/c1"],
      b: ["openai/b1", "openai/c1", "openai/a1"],
      c: ["openai/c1", "openai/a1", "openai/b1"]
    })
    assert.strictEqual(settings.failover.attempts, 5)
  })

  it("carries parameters as defaults of the deployment, and nothing that looks like a key", () => {
    const made = converted(
      model(
        'api_key: os.environ/K, temperature: 3, max_tokens: 10, max_completion_tokens: 20, thinking: { type: disabled }, reasoning_effort: high, top_p: 0.5, stream: true, extra_body: { seed: 1, model: x, token: "sk-SECRETabcdef123456", tag: os.environ/TAG }'
      )
    )
    assert.deepStrictEqual(settingsOf(made).deployments[0]?.presets, {
      defaults: { effort: "none", maxTokens: 20, extraBody: { seed: 1, tag: "TAG-value", top_p: 0.5 } },
      fixed: {}
    })
    const outcomes = ["temperature", "max_tokens", "reasoning_effort", "stream", "extra_body.model", "extra_body.token"]
    assert.deepStrictEqual(
      outcomes.map((name) => saidOf(made, `model_list[0].litellm_params.${name}`)?.outcome),
      ["left_out", "not_needed", "not_needed", "left_out", "left_out", "left_out"]
    )
    assert.notInclude(JSON.stringify(made), "SECRET")
  })

  it("carries a wildcard as a deployment of all models, where both names have one *", () => {
    const entry = (name: string, to: string) =>
      `  - { model_name: "${name}", litellm_params: { model: "${to}", api_key: os.environ/K } }\n`
    const made = converted(
      `model_list:\n${entry("openai/*", "openai/*")}${entry("claude-*", "anthropic/claude-*")}${entry("*", "groq/*")}${entry("one", "openai/*")}${entry("*", "*")}`
    )
    const { deployments, models, router } = settingsOf(made)
    assert.deepStrictEqual(
      deployments.map(({ id }) => id),
      ["openai/*", "anthropic/claude-*", "groq/*"]
    )
    assert.deepStrictEqual(Object.fromEntries(models), { "claude-*": ["anthropic/claude-*"], "*": ["groq/*"] })
    assert.deepStrictEqual(router.buckets, [{ name: "standard", deployments: [] }])
    assert.deepStrictEqual(
      made.lines.flatMap(({ outcome, path }) => (outcome === "left_out" ? [path.slice(0, 13)] : [])),
      ["model_list[3]", "model_list[3]", "model_list[3]", "model_list[4]", "model_list[4]", "model_list[4]"]
    )
  })

  it("calls a server of unknown operations for any, unless the mode or the name tells the kind", () => {
    const own = (more: string, name = "x") =>
      converted(
        `model_list:\n  - { model_name: m, litellm_params: { model: openai/${name}, api_base: "http://gpu:8000/v1", api_key: none }${more} }\n`
      ).text
    assert.include(own(""), "operations: any")
    assert.notInclude(own(", model_info: { mode: chat }"), "operations")
    assert.notInclude(own("", "my-tts"), "operations")
    assert.match(own(", model_info: { mode: audio_transcription }") ?? "", /operations:\s*\[ transcriptions \]/)
  })

  it("carries fallbacks that are written out where they are used", () => {
    const made = converted(
      [
        "model_list:",
        "  - { model_name: a, litellm_params: { model: openai/a1, api_key: os.environ/K, fallbacks: [b, { model: groq/c1, api_key: os.environ/G, temperature: 0 }] } }",
        "  - { model_name: b, litellm_params: { model: openai/b1, api_key: os.environ/K } }",
        "router_settings: { fallbacks: [{ b: [{ model: a, temperature: 1 }, { model: mistral/d1, api_key: os.environ/M }] }] }"
      ].join("\n")
    )
    const { deployments, models } = settingsOf(made)
    assert.deepStrictEqual(Object.fromEntries(models), {
      a: ["openai/a1", "openai/b1", "groq/c1", "mistral/d1"],
      b: ["openai/b1", "openai/a1", "mistral/d1", "groq/c1"]
    })
    assert.deepStrictEqual(deployments.find(({ id }) => id === "groq/c1")?.presets?.defaults, { temperature: 0 })
    assert.strictEqual(saidOf(made, "router_settings.fallbacks[0].b[0].temperature")?.outcome, "left_out")
  })

  it("carries fallbacks of names that only a wildcard serves, and regions as tags", () => {
    const made = converted(
      [
        "model_list:",
        '  - { model_name: "*", litellm_params: { model: openai/*, api_key: os.environ/K } }',
        "  - { model_name: a, litellm_params: { model: groq/a1, api_key: os.environ/G, region_name: eu, thinking: { type: adaptive } } }",
        "litellm_settings: { context_window_fallbacks: [{ gpt-5-mini: [gpt-5] }, { a: [gpt-5, a*b] }] }"
      ].join("\n")
    )
    const { deployments, models } = settingsOf(made)
    assert.deepStrictEqual(Object.fromEntries(models), {
      "*": ["openai/*"],
      a: ["groq/a1", "openai/gpt-5"],
      "gpt-5-mini": ["openai/gpt-5-mini", "openai/gpt-5"]
    })
    const one = deployments.find(({ id }) => id === "groq/a1")
    assert.deepStrictEqual([one?.region, one?.presets?.defaults.extraBody], ["eu", { thinking: { type: "adaptive" } }])
  })

  it("reports limits that do not hold any more before everything else", () => {
    const { lines } = converted(
      model(
        "api_key: os.environ/K, rpm: 5, drop_params: true, organization: o",
        "litellm_settings: { max_budget: 10 }\ngeneral_settings: { allowed_ips: [10.0.0.1], master_key: os.environ/M }\n"
      )
    )
    const [, , heading, ...rows] = reportAsText(lines).split("\n")
    assert.match(heading!, /^Limits that do not hold any more/)
    assert.deepStrictEqual(
      rows.slice(0, 3).map((row) => /(rpm|max_budget|allowed_ips)/.exec(row)?.[1]),
      ["rpm", "max_budget", "allowed_ips"]
    )
    assert.strictEqual(rows[3], "")
    assert.strictEqual(JSON.parse(reportAsJson(lines, {})).counts.loosened, 3)
  })

  it("never books what is too small for six decimals as nothing, and needs both prices", () => {
    const small = converted(model("input_cost_per_token: 1e-14, output_cost_per_token: 2e-6"))
    assert.include(small.text, "price: { input: 0.000001, output: 2 }")
    assert.strictEqual(saidOf(small, "model_list[0].litellm_params.input_cost_per_token")?.outcome, "changed")
    for (const one of [
      "input_cost_per_token: 1e-6",
      "input_cost_per_token: x, output_cost_per_token: 1e-6",
      "input_cost_per_token: -1, output_cost_per_token: 1"
    ]) {
      assert.notInclude(converted(model(one)).text, "price:")
    }
  })

  it("takes text in quotes for the numbers and words that it holds, and the last of equal keys", () => {
    const made = converted(
      model('timeout: "30", timeout: "60"', 'litellm_settings: { json_logs: "yes", num_retries: "1" }')
    )
    assert.include(made.text, "timeouts: { total: 60s }")
    assert.include(made.text, "format: json")
    assert.include(made.text, "attempts: 2")
    assert.strictEqual(made.lines.filter(({ path }) => path.endsWith(".timeout")).length, 2)
  })

  it("keeps a plain ${ that is no variable plain, and drops the defaults of variables", () => {
    const made = converted(model('api_key: "${KEY:-sk-SECRETdefault12345}"').replace("openai/gpt-4o", '"openai/a${b"'))
    assert.include(made.text, "${KEY}")
    assert.notInclude(JSON.stringify(made), "SECRET")
    assert.strictEqual(settingsOf(made).deployments[0]?.model, "a${b")
  })

  it("leaves what fits no setting of a vendor to a variable, and drops what is no name of a model", () => {
    const made = converted(
      'model_list: [{ model_name: v, litellm_params: { model: vertex_ai/gemini-2.5-pro, vertex_project: "a b", vertex_location: "*" }, model_info: { base_model: "" } }]'
    )
    assert.include(made.text, 'vertex: { project: "${GOOGLE_CLOUD_PROJECT}", location: "${GOOGLE_CLOUD_LOCATION}" }')
    assert.strictEqual(saidOf(made, "model_list[0].litellm_params.vertex_project")?.outcome, "changed")
    assert.strictEqual(saidOf(made, "model_list[0].model_info.base_model")?.outcome, "left_out")
    assert.strictEqual(settingsOf(made).deployments[0]?.id, "vertex/gemini-2.5-pro")
  })

  it("writes no file of a configuration without a model that it can carry over", () => {
    const made = converted(
      "litellm_settings: { drop_params: true }\nmodel_list: [{ model_name: a, litellm_params: { model: sagemaker/x } }]"
    )
    assert.isUndefined(made.text)
    assert.include(saidOf(made, "model_list[0].litellm_params.model")?.message, "no vendor sagemaker")
  })

  it("takes less than half a second for 338 models", () => {
    const entry = (index: number) =>
      `  - model_name: name-${index % 200}\n    litellm_params: { model: openai/model-${index}, api_key: os.environ/KEY_${index % 7}, rpm: ${index + 1}, timeout: 60 }\n    model_info: { mode: chat, input_cost_per_token: 1e-6, output_cost_per_token: 2e-6 }\n`
    const text = `model_list:\n${Array.from({ length: 338 }, (_, index) => entry(index)).join("")}`
    converted(text)
    const start = process.cpuUsage()
    const made = converted(text)
    const { user, system } = process.cpuUsage(start)
    assert.strictEqual(made.counts.deployments, 338)
    assert.isBelow((user + system) / 1000, 500)
  })
})

describe("convert, of what is no configuration", () => {
  it.each([
    ["", /^config\.yaml: the file is empty/],
    ["# only a comment", /the file is empty/],
    ["- a\n- b", /there are no sections in it/],
    ["just text", /there are no sections in it/],
    ["name: x\nservices: {}", /neither a model_list nor any of its settings/],
    ["model_list:\n  - model_name: {{ name }}", /^config\.yaml:2:\d+: this is a template \({{ … }}\); render it first/],
    ["model_list:\n{% for m in models %}\n  - a\n{% endfor %}", /^config\.yaml:2:1: this is a template/],
    ["model_list: [a", /^config\.yaml:1:\d+: the indentation is off here/],
    ["model_list: &a [*a]", /^config\.yaml:1:\d+: .*(too large or too deep|anchor)/],
    ["model_list: *nowhere", /whose anchor \(&\) does not stand further up/],
    [`model_list: [] #${"x".repeat(5_000_000)}`, /larger than 1 MiB/]
  ])("says what is wrong: %#", (text, message) => {
    const said = problemOf(text)
    assert.match(said, message)
    assert.strictEqual(said.split("\n").length, 1)
  })

  it("reads JSON, which is YAML", () => {
    const made = converted('{"model_list": [{"model_name": "a", "litellm_params": {"model": "openai/gpt-4o"}}]}')
    assert.include(made.text, "a: openai/gpt-4o")
  })
})

describe("a file that was damaged", () => {
  /** What stands in the fixture as a secret; names of variables hold the word, too. */
  const SECRET = /SECRET[a-z]|AKIASECRET|SECRETSECRET/

  it("gives away no secret in what is written or reported, wherever a character is lost, added or another", () => {
    const chance = new Chance(7)
    const text = fixture("providers.yaml")
    const letters = `{}[]:,'"#&*!|>%@\`$ \n-?=/\\x1`
    for (let round = 0; round < 400; round++) {
      let damaged = text
      for (let count = 1 + chance.below(4); count > 0; count--) {
        const at = chance.below(damaged.length)
        const letter = letters.charAt(chance.below(letters.length))
        damaged = damaged.slice(0, at) + chance.pick(["", letter]) + damaged.slice(at + chance.below(3))
      }
      const result = convert([{ file: "config.yaml", text: damaged }])
      const shown = Result.isFailure(result)
        ? JSON.stringify(result.failure)
        : `${result.success.text}${JSON.stringify(result.success.lines)}`
      assert.notMatch(shown, SECRET)
    }
  })

  it.each([
    ["JSON that lost its brace", `vertex_credentials: '"private_key":"SECRETgoogle"}'`],
    ["a credential that is no path", "vertex_credentials: SECRETgoogle"],
    ["a query whose question mark is lost", `vertex_project: p, api_base: "https://example.com/v1/token=SECRETq"`],
    ["a password before a host, broken", `vertex_project: p, api_base: "https://user/SECRETpass@example.com/v1"`]
  ])("asks for a variable in place of %s", (_, params) => {
    const { text = "", lines } = converted(model(`${params}`).replace("openai/gpt-4o", "vertex_ai/gemini-2.5-pro"))
    assert.notMatch(`${text}${JSON.stringify(lines)}`, SECRET)
    assert.match(text, /\$\{(?:GOOGLE|VERTEX)\w*\}/)
  })
})
