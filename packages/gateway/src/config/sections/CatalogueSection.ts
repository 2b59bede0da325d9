/** `catalogue`: facts about models besides the file that ships. */
import { dirname, join } from "node:path"
import { Result, Schema, SchemaIssue } from "effect"
import { ConfiguredModel } from "../../core/domain/models/CatalogueFormat.ts"
import type { CatalogueSettings } from "../../core/domain/Settings.ts"
import { FilledIn, refuse, DecodedTable, type Telling } from "../Decode.ts"
import { beside } from "../Paths.ts"
import { group, or, readBy, text } from "../SettingValues.ts"

type Models = CatalogueSettings["models"]

const decode = Schema.decodeUnknownResult(Schema.Record(Schema.String, ConfiguredModel), {
  errors: "all",
  onExcessProperty: "error"
})

const issuesOf = SchemaIssue.makeFormatterStandardSchemaV1()

/** Lists, groups and days as JSON has them. */
const plainOf = (written: unknown): unknown => {
  if (written instanceof DecodedTable)
    return Object.fromEntries(written.entries.map(([key, value]) => [key, plainOf(value)]))
  if (written instanceof FilledIn) return written.text
  if (written instanceof Date) return written.toISOString().slice(0, 10)
  return Array.isArray(written) ? written.map(plainOf) : written
}

const NAME = /^[^/\s]+\/\S+$/

const whyNot = (models: unknown): Telling | undefined => {
  const allowed = "models by vendor/id, each with facts of the catalogue (docs/catalogue.md)"
  if (typeof models !== "object" || models === null || Array.isArray(models))
    return () => ({ message: `this is not ${allowed}`, allowed })
  const name = Object.keys(models).find((key) => !NAME.test(key))
  if (name !== undefined) {
    return () => ({
      message: `${JSON.stringify(name)} is not a model: write vendor/id, or a glob such as vllm/our-*`,
      allowed
    })
  }
  const decoded = decode(models)
  if (Result.isSuccess(decoded)) return undefined
  const [first] = issuesOf(decoded.failure.issue).issues
  const path = (first?.path ?? []).map((part) => String(typeof part === "object" ? part.key : part)).join(" → ")
  return () => ({ message: `${path}: ${first?.message}`, allowed })
}

export const Catalogue = group({
  file: Schema.optionalKey(text("the path of a catalogue file")),
  models: readBy((written) => (written === null ? {} : plainOf(written)), Schema.Unknown.check(refuse(whyNot))).pipe(
    or({})
  )
})

/** Relative paths count from the folder of `file`; the usual place is beside the store. */
export const catalogueSettings = (
  { file: named, models }: typeof Catalogue.Type,
  file: string,
  sqlite: string
): CatalogueSettings => {
  const folder = sqlite === ":memory:" ? dirname(file) : dirname(sqlite)
  const good = (name: string) => (sqlite === ":memory:" ? undefined : join(folder, name))
  return {
    file: named === undefined ? join(folder, "catalogue.json") : beside(file, named),
    isNamed: named !== undefined,
    lastGood: good("catalogue.good.json"),
    learnt: { file: join(folder, "catalogue.learnt.json"), lastGood: good("catalogue.learnt.good.json") },
    models: models as Models
  }
}
