import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { gunzipSync } from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import { Ajv2020 } from "ajv/dist/2020.js"
import addFormats from "ajv-formats"
import { fillSchema, DemoHints } from "../../../../src/providers/demo/chat/DemoFillSchema.ts"

const ajv = new Ajv2020({ strict: false, validateSchema: false, logger: false })
addFormats.default(ajv)

const fill = (schema: unknown, prompt = ""): unknown => fillSchema(schema, new DemoHints(prompt))

const assertFits = (schema: object | boolean): unknown => {
  const value = fill(schema)
  const fits = ajv.compile(schema)
  assert.isTrue(fits(value), `${JSON.stringify(schema)} → ${JSON.stringify(value)}: ${ajv.errorsText(fits.errors)}`)
  return value
}

const node = {
  type: "object",
  properties: { value: { type: "integer" }, next: { $ref: "#/$defs/node" } },
  required: ["value"]
}

const schemas: ReadonlyArray<object> = [
  { type: "string" },
  { type: "string", minLength: 30 },
  { type: "string", maxLength: 3 },
  { type: "string", pattern: "^[A-Z]{3}$" },
  { type: "string", pattern: "^\\d{4}-\\d{2}-\\d{2}$" },
  ...["date-time", "date", "time", "email", "uri", "uuid", "ipv4", "ipv6", "hostname", "duration"].map((format) => ({
    type: "string",
    format
  })),
  { type: "integer", minimum: 10 },
  { type: "integer", exclusiveMinimum: 10, exclusiveMaximum: 12 },
  { type: "integer", minimum: 7, multipleOf: 5 },
  { type: "integer", maximum: -3 },
  { type: "number", exclusiveMinimum: 0, exclusiveMaximum: 1 },
  { type: "number", minimum: 0.2, maximum: 0.3 },
  { type: "boolean" },
  { type: "null" },
  { type: ["null", "integer"] },
  { const: { a: 1 } },
  { enum: [3, "x", null] },
  { type: "array", items: { type: "string" }, minItems: 3, uniqueItems: true },
  { type: "array", items: { type: "integer", minimum: 5 }, minItems: 3, uniqueItems: true },
  { type: "array", items: { enum: ["a", "b", "c"] }, minItems: 3, uniqueItems: true },
  { type: "array", prefixItems: [{ type: "string" }, { type: "number" }], items: false, minItems: 2 },
  { type: "array", items: { type: "string" }, maxItems: 0 },
  { anyOf: [{ type: "null" }, { type: "object", properties: { a: { type: "number" } }, required: ["a"] }] },
  { oneOf: [{ type: "object", properties: { kind: { const: "cat" } }, required: ["kind"] }, { type: "string" }] },
  {
    allOf: [
      { properties: { a: { type: "string" } }, required: ["a"] },
      { properties: { b: { type: "integer" } }, required: ["b"] }
    ]
  },
  { $ref: "#/$defs/a~1b", $defs: { "a/b": { type: "integer" } } },
  {
    type: "object",
    properties: { to: { $ref: "#/definitions/city" } },
    definitions: { city: { enum: ["Rome"] } },
    required: ["to"]
  },
  { $ref: "#/$defs/node", $defs: { node } },
  { type: "object", properties: { items: { type: "array", items: { $ref: "#" } } }, required: ["items"] },
  { type: "object", additionalProperties: { type: "integer" }, required: ["x", "y"] }
]

describe("fillSchema", () => {
  it("fits the schema, whatever its keywords", () => {
    for (const schema of schemas) assertFits(schema)
  })

  it("prefers something to null, and what the prompt offers to anything", () => {
    assert.strictEqual(fill({ anyOf: [{ type: "null" }, { type: "integer" }] }), 1)
    const schema = {
      type: "object",
      properties: {
        unit: { enum: ["celsius", "fahrenheit"] },
        place: { type: "string" },
        days: { type: "integer" },
        share: { type: "number", maximum: 1 }
      }
    }
    assert.deepStrictEqual(fill(schema, "Give me Fahrenheit for 14 days, 0.5 of them in New York, please"), {
      unit: "fahrenheit",
      place: "New York",
      days: 14,
      share: 0.5
    })
    assert.strictEqual(fill({ type: "string" }, 'Search for "red shoes" now'), "red shoes")
    assert.strictEqual(fill({ type: "string", format: "date" }, 'On "Monday"'), "2026-01-15")
  })

  it("takes the name __proto__ for a name", () => {
    const value = fill(JSON.parse('{"type":"object","properties":{"__proto__":{"type":"string"}}}'))
    assert.strictEqual(JSON.stringify(value), '{"__proto__":"example"}')
  })

  it("endless, contradictory and dangling schemas come to an end", () => {
    assert.isUndefined(fill(false))
    assert.isUndefined(
      fill({ $ref: "#/$defs/a", $defs: { a: { required: ["a"], properties: { a: { $ref: "#/$defs/a" } } } } })
    )
    assert.strictEqual(fill({ $ref: "#/nowhere" }), "example")
    assert.strictEqual(fill({ $ref: "https://example.com/schema" }), "example")
    fill({ $ref: "#" })
    const wide = { type: "object", properties: {} as Record<string, unknown> }
    for (let index = 0; index < 60; index++) wide.properties[`p${index}`] = { $ref: "#" }
    fill(wide)
    assert.isUndefined(fill({ type: "array", items: { type: "string" }, minItems: 1e9 }))
    fill({ type: "string", pattern: "(((((" })
  })
})

const data = join(
  process.env["GATEWAY_DATA"] ?? join(import.meta.dirname, "../../../../../../shared/data"),
  "transcripts"
)

interface RecordedTool {
  readonly function?: { readonly parameters?: unknown }
  readonly parameters?: unknown
  readonly input_schema?: unknown
}

/** Parameter and response schemas of recorded requests. */
const recorded = (): ReadonlyArray<object> => {
  const found = new Map<string, object>()
  for (const file of readdirSync(data).filter((name) => name.endsWith(".jsonl.gz"))) {
    for (const line of gunzipSync(readFileSync(join(data, file)))
      .toString()
      .split("\n")) {
      if (line === "") continue
      const body = JSON.parse(line).req.body
      const tools = Array.isArray(body?.tools) ? body.tools : []
      const all = tools.map((one: RecordedTool) => one.function?.parameters ?? one.parameters ?? one.input_schema)
      all.push(body?.response_format?.json_schema?.schema, body?.text?.format?.schema)
      for (const schema of all) {
        if (typeof schema === "object" && schema !== null) found.set(JSON.stringify(schema), schema)
      }
    }
  }
  return [...found.values()]
}

describe.skipIf(!existsSync(data))("fillSchema on recorded schemas (skipped without GATEWAY_DATA)", () => {
  it("fits every one of them", () => {
    const all = recorded()
    assert.isAbove(all.length, 80)
    for (const schema of all) assertFits(schema)
  })
})
