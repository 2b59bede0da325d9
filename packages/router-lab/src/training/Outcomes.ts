/**
 * What became of prompts: the file that `router train` and `router eval` read. One JSON object a line, such as
 *
 *     {"prompt": "…", "outcomes": {"small": {"quality": 0.5, "cost_usd": 0.0001}, "large": {"quality": 1, "cost_usd": 0.004}}}
 *
 * Where the gateway kept only the features of a prompt, `features` and `feature_set` stand in place of `prompt`, and only training
 * reads such a row. Other fields are left alone. Everything that is wrong is found in one go, with its line and field.
 */
import { featureNames, featureSet } from "@model-gateway/gateway/internal/classifier/features/PromptFeatures"

interface DeploymentOutcome {
  /** How good the answer was, 0 to 1. */
  readonly quality: number
  /** What it cost; undefined where the file doesn't say. */
  readonly costUsd: number | undefined
}

export interface OutcomeRow {
  /** In the file, from 1. */
  readonly line: number
  /** Empty where only the features are known. */
  readonly prompt: string
  /** Where the row has them and no prompt. */
  readonly features?: Float64Array
  /** By the name of the deployment that answered; at least one. */
  readonly outcomes: ReadonlyMap<string, DeploymentOutcome>
}

export interface OutcomeProblem {
  readonly line: number
  /** `outcomes.large.quality`; empty where the line as a whole is meant. */
  readonly field: string
  /** What was wrong and what would be right. */
  readonly message: string
}

/** `line 3, outcomes.large.quality: must be a number from 0 to 1, not 7`. */
export const describeProblem = ({ field, line, message }: OutcomeProblem): string =>
  `line ${line}${field === "" ? "" : `, ${field}`}: ${message}`

type Complain = (field: string, message: string) => void

/**
 * A line of a file: a row, one that says nothing though it is no mistake, or all that is wrong with it. `counted`: the set of
 * features, of another release, that is all such a row has of its prompt.
 */
type OutcomeLine =
  | { readonly row: OutcomeRow }
  | { readonly row: undefined; readonly counted?: string }
  | { readonly problems: ReadonlyArray<OutcomeProblem> }

/**
 * Reads a line: a prompt's features do as well as its text, and what nobody graded (`"quality": null`) is left out. A row
 * that `router export` wrote, which has a `receipt_id`, may also lack its prompt or any outcome. Features that another release
 * counted are nobody's mistake either.
 */
export const readOutcomeLine = (raw: string, line: number): OutcomeLine => {
  const value = parsed(raw)
  const graded = isObject(value) && isObject(value.outcomes) ? { ...value, outcomes: gradedOf(value.outcomes) } : value
  if (isObject(graded) && isObject(value) && isObject(value.outcomes)) {
    const isEmpty = Object.keys(graded.outcomes as object).length === 0
    const isExported = typeof value.receipt_id === "string"
    const hasPrompt = value.prompt !== undefined || value.features !== undefined
    if (isExported ? isEmpty || !hasPrompt : isEmpty && Object.keys(value.outcomes).length > 0)
      return { row: undefined }
  }
  if (isObject(value) && value.prompt === undefined && isOfAnotherRelease(value.feature_set)) {
    return { row: undefined, counted: value.feature_set }
  }
  const problems: Array<OutcomeProblem> = []
  if (value === undefined && NO_NUMBER.test(raw)) {
    const message = "is not JSON, which has no NaN or Infinity; write null for an unknown quality"
    return { problems: [{ line, field: "", message }] }
  }
  const row = readRow(graded, line, (field, message) => problems.push({ line, field, message }))
  return problems.length > 0 || row === undefined ? { problems } : { row }
}

const isOfAnotherRelease = (set: unknown): set is string =>
  typeof set === "string" && set !== featureSet && /^text-\d+-[0-9a-f]{8}$/.test(set)

/** What Python writes where a number is missing. */
const NO_NUMBER = /[:[,]\s*-?(?:NaN|Infinity)\b/

const gradedOf = (outcomes: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(outcomes).filter(([, outcome]) => !isObject(outcome) || outcome.quality !== null))

/** `value`: the line as parsed; undefined where it is no JSON. */
const readRow = (value: unknown, line: number, complain: Complain): OutcomeRow | undefined => {
  if (!isObject(value)) {
    complain("", value === undefined ? "is not JSON; each line must be one JSON object" : "must be a JSON object")
    return undefined
  }
  const { outcomes, prompt } = value
  const features = prompt === undefined ? readFeatures(value, complain) : undefined
  if (features === undefined) {
    if (typeof prompt !== "string") complain("prompt", `must be the text of the prompt, ${but(prompt)}`)
    else if (prompt.trim() === "") complain("prompt", "must not be empty")
  }
  if (!isObject(outcomes) || Object.keys(outcomes).length === 0) {
    complain("outcomes", `must be an object with a field for each deployment that responded, ${but(outcomes)}`)
    return undefined
  }
  const read = new Map<string, DeploymentOutcome>()
  for (const [deployment, outcome] of Object.entries(outcomes)) {
    read.set(deployment, readOutcome(outcome, `outcomes.${deployment}`, complain))
  }
  return features === undefined
    ? { line, prompt: String(prompt), outcomes: read }
    : { line, prompt: "", features, outcomes: read }
}

/** Undefined where the row has none. */
const readFeatures = (value: Readonly<Record<string, unknown>>, complain: Complain): Float64Array | undefined => {
  const { feature_set: set, features } = value
  if (features === undefined) return undefined
  if (set !== featureSet) {
    complain("feature_set", `must be "${featureSet}", which this release counts, ${but(set)}`)
  } else if (!Array.isArray(features) || features.length !== featureNames.length) {
    complain("features", `must be a list of ${featureNames.length} numbers, ${but(features)}`)
  } else {
    const wrong = features.findIndex((each) => typeof each !== "number" || !Number.isFinite(each))
    if (wrong !== -1) complain(`features.${wrong}`, `must be a number, ${but(features[wrong])}`)
    else return Float64Array.from(features)
  }
  return new Float64Array(0)
}

const readOutcome = (value: unknown, field: string, complain: Complain): DeploymentOutcome => {
  if (!isObject(value)) {
    complain(field, `must be an object like {"quality": 0.5, "cost_usd": 0.001}, ${but(value)}`)
    return { quality: 0, costUsd: undefined }
  }
  const { cost_usd: cost, quality } = value
  if (typeof quality !== "number" || !(quality >= 0 && quality <= 1))
    complain(`${field}.quality`, `must be a number from 0 to 1, ${but(quality)}`)
  const isKnown = cost !== undefined && cost !== null
  if (isKnown && (typeof cost !== "number" || !(cost >= 0 && cost < Infinity)))
    complain(`${field}.cost_usd`, `must be an amount in USD, 0 or more, or absent, ${but(cost)}`)
  return { quality: Number(quality), costUsd: isKnown ? Number(cost) : undefined }
}

const parsed = (raw: string): unknown => {
  try {
    return JSON.parse(raw)
  } catch {
    return undefined
  }
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const LONGEST_SHOWN = 40

const but = (value: unknown): string => {
  if (value === undefined) return "but is missing"
  const text = JSON.stringify(value)
  return `not ${text.length <= LONGEST_SHOWN ? text : `${text.slice(0, LONGEST_SHOWN)}…`}`
}
