/** The vendors' files of the model catalogue, and the file that is shipped, which is made of them. */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { Result, Schema, SchemaIssue } from "effect"
import {
  type CatalogueFile,
  CatalogueFile as Catalogue,
  SCHEMA,
  VendorFile
} from "../../packages/gateway/src/core/domain/models/CatalogueFormat.ts"
import { checkedCatalogue } from "../../packages/gateway/src/providers/catalogue/facts/ReadCatalogue.ts"

const root = join(import.meta.dirname, "..", "..")
export const FOLDER = join(root, "packages/gateway/catalogue")
export const SHIPPED = join(root, "packages/gateway/assets/catalogue.json")
export const JSON_SCHEMA = join(FOLDER, "catalogue.schema.json")

export const vendorFiles = (): ReadonlyArray<string> =>
  readdirSync(join(FOLDER, "vendors"))
    .filter((name) => name.endsWith(".json"))
    .sort()
    .map((name) => join(FOLDER, "vendors", name))

const decodeVendor = Schema.decodeUnknownResult(VendorFile, { errors: "all", onExcessProperty: "error" })
const format = SchemaIssue.makeFormatterDefault()

const readJson = (file: string): unknown => JSON.parse(readFileSync(file, "utf8"))

/** Throws where a file is wrong. */
export const readVendor = (file: string): VendorFile => {
  const decoded = decodeVendor(readJson(file))
  if (Result.isFailure(decoded)) throw new Error(`${file}: ${format(decoded.failure.issue)}`)
  return decoded.success
}

/** The catalogue that the vendors' files make. Throws where one is wrong. */
export const builtCatalogue = (): CatalogueFile => {
  const { made, version } = readJson(join(FOLDER, "version.json")) as {
    readonly made: string
    readonly version: string
  }
  const vendors = vendorFiles().map(readVendor)
  const traits = vendors.flatMap((one) => Object.entries(one.traits ?? {}))
  const twice = traits.find(([name], index) => traits.findIndex(([other]) => other === name) !== index)
  if (twice !== undefined) throw new Error(`two files have the trait ${twice[0]}`)
  const file = {
    schema: SCHEMA,
    version,
    made,
    traits: Object.fromEntries(traits),
    models: Object.fromEntries(
      vendors.flatMap(({ models = {}, vendor }) => Object.entries(models).map(([id, one]) => [`${vendor}/${id}`, one]))
    ),
    globs: vendors.flatMap(({ globs = [] }) => globs),
    // Of a vendor's models before those of everybody's.
    kinds: vendors
      .toSorted((a, b) => Number(a.vendor === "*") - Number(b.vendor === "*"))
      .flatMap(({ kinds = [] }) => kinds),
    resold: Object.fromEntries(
      vendors.flatMap(({ resold, vendor }) => (resold === undefined ? [] : [[vendor, resold]]))
    ),
    starters: Object.fromEntries(
      vendors.flatMap(({ starters, vendor }) => (starters === undefined ? [] : [[vendor, starters]]))
    )
  }
  const checked = checkedCatalogue(file)
  if (Result.isFailure(checked)) throw new Error(checked.failure.problems.join("\n"))
  return checked.success
}

/** Keys of `traits`, `models` and `resold` in order; a model a line. */
export const shippedText = (file: CatalogueFile): string => {
  const lines = (entries: object, close: string) =>
    Object.entries(entries)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`)
      .join(",\n") + `\n${close}`
  const { globs = [], kinds = [], made, models, resold = {}, schema, starters = {}, traits = {}, version } = file
  return [
    `{"schema":${JSON.stringify(schema)},"version":${JSON.stringify(version)},"made":${JSON.stringify(made)},`,
    `"traits":{\n${lines(traits, "}")},`,
    `"models":{\n${lines(models, "}")},`,
    `"globs":[\n${globs.map((one) => JSON.stringify(one)).join(",\n")}\n],`,
    `"kinds":[\n${kinds.map((one) => JSON.stringify(one)).join(",\n")}\n],`,
    `"resold":{\n${lines(resold, "}")},`,
    `"starters":{\n${lines(starters, "}")}}\n`
  ].join("\n")
}

const WIDTH = 140

/** A value on one line where it fits, else a key or an element a line. */
export const printed = (value: unknown, indent = ""): string => {
  const plain = oneLine(value)
  if (typeof value !== "object" || value === null || indent.length + plain.length <= WIDTH) return plain
  const inner = `${indent}  `
  if (Array.isArray(value)) return `[\n${value.map((one) => inner + printed(one, inner)).join(",\n")}\n${indent}]`
  const fields = Object.entries(value).map(([key, one]) => `${inner}${JSON.stringify(key)}: ${printed(one, inner)}`)
  return `{\n${fields.join(",\n")}\n${indent}}`
}

const oneLine = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(oneLine).join(", ")}]`
  if (typeof value !== "object" || value === null) return JSON.stringify(value)
  const fields = Object.entries(value).map(([key, one]) => `${JSON.stringify(key)}: ${oneLine(one)}`)
  return fields.length === 0 ? "{}" : `{ ${fields.join(", ")} }`
}

const FIRST = ["vendor", "is", "match", "of", "from", "schema"]

/** Models and traits by name; fields by name, but for those that say what a thing is. */
export const sorted = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== "object" || value === null) return value
  const rank = (key: string) => (FIRST.includes(key) ? `0${key}` : `1${key}`)
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (rank(a) < rank(b) ? -1 : 1))
      .map(([key, one]) => [key, sorted(one)])
  )
}

export const jsonSchemaText = (): string => {
  const { definitions, schema } = Schema.toJsonSchemaDocument(Catalogue, { onExcessProperty: "error" })
  return `${printed({ $schema: "https://json-schema.org/draft/2020-12/schema", ...schema, $defs: definitions })}\n`
}
