/** Reads a catalogue file: each reason why it is refused is a sentence that names the place. */
import { Result, Schema, SchemaIssue } from "effect"
import { isFeature } from "../../../core/domain/models/Features.ts"
import type { Rule } from "../../../core/domain/models/Facts.ts"
import {
  CatalogueFile,
  LARGEST_FILE,
  LearntFile,
  MOST_MODELS,
  priceFields
} from "../../../core/domain/models/CatalogueFormat.ts"

export class CatalogueProblem extends Schema.TaggedError<CatalogueProblem>()("CatalogueProblem", {
  problems: Schema.Array(Schema.String)
}) {
  override get message(): string {
    const [first, ...others] = this.problems
    return others.length === 0 ? `${first}` : `${first} (and ${others.length} more)`
  }
}

const MOST_PROBLEMS = 20

export const readCatalogue = (text: string): Result.Result<CatalogueFile, CatalogueProblem> =>
  Result.flatMap(jsonIn(text), checkedCatalogue)

export const readLearnt = (text: string): Result.Result<LearntFile, CatalogueProblem> =>
  Result.flatMap(jsonIn(text), (json) => Result.flatMap(counted(json), () => decodedBy(decodeLearnt, json)))

const jsonIn = (text: string): Result.Result<unknown, CatalogueProblem> => {
  const bytes = Buffer.byteLength(text)
  if (bytes > LARGEST_FILE) return refused(`the file has ${bytes} bytes; the most is ${LARGEST_FILE}`)
  try {
    // Some editors put a mark of the byte order at the beginning.
    return Result.succeed(JSON.parse(text.replace(/^\uFEFF/, "")))
  } catch {
    return refused("the file is not JSON: it is damaged, or was written in part")
  }
}

export const checkedCatalogue = (json: unknown): Result.Result<CatalogueFile, CatalogueProblem> => {
  const read = Result.flatMap(counted(json), () => decodedBy(decode, json))
  if (Result.isFailure(read)) return read
  const problems = [...loose(read.success)].slice(0, MOST_PROBLEMS)
  return problems.length === 0 ? read : refused(...problems)
}

const counted = (json: unknown): Result.Result<void, CatalogueProblem> => {
  const count = countOf(json)
  return count > MOST_MODELS ? refused(`the file has ${count} models; the most is ${MOST_MODELS}`) : Result.void
}

const decodedBy = <File>(decode: (json: unknown) => Result.Result<File, Schema.SchemaError>, json: unknown) =>
  Result.mapError(
    decode(json),
    ({ issue }) => new CatalogueProblem({ problems: issuesOf(issue).issues.map(inWords).slice(0, MOST_PROBLEMS) })
  )

const STRICT = { errors: "all", onExcessProperty: "error" } as const
const decode = Schema.decodeUnknownResult(CatalogueFile, STRICT)
const decodeLearnt = Schema.decodeUnknownResult(LearntFile, STRICT)
const issuesOf = SchemaIssue.makeFormatterStandardSchemaV1()

const refused = (...problems: ReadonlyArray<string>): Result.Result<never, CatalogueProblem> =>
  Result.fail(new CatalogueProblem({ problems: problems.slice(0, MOST_PROBLEMS) }))

const countOf = (json: unknown): number => {
  if (typeof json !== "object" || json === null || !("models" in json)) return 0
  return typeof json.models === "object" && json.models !== null ? Object.keys(json.models).length : 0
}

const prices: ReadonlySet<string> = new Set(Object.keys(priceFields))

const NO_SUCH_FIELD = "Expected no excess property"

type Issue = ReturnType<typeof issuesOf>["issues"][number]

const inWords = ({ message, path = [] }: Issue): string => {
  const keys = path.map((part) => String(typeof part === "object" ? part.key : part))
  const at = keys.join(" → ")
  const isPrice = keys.some((key) => prices.has(key))
  if (isPrice && keys[0] === "traits") return `${at}: a trait may not carry prices; write them at each model`
  if (isPrice && keys[0] === "kinds") return `${at}: a kind may not carry prices; name the model exactly`
  if (isPrice && keys[0] === "globs") return `${at}: a glob may not carry prices; name the model exactly`
  if (message === NO_SUCH_FIELD) return `${at}: there is no such field`
  return at === "" ? `the file is no catalogue: ${message}` : `${at}: ${message}`
}

/** Names that point nowhere, and steps and dates out of order. */
function* loose(file: CatalogueFile): Generator<string> {
  const { models, resold = {}, traits = {} } = file
  for (const [at, { is = [] }] of entriesOf(file)) {
    for (const name of is) if (!Object.hasOwn(traits, name)) yield `${at}: there is no trait ${JSON.stringify(name)}`
  }
  for (const name of circular(traits)) yield `traits → ${name}: it is made of itself`
  for (const [name, { prices = [], shutdown }] of Object.entries(models)) {
    const at = `models → ${name}`
    if (!/^[^/]+\/.+$/.test(name)) yield `${at}: a model is named vendor/id`
    if (name.includes("*")) yield `${at}: a model's name has no *; write it under globs, without prices`
    const vendor = name.slice(0, name.indexOf("/"))
    for (const other of [shutdown?.billedAs, shutdown?.redirectsTo]) {
      if (other !== undefined && !Object.hasOwn(models, `${vendor}/${other}`)) {
        yield `${at} → shutdown: there is no model ${vendor}/${other}`
      }
    }
    const billed = shutdown?.billedAs === undefined ? undefined : models[`${vendor}/${shutdown.billedAs}`]
    if (billed !== undefined && billed.prices === undefined) {
      yield `${at} → shutdown: ${vendor}/${shutdown?.billedAs}, whose prices hold then, has none`
    }
    for (const [index, { above = [], from }] of prices.entries()) {
      if (index > 0 && (from ?? "") <= (prices[index - 1]!.from ?? "")) {
        yield `${at} → prices → ${index}: prices must be in the order of their dates`
      }
      if (above.some(({ tokens }, step) => step > 0 && tokens <= above[step - 1]!.tokens)) {
        yield `${at} → prices → ${index} → above: thresholds must ascend`
      }
    }
  }
  for (const [vendor, rules] of Object.entries(resold)) {
    for (const { of, spellings = [] } of rules) {
      for (const spelling of spellings) {
        if (!/^[^*]*\*?[^*]*<id>[^*]*\*?[^*]*$/.test(spelling)) {
          yield `resold → ${vendor}: the spelling ${JSON.stringify(spelling)} needs one <id>, with at most one * on each side`
        }
      }
      if (!Object.keys(models).some((name) => name.startsWith(`${of}/`))) {
        yield `resold → ${vendor}: there is no model of ${JSON.stringify(of)}`
      }
    }
  }
}

const entriesOf = ({ globs = [], models, traits = {} }: CatalogueFile) => [
  ...Object.entries(traits).map(([name, one]) => [`traits → ${name}`, one] as const),
  ...Object.entries(models).map(([name, one]) => [`models → ${name}`, one] as const),
  ...globs.map((one) => [`globs → ${one.match}`, one] as const)
]

/** One sentence for each place with rules that are ignored. */
export const ignoredRules = (file: CatalogueFile): ReadonlyArray<string> =>
  entriesOf(file).flatMap(([at, { rules = [] }]) => {
    const unknown = new Set(rules.flatMap(({ when }) => when.filter((feature) => !isFeature(feature))))
    return unknown.size === 0
      ? []
      : [
          `${at}: rules with unknown features are ignored: ${[...unknown].map((name) => JSON.stringify(name)).join(", ")}`
        ]
  })

const circular = (traits: NonNullable<CatalogueFile["traits"]>): ReadonlyArray<string> => {
  const state = new Map<string, "open" | "done">()
  const found: Array<string> = []
  const visit = (name: string): void => {
    if (state.get(name) === "open") found.push(name)
    if (state.has(name)) return
    state.set(name, "open")
    for (const other of traits[name]?.is ?? []) visit(other)
    state.set(name, "done")
  }
  for (const name of Object.keys(traits)) visit(name)
  return found
}

export const isUnderstood = ({ when }: Rule): boolean => when.every(isFeature)
