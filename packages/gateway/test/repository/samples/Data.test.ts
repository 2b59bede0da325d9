/** Samples of configurations are what the gateway takes; JSON is JSON; settings of clients are those that `connect` prints. */
import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { ErrorBody } from "@model-gateway/protocol"
import { Result, Schema } from "effect"
import { Ajv } from "ajv"
import { parse, stringify } from "yaml"
import { parseSettings } from "../../../src/config/ParseSettings.ts"
import { tools } from "../../../../model-gateway/src/connect/ConnectedTools.ts"
import { knownVendors } from "../../../src/providers/vendors/Vendors.ts"
import { certificates } from "../../support/Certificates.ts"
import { root } from "../../support/DocumentFiles.ts"
import { ADDRESS, languages, type Sample, samplesIn } from "./Samples.ts"

/** What a sample leaves out because it is about something else. */
const around: Readonly<Record<string, string>> = {
  master_key: "master_key: ${GATEWAY_MASTER_KEY}",
  providers: `providers: { demo: { vendor: demo }, openai: { api_key: "\${A}" }, anthropic: { api_key: "\${B}" } }`,
  deployments: "deployments: [demo/mini, openai/gpt-5-mini]"
}

/** Parts of a deployment that are shown alone. */
const parts: Readonly<Record<string, (sample: string) => string>> = {
  price: (sample) => `deployments:\n  - provider: openai\n    model: gpt-5-mini\n${sample.replaceAll(/^/gm, "    ")}`
}

const topOf = (code: string): ReadonlyArray<string> =>
  Array.from(code.matchAll(/^([a-z_]+):/gm), ([, name = ""]) => name)

const whole = (code: string): string => {
  const [first = ""] = topOf(code)
  const text = parts[first]?.(code) ?? code
  const there = topOf(text)
  return [...Object.entries(around).flatMap(([name, line]) => (there.includes(name) ? [] : [line])), text].join("\n")
}

/** Every variable has a value of its own, long enough for a key. */
const environmentOf = (text: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Array.from(text.matchAll(/\$\{(\w+)/g), ([, name = ""]) => [
      name,
      createHash("sha256").update(name).digest("base64url")
    ])
  )

const DATABASE_URL = "postgres://gateway@db.example.com:5432/gateway"

const fileNamed = (name: string): string => {
  const known = name.endsWith(".pem") ? "server.pem" : name.endsWith(".key") ? "server.key" : undefined
  return known === undefined ? "from a file" : readFileSync(join(certificates, known), "utf8")
}

const problemsOf = (code: string): unknown => {
  const text = whole(code)
  const settings = parseSettings(text, {
    file: "gateway.yaml",
    vendors: knownVendors,
    environment: { ...environmentOf(text), AWS_REGION: "eu-central-1", ADMIN_PORT: "4101", DATABASE_URL },
    readFile: (name) => Result.succeed(fileNamed(name))
  })
  return Result.isFailure(settings) ? settings.failure : undefined
}

const isPrometheus = ({ code }: Sample): boolean => code.includes("expr:")

const isScrape = ({ code }: Sample): boolean => topOf(code).includes("scrape_configs")

/** Values of the chart: the configuration is one of them. */
const isChart = ({ code }: Sample): boolean => topOf(code).includes("config")

const valuesAre = new Ajv({ strict: false, allowUnionTypes: true }).compile(
  JSON.parse(readFileSync(join(root, "packages/deploy/chart/values.schema.json"), "utf8"))
)

describe("the samples", () => {
  it("are in languages that a test knows", () => {
    assert.sameMembers([...languages], ["sh", "ts", "python", "go", "yaml", "json", "toml", "sql"])
  })
})

describe("the configurations", () => {
  it("of a scraper name a job, the file of the key and an address", () => {
    for (const { code } of samplesIn("yaml").filter(isScrape)) {
      const [{ authorization, job_name, static_configs }] = parse(code).scrape_configs
      assert.isString(job_name)
      assert.hasAllKeys(authorization, ["credentials_file"])
      assert.match(static_configs[0].targets[0], /:4100$/)
    }
  })

  for (const { code, place } of samplesIn("yaml").filter(
    (one) => !isPrometheus(one) && !isScrape(one) && !isChart(one)
  )) {
    it(`${place} is taken`, () => assert.isUndefined(problemsOf(code)))
  }

  it("would be refused with a field that there is not", () => {
    assert.isDefined(problemsOf("server: { max_body_gb: 1 }"))
    assert.isDefined(problemsOf("price: { input: 1 }"))
  })

  it("of the chart are values that it takes, and a configuration that the gateway takes", () => {
    const samples = samplesIn("yaml").filter(isChart)
    assert.isAbove(samples.length, 0)
    for (const { code, place } of samples) {
      const values = parse(code.replaceAll("sha256:…", `sha256:${"0".repeat(64)}`))
      assert.isTrue(valuesAre(values), `${place}: ${JSON.stringify(valuesAre.errors)}`)
      assert.isUndefined(problemsOf(stringify(values.config)), place)
    }
  })

  it("of Prometheus are lists of alerts", () => {
    const samples = samplesIn("yaml").filter(isPrometheus)
    assert.isAbove(samples.length, 0)
    for (const { code } of samples) for (const rule of parse(code)) assert.containsAllKeys(rule, ["alert", "expr"])
  })
})

describe("SQL", () => {
  // A server of one's own would have to be changed for more.
  for (const { code, place } of samplesIn("sql")) {
    it(`${place} is whole statements`, () => assert.match(code.trim(), /^(?:--|[A-Z]+ )[^]*;(?:\s*--.*)?$/))
  }
})

describe("JSON", () => {
  for (const { code, document, place } of samplesIn("json")) {
    it(`${place} is JSON`, () => {
      const value: unknown = JSON.parse(code)
      assert.isObject(value)
      if (document === "docs/errors.md") assert.isTrue(Schema.is(ErrorBody)(value))
    })
  }
})

describe("what `connect` prints is what the pages show", () => {
  const target = { url: ADDRESS, model: "auto", contextWindow: null, maxOutputTokens: null }
  const pages = {
    codex: "docs/clients/codex.md",
    "claude-code": "docs/clients/claude-code.md",
    "ai-sdk": "docs/clients/ai-sdk.md"
  }
  for (const [name, page] of Object.entries(pages)) {
    it(`of ${name}`, () => {
      const printed = tools
        .find((tool) => tool.name === name)
        ?.write(target)
        .trim()
      const shown = ["toml", "sh", "ts"].flatMap(samplesIn).filter(({ document }) => document === page)
      // A shell takes the address with quotes and without.
      const plain = (text = "") => text.trim().replaceAll("'", "")
      assert.include(
        shown.map(({ code }) => plain(code)),
        plain(printed)
      )
    })
  }
})
