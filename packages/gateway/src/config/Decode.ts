/** What a schema says of a tree, as problems with their places. The wording is in the schema's annotations. */
import { Option, Result, Schema, type SchemaAST, SchemaIssue } from "effect"
import { Here } from "./Here.ts"
import { filledInWhole } from "./Interpolation.ts"
import { didYouMean } from "../core/collections/Suggest.ts"
import { keyPath, kindInWords, shownKey, type TreeEntry, type TreeNode } from "./tree/Tree.ts"

declare module "effect/Schema" {
  namespace Annotations {
    interface Annotations {
      /** What to say instead of `<what stands there> is not <expected>`. */
      readonly problem?: Telling | undefined
      /** What stands there is named by its kind alone. */
      readonly hidden?: boolean | undefined
      /** Of a key that is refused: the documents leave it out. */
      readonly about?: "removed" | undefined
    }
  }
}

/** A text into which `${…}` was filled. `isWhole`: it is one `${…}` and nothing else, so a number may be meant. */
export class FilledIn {
  readonly text: string
  readonly isWhole: boolean

  constructor(text: string, isWhole: boolean) {
    this.text = text
    this.isWhole = isWhole
  }
}

/** A group of fields in the order of the file, which an object would not keep: it moves keys like "1" to its front. */
export class DecodedTable {
  readonly entries: ReadonlyArray<readonly [key: string, value: unknown]>

  constructor(entries: ReadonlyArray<readonly [key: string, value: unknown]>) {
    this.entries = entries
  }
}

export interface Mistake {
  readonly message: string
  readonly allowed: string
  /** Left out: what stands there. */
  readonly found?: string | undefined
}

/** Undefined: the usual message. */
export type Telling = (here: Here) => Mistake | undefined

/** A check that finds the words for what it refuses. `isLast`: where it does, no later check is asked. */
export const refuse = <A>(why: (value: A) => Telling | undefined, isLast = false) =>
  Schema.makeFilter<A>(
    (value) => {
      const problem = why(value)
      return problem && new SchemaIssue.InvalidValue({ problem })
    },
    {},
    isLast
  )
/** As `refuse`, for a check whose words are a sentence. `found`: what is named in place of what stands there. */
export const refuseWith = <A>(allowed: string, why: (value: A) => string | undefined, found?: string) =>
  refuse<A>((value) => {
    const message = why(value)
    return message === undefined ? undefined : () => ({ message, allowed, found })
  })

export const decode = <A>(here: Here, schema: Schema.Codec<A, unknown>): A | undefined => {
  const result = Schema.decodeUnknownResult(schema)(valueOf(here.node), options)
  if (Result.isSuccess(result)) return result.success
  reportIssue(result.failure.issue, here)
  return undefined
}

/** What a field is, where it is there and right. Nothing is reported. */
export const fieldOf = <A>(here: Here, key: string, schema: Schema.Codec<A, unknown>): A | undefined => {
  const field = here.field(key)
  return field && Option.getOrUndefined(Schema.decodeUnknownOption(schema)(valueOf(field.node), options))
}

const options = { errors: "all", onExcessProperty: "error" } as const

const broken = Symbol("broken")

const valueOf = (node: TreeNode): unknown => {
  switch (node.kind) {
    case "broken":
      return broken
    case "list":
      return node.items.map(valueOf)
    case "table":
      return new DecodedTable(node.entries.map(({ key, value }) => [key, valueOf(value)]))
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
      return reportBelow(issue.path, issue.issue, here, said)
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
  const said = annotations.problem?.(here)
  if (said !== undefined) here.problem(said.message, said.allowed, said.found)
  else {
    const isHidden = isKindOnly || annotations.hidden === true
    here.expected(String(annotations["expected"]), isHidden ? kindInWords(here.node) : here.shown)
  }
}

const reportBelow = (
  [key, ...rest]: ReadonlyArray<PropertyKey>,
  issue: SchemaIssue.Issue,
  here: Here,
  said: Schema.Annotations.Annotations | undefined
): void => {
  if (key === undefined) return reportIssue(issue, here, said)
  if (issue._tag === "MissingKey") return here.missing(String(key), String(issue.annotations?.messageMissingKey))
  if (issue._tag === "UnexpectedKey") return reportUnexpected(String(key), issue.ast, here)
  // A single value stands for a list of one, and `<provider>/<model>` for a group of two.
  if (here.node.kind === "scalar") return reportBelow(rest, issue, here, said)
  // A list stands for a group that has it as its main field.
  if (here.node.kind === "list" && typeof key === "string") return reportBelow(rest, issue, here, said)
  if (here.node.kind === "table" && typeof key === "number") {
    const entry = here.node.entries[key]
    return entry && reportEntry(issue, entry, here)
  }
  const below = here.node.kind === "list" ? here.items[Number(key)] : here.field(String(key))
  if (below !== undefined) reportBelow(rest, issue, below, said)
}

/** An entry of a `record`, which is a pair of key and value. What stands under a key that is refused is left alone. */
const reportEntry = (issue: SchemaIssue.Issue, { at, key, value }: TreeEntry, { path, report }: Here): void => {
  const parts = issue._tag === "Composite" ? issue.issues : []
  const isOfKey = (part: SchemaIssue.Issue) => part._tag === "Pointer" && part.path[0] === 0
  const ofKey = parts.filter(isOfKey)
  const here =
    ofKey.length === 0
      ? new Here(value, keyPath(path, key), report)
      : new Here({ kind: "scalar", at, value: key }, keyPath(path, shownKey(key)), report)
  for (const part of ofKey.length === 0 ? parts : ofKey) {
    if (part._tag === "Pointer") reportBelow(part.path.slice(1), part.issue, here, undefined)
  }
}

/** `"hots" is not a field here; did you mean "host"? (fields: …)` */
const reportUnexpected = (key: string, ast: SchemaAST.AST, here: Here): void => {
  const known = ast._tag === "Objects" ? ast.propertySignatures.map(({ name }) => String(name)) : []
  const shown = shownKey(key)
  const slipped = /^\w+[:=]/.test(key)
    ? "; is a space missing after the colon?"
    : /^\d+$/.test(key)
      ? "; inside { } a comma ends a value: write a decimal point"
      : didYouMean(key, known)
  const found = JSON.stringify(shown)
  const allowed = known.join(", ")
  const keyAt = here.entries.find((entry) => entry.key === key)?.keyAt ?? here.at
  here.report.add(keyAt, keyPath(here.path, shown), {
    found,
    allowed,
    message: `${found} is not a field here${slipped} (fields: ${allowed})`
  })
}
