/**
 * What a schema says of a tree, as problems with their places. The wording comes from the schema's annotations:
 * - `expected`: what belongs there, as in `70000 is not <expected>`.
 * - `problem`: what to say instead, made of what stands there.
 * - `hidden`: what stands there is named by its kind alone.
 * - `messageMissingKey`: what a missing field is told, after its name.
 */
import { Option, Result, Schema, type SchemaAST, type SchemaIssue } from "effect"
import { filledInWhole } from "./Interpolation.ts"
import { Here, type Reader } from "./Reader.ts"
import { didYouMean } from "./Suggest.ts"
import { keyPath, kindInWords, shownKey, type Node } from "./tree/Tree.ts"

/** A text into which `${…}` was filled. `isWhole`: it is one `${…}` and nothing else, so a number may be meant. */
export class FilledIn {
  readonly text: string
  readonly isWhole: boolean

  constructor(text: string, isWhole: boolean) {
    this.text = text
    this.isWhole = isWhole
  }
}

export interface Said {
  readonly message: string
  readonly allowed: string
  /** Left out: what stands there. */
  readonly found?: string
}

/** The annotation for a message of its own; undefined: the usual one. */
export const says = (problem: (here: Here) => Said | undefined) => ({ problem })

/** A reader that lets `schema` do the work. */
export const decoded =
  <A>(schema: Schema.Codec<A, unknown>): Reader<A> =>
  (here) => {
    const result = Schema.decodeUnknownResult(schema)(valueOf(here.node), options)
    if (Result.isSuccess(result)) return result.success
    reportIssue(result.failure.issue, here)
    return undefined
  }

/** What a field is, where it is there and right. Nothing is reported. */
export const fieldOf = <A>({ node }: Here, key: string, schema: Schema.Codec<A, unknown>): A | undefined => {
  const entry = node.kind === "table" ? node.entries.findLast((one) => one.key === key) : undefined
  return entry && Option.getOrUndefined(Schema.decodeUnknownOption(schema)(valueOf(entry.value), options))
}

const options = { errors: "all", onExcessProperty: "error" } as const

/** Stands for what is reported already. No schema takes it. */
const broken = Symbol("broken")

/** The values alone. */
const valueOf = (node: Node): unknown => {
  switch (node.kind) {
    case "broken":
      return broken
    case "list":
      return node.items.map(valueOf)
    case "table":
      return Object.fromEntries(node.entries.map(({ key, value }) => [key, valueOf(value)]))
    case "scalar":
      return node.written === undefined
        ? node.value
        : new FilledIn(String(node.value), Option.isSome(filledInWhole(node)))
  }
}

const reportIssue = (issue: SchemaIssue.Issue, here: Here, said?: Schema.Annotations.Annotations): void => {
  if (here.node.kind === "broken") return
  switch (issue._tag) {
    case "Composite":
      for (const inner of issue.issues) reportIssue(inner, here, said)
      return
    case "Encoding":
      return reportIssue(issue.issue, here, said)
    case "Filter":
      return reportIssue(issue.issue, here, issue.filter.annotations)
    case "Pointer":
      return reportBelow(issue.path.map(String), issue.issue, here, said)
    case "InvalidValue":
      return reportValue({ ...said, ...issue.annotations }, here)
    case "InvalidType":
    case "AnyOf":
      return reportValue(annotationsOf(issue.ast), here, isGroup(issue.ast))
    default:
      return reportValue({ ...said }, here)
  }
}

/** Nothing else is named by its kind alone. */
const isGroup = (ast: SchemaAST.AST): boolean => ast._tag === "Objects" || ast._tag === "Arrays"

/** A type that says nothing of itself is told in the words of its last check. */
const annotationsOf = (ast: SchemaAST.AST): Schema.Annotations.Annotations => {
  const own = ast.annotations
  return own?.["expected"] === undefined ? { expected: "a group of fields", ...ast.checks?.at(-1)?.annotations } : own
}

const reportValue = (annotations: Schema.Annotations.Annotations, here: Here, isKindOnly = false): void => {
  const problem = annotations["problem"] as ReturnType<typeof says>["problem"] | undefined
  const said = problem?.(here)
  if (said !== undefined) here.problem(said.message, said.allowed, said.found)
  else {
    const isHidden = isKindOnly || annotations["hidden"] === true
    here.expected(String(annotations["expected"]), isHidden ? kindInWords(here.node) : here.shown)
  }
}

const reportBelow = (
  [key, ...rest]: ReadonlyArray<string>,
  issue: SchemaIssue.Issue,
  here: Here,
  said: Schema.Annotations.Annotations | undefined
): void => {
  if (key === undefined) return reportIssue(issue, here, said)
  if (issue._tag === "MissingKey") return reportMissing(key, String(issue.annotations?.messageMissingKey), here)
  if (issue._tag === "UnexpectedKey") return reportUnexpected(key, issue.ast, here)
  const below = child(here, key)
  if (below !== undefined) reportBelow(rest, issue, below, said)
}

/** Undefined where there is none. */
export const child = ({ node, path, report }: Here, key: string): Here | undefined => {
  if (node.kind === "list") {
    const item = node.items[Number(key)]
    return item && new Here(item, `${path}[${key}]`, report)
  }
  const entry = node.kind === "table" ? node.entries.findLast((one) => one.key === key) : undefined
  return entry && new Here(entry.value, keyPath(path, key), report)
}

/** `"base_url" is required: …` */
const reportMissing = (key: string, allowed: string, { at, path, report }: Here): void =>
  report.add(at, keyPath(path, key), {
    found: "nothing",
    allowed,
    message: `${JSON.stringify(key)} is required: ${allowed}`
  })

/** `"hots" is not a field here; did you mean "host"? (fields: …)` */
const reportUnexpected = (key: string, ast: SchemaAST.AST, here: Here): void => {
  const known = ast._tag === "Objects" ? ast.propertySignatures.map(({ name }) => String(name)) : []
  const shown = shownKey(key)
  const slipped = /^\w+[:=]/.test(key) ? "; is a space missing after the colon?" : didYouMean(key, known)
  const found = JSON.stringify(shown)
  const allowed = known.join(", ")
  const entry = here.node.kind === "table" ? here.node.entries.find((one) => one.key === key) : undefined
  here.report.add(entry?.at ?? here.at, keyPath(here.path, shown), {
    found,
    allowed,
    message: `${found} is not a field here${slipped} (fields: ${allowed})`
  })
}
