/** The values of the chart: what is a value, and what is none. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Ajv } from "ajv"
import { SchemaAST } from "effect"
import { parse } from "yaml"
import { configFile } from "../../gateway/src/config/ConfigFile.ts"
import { goldens } from "../acceptance/Chart.ts"
import { readmeOf, vendorsOf } from "../acceptance/Made.ts"

const chart = join(import.meta.dirname, "..", "chart")
const read = (...path: ReadonlyArray<string>) => readFileSync(join(chart, ...path), "utf8")
const schema = JSON.parse(read("values.schema.json"))
const validate = new Ajv({ allErrors: true, strict: false, allowUnionTypes: true }).compile(schema)

const refused = (values: object): string => {
  assert.isFalse(validate(values), JSON.stringify(values))
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`).join("; ")
}

interface Field {
  readonly type?: unknown
  readonly properties?: Readonly<Record<string, Field>>
  readonly additionalProperties?: unknown
  readonly items?: Field
  readonly description?: string
}

/** Every group of fields in a schema, with where it is. */
const groups = (field: Field, path: string): ReadonlyArray<readonly [string, Field]> => [
  ...(field.properties === undefined ? [] : [[path, field] as const]),
  ...Object.entries(field.properties ?? {}).flatMap(([name, inner]) => groups(inner, `${path}.${name}`)),
  ...(field.items === undefined ? [] : groups(field.items, `${path}[]`))
]

describe("the values of the chart", () => {
  it("have defaults that their schema takes, and so are those of every golden manifest", () => {
    assert.isTrue(validate(parse(read("values.yaml"))), JSON.stringify(validate.errors))
    for (const { values } of goldens()) {
      assert.isTrue(validate(parse(readFileSync(values, "utf8"))), `${values} ${JSON.stringify(validate.errors)}`)
    }
  })

  it("are closed at every level, but where the gateway or Kubernetes say what there is", () => {
    const open = groups(schema, "")
      .filter(([, field]) => field.additionalProperties !== false)
      .map(([path]) => path)
    assert.deepStrictEqual(open, [".config.server", ".extraEnv[]"])
  })

  it("know the sections of the configuration file, no more and no fewer", () => {
    const { ast } = configFile({ providers: [], buckets: undefined }, [])
    assert.isTrue(SchemaAST.isObjects(ast))
    const sections = SchemaAST.isObjects(ast) ? ast.propertySignatures.map(({ name }) => name) : []
    assert.sameMembers(Object.keys(schema.properties.config.properties), sections)
  })

  it.each([
    [{ replica: 1 }, /additional/],
    [{ image: { repo: "x" } }, /image.*additional/],
    [{ replicas: 0 }, /replicas.*>= 1/],
    [{ replicas: "3" }, /replicas.*integer/],
    [{ image: { digest: "sha256:abc" } }, /digest.*pattern/],
    [{ image: { repository: "host/name@sha256:0" } }, /repository.*pattern/],
    [{ config: { provider: {} } }, /config.*additional/],
    [{ config: { server: { shutdown_grace: 300 } } }, /shutdown_grace.*string/],
    [{ config: { server: { shutdown_grace: "5 minutes" } } }, /shutdown_grace.*pattern/],
    [{ providerKeys: { "openai-key": "x" } }, /providerKeys/],
    [{ providerKeys: { OPENAI_API_KEY: "" } }, /fewer than 1/],
    [{ masterKey: { value: "0123456789abcdef0123456789abcdef" } }, /masterKey.*additional/],
    [{ persistence: { accessMode: "ReadWriteMany" } }, /accessMode/],
    [{ persistence: { size: "ten" } }, /size.*pattern/],
    [{ service: { port: 0 } }, /port.*>= 1/],
    [{ ingress: { hosts: [{ name: "gateway.example.com" }] } }, /hosts.*required|additional/],
    [{ ingress: { hosts: ["gateway.example.com"] } }, /hosts.*object/],
    [{ podLabels: { tier: 1 } }, /podLabels.*string/]
  ])("refuse %j", (values, why) => {
    assert.match(refused(values), why)
  })
})

describe("what is made of others' words", () => {
  it("has the vendors that `init` knows, with their models", () => {
    assert.strictEqual(read("files", "vendors.yaml"), vendorsOf(), "`npm run deploy:files` writes it")
  })

  it("has a table with every value", () => {
    assert.strictEqual(read("README.md"), readmeOf(), "`npm run deploy:files` writes it")
    for (const [, row] of readmeOf().matchAll(/^\| (`.*)$/gm)) assert.notMatch(row ?? "", /undefined|\|\s*\|$/)
  })
})
