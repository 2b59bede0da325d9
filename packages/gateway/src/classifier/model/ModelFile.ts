/**
 * The file a model is kept in: the default one that ships, and those that an operator trains. What was written by someone else is
 * decoded and refused with what was found and what would be right; what is decoded can be used as it is.
 */
import { Result, Schema, SchemaIssue } from "effect"
import { editionOf, featureSet, namesOf } from "../features/PromptFeatures.ts"
import { TunedPool } from "./Pools.ts"
import { faultOf, Linear, TunedPart } from "./Tuned.ts"

export const FORMAT = "model-gateway-router"
export const VERSION = 1
/** Characters. The model that ships has some 220,000, one that was trained on top of it at most 400,000. */
export const LARGEST = 1_048_576

/** One line of the table that says how good the model is. */
const Measured = Schema.Struct({
  measure: Schema.String,
  value: Schema.Finite,
  /** The middle 95 % of a bootstrap, where one was made. */
  low: Schema.optionalKey(Schema.Finite),
  high: Schema.optionalKey(Schema.Finite),
  /** How many prompts it was measured on. */
  prompts: Schema.optionalKey(Schema.Finite)
})

/** What a reader must know before trusting a model. */
export const TrainingCard = Schema.Struct({
  name: Schema.String,
  /** Of the settings it was trained with: `2026-11-21`. */
  date: Schema.String,
  licence: Schema.String,
  seed: Schema.Finite,
  data: Schema.Array(Schema.Struct({ source: Schema.String, rows: Schema.Finite, licence: Schema.String })),
  evaluation: Schema.Array(Measured),
  weaknesses: Schema.Array(Schema.String)
})
export type TrainingCard = typeof TrainingCard.Type

const isAscending = (values: ReadonlyArray<number>): boolean =>
  values.every((value, index) => index === 0 || value >= values[index - 1]!) && values[0]! < values.at(-1)!

const Quantiles = Schema.Array(Schema.Finite).check(
  Schema.makeFilter((values) =>
    isAscending(values) ? undefined : "Expected at least two numbers in ascending order, the last above the first"
  )
)

export const ModelFile = Schema.Struct({
  format: Schema.Literal(FORMAT),
  version: Schema.Literal(VERSION),
  card: TrainingCard,
  /** The set of features it was trained with, `featureSet`. */
  features: Schema.String,
  linear: Linear,
  /** What many models' answers to public questions taught beside the linear part. Absent where nothing did, as in `builtin@1`. */
  pool: Schema.optionalKey(TunedPool),
  /** What was learnt from an operator's outcomes, on top of both; null in the model that ships. */
  tuned: Schema.NullOr(TunedPart),
  /** Raw scores of the reference mix at equal steps of rank, ascending: the first is the lowest, the last the highest. */
  quantiles: Quantiles
})
export type ModelFile = typeof ModelFile.Type

/** A model file that can't be used. The message says what was found and what would be right. */
export class ModelFileInvalid extends Schema.TaggedError<ModelFileInvalid>()("ModelFileInvalid", {
  message: Schema.String
}) {}

const refuse = (message: string) => Result.fail(new ModelFileInvalid({ message }))

const parse = Schema.decodeUnknownResult(Schema.fromJsonString(Schema.Unknown))
const decodeFields = Schema.decodeUnknownResult(ModelFile)
const issuesOf = SchemaIssue.makeFormatterStandardSchemaV1()
const encodeFields = Schema.encodeSync(Schema.fromJsonString(ModelFile))

export const decodeModelFile = (text: string): Result.Result<ModelFile, ModelFileInvalid> => {
  if (text.length > LARGEST)
    return refuse(`the file has ${text.length} characters; a model file has at most ${LARGEST}`)
  return parse(text).pipe(
    Result.mapError(
      () => new ModelFileInvalid({ message: "the file is no JSON; `model-gateway router train` writes a model file" })
    ),
    Result.flatMap(decodeModel)
  )
}

/** The model in a value that was parsed from JSON already. */
export const decodeModel = (json: unknown): Result.Result<ModelFile, ModelFileInvalid> => {
  if (typeof json !== "object" || json === null || Array.isArray(json)) {
    return refuse(`the file holds ${said(json)}; a model file is an object with \`"format": "${FORMAT}"\``)
  }
  // Asked first, because a file of another kind or time has so many other faults that naming them would hide the one that counts.
  const { features, format, version } = json as Readonly<Record<string, unknown>>
  if (format !== FORMAT) return refuse(`\`format\` is ${said(format)}; a model file of the router has "${FORMAT}"`)
  if (version !== VERSION) return refuse(`\`version\` is ${said(version)}; this release reads version ${VERSION}`)
  if (editionOf(features) === undefined) {
    return refuse(
      `\`features\` is ${said(features)}; this release counts "${featureSet}", so the weights don't fit: train again with \`model-gateway router train\``
    )
  }
  return Result.flatMap(
    Result.mapError(decodeFields(json), ({ issue }) => {
      const first = issuesOf(issue).issues[0]
      const path = (first?.path ?? []).map((step) => String(typeof step === "object" ? step.key : step)).join(".")
      return new ModelFileInvalid({ message: `\`${path}\`: ${first?.message ?? "unexpected"}` })
    }),
    withTheseFeatures
  )
}

const withTheseFeatures = (file: ModelFile): Result.Result<ModelFile, ModelFileInvalid> => {
  const featureNames = namesOf(editionOf(file.features)!)
  const found = file.linear.features.map(({ name }) => name)
  if (found.length !== featureNames.length) {
    return refuse(`\`linear.features\` has ${found.length} entries; "${file.features}" has ${featureNames.length}`)
  }
  const index = found.findIndex((name, at) => name !== featureNames[at])
  if (index === -1) {
    const fault =
      (typeof file.pool !== "object" ? undefined : faultOf("pool", file.pool, featureNames.length)) ??
      (file.tuned === null ? undefined : faultOf("tuned", file.tuned, featureNames.length))
    return fault === undefined ? Result.succeed(file) : refuse(fault)
  }
  return refuse(`\`linear.features.${index}.name\` is ${said(found[index])}; it must be ${said(featureNames[index])}`)
}

/** A value as a message quotes it, cut short. */
const said = (value: unknown): string => {
  if (value === undefined) return "missing"
  const text = JSON.stringify(value)
  return text.length > 60 ? `${text.slice(0, 60)}…` : text
}

/** The text of a model file: one line for each row of a table, so that two files can be compared. */
export const encodeModelFile = (file: ModelFile): string => {
  const { card, linear, pool, quantiles, tuned, ...head } = JSON.parse(encodeFields(file))
  const rows = (list: ReadonlyArray<unknown>) =>
    `[\n${list.map((row) => `      ${JSON.stringify(row)}`).join(",\n")}\n    ]`
  const fields = Object.entries(card).map(
    ([name, value]) =>
      `    "${name}": ${Array.isArray(value) && value.length > 0 ? rows(value) : JSON.stringify(value)}`
  )
  return `{
  "format": ${JSON.stringify(head.format)},
  "version": ${JSON.stringify(head.version)},
  "features": ${JSON.stringify(head.features)},
  "card": {
${fields.join(",\n")}
  },
  "linear": {
    "clip": ${JSON.stringify(linear.clip)},
    "features": ${rows(linear.features)}
  },
${pool === undefined ? "" : `  "pool": ${JSON.stringify(pool)},\n`}  "tuned": ${JSON.stringify(tuned)},
  "quantiles": ${JSON.stringify(quantiles)}
}
`
}
