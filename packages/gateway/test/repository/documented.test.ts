/** What an operator can set and watch is in the documents, and the documents name nothing that there is not. */
import { readdirSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { Metrics } from "@model-gateway/protocol"
import { fields } from "../../../model-gateway/src/telemetry/logs/LogFields.ts"
import { readDocument, servedDocuments } from "../support/DocumentFiles.ts"
import { parse } from "yaml"

const sections = join(import.meta.dirname, "../../src/config/sections")
const documents = new Map(servedDocuments.map((name) => [name, readDocument(name)]))
const all = [...documents.values()].join("\n")

/** The names of all fields in a schema, however deep. */
const fieldsOf = (schema: unknown): ReadonlySet<string> => {
  const found = new Set<string>()
  const seen = new Set<unknown>()
  const visit = (value: unknown): void => {
    if (typeof value !== "object" || value === null || seen.has(value)) return
    seen.add(value)
    if ("propertySignatures" in value && Array.isArray(value.propertySignatures)) {
      for (const { name } of value.propertySignatures) found.add(String(name))
    }
    for (const inner of Object.values(value)) visit(inner)
  }
  visit(Schema.isSchema(schema) ? schema.ast : undefined)
  return found
}

const declared = new Map<string, ReadonlySet<string>>()
for (const file of readdirSync(sections)) {
  const module: Readonly<Record<string, unknown>> = await import(join(sections, file))
  for (const [name, schema] of Object.entries(module)) {
    if (Schema.isSchema(schema)) declared.set(`${file}:${name}`, fieldsOf(schema))
  }
}

describe("the configuration", () => {
  it("has no field that the documents do not name", () => {
    assert.isAbove(declared.size, 5)
    const missing = [...declared].flatMap(([where, found]) =>
      [...found].filter((name) => !new RegExp(`\\b${name}\\b`).test(all)).map((name) => `${where} ${name}`)
    )
    assert.deepStrictEqual(missing, [])
  })

  it("of the documents' samples of a server has no field that there is not", () => {
    const known = new Set(
      [...declared].flatMap(([where, found]) => (/^(?:Server|Failover)Section\.ts/.test(where) ? [...found] : []))
    )
    let samples = 0
    for (const [document, text] of documents) {
      for (const [, sample = ""] of text.matchAll(/^```yaml\n([^]*?)^```/gm)) {
        const tree: unknown = parse(sample)
        if (typeof tree !== "object" || tree === null) continue
        samples++
        for (const [section, value] of Object.entries(tree)) {
          if (!["server", "logs", "store", "receipts", "failover"].includes(section)) continue
          for (const name of Object.keys(value ?? {})) assert.isTrue(known.has(name), `${document}: ${section}.${name}`)
        }
      }
    }
    assert.isAbove(samples, 3)
  })
})

describe("metrics and log fields", () => {
  const page = documents.get("docs/observability.md") ?? ""
  const metrics = new Set(Metrics.definitions.map(({ prometheus }) => prometheus))

  it("of the gateway are in the page, and it names no others", () => {
    for (const name of metrics) assert.include(page, `\`${name}\``)
    const named = new Set(Array.from(page.matchAll(/\b(?:gateway|gen_ai_(?:server|client))_\w+/g), ([name]) => name))
    // A histogram's series are named after it; other names of gen_ai are labels.
    for (const name of named) assert.isTrue(metrics.has(name.replace(/_(bucket|sum|count)$/, "")), name)
  })

  it("that a line may have are in the page", () => {
    for (const name of Object.keys(fields)) assert.include(page, `\`${name}\``)
  })
})
