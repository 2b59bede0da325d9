/** What a schema finds wrong with a request, as one sentence for people and the path of the first field for programs. */
import { type Schema, SchemaIssue } from "effect"
import { InvalidField } from "../../core/domain/Errors.ts"
import { clip } from "./WireFormat.ts"

/** A longer list would not help. */
const MOST_PROBLEMS = 5

/** What a schema calls a number in a query: there everything is text. */
const NUMBER_IN_TEXT = "a string representing a finite number"

export const invalidField = (error: Schema.SchemaError): InvalidField => {
  const problems = format(error.issue).issues.map(({ message, path = [] }) => ({
    param: pathOf(path.map(segment)),
    message: clip(message.replace(NUMBER_IN_TEXT, "a number"))
  }))
  const sentences = problems
    .slice(0, MOST_PROBLEMS)
    .map(({ message, param }) => (param === "" ? message : `\`${clip(param)}\`: ${message}`))
  return new InvalidField({ param: clip(problems[0]?.param ?? ""), message: sentences.join("; ") })
}

const format = SchemaIssue.makeFormatterStandardSchemaV1({
  leafHook: (issue) => {
    switch (issue._tag) {
      case "UnexpectedKey":
        return `There is no such field here. Allowed: ${fieldsOf(issue).join(", ")}.`
      case "MissingKey":
        return "It is missing."
      default:
        return SchemaIssue.defaultLeafHook(issue)
    }
  }
})

const fieldsOf = ({ ast }: SchemaIssue.UnexpectedKey): ReadonlyArray<string> =>
  ast._tag === "Objects" ? ast.propertySignatures.map(({ name }) => String(name)) : []

const segment = (part: PropertyKey | { readonly key: PropertyKey }): PropertyKey =>
  typeof part === "object" ? part.key : part

/** `["budgets", 0, "usd"]` → `budgets[0].usd`. */
const pathOf = (path: ReadonlyArray<PropertyKey>): string =>
  path.reduce<string>((text, part) => {
    if (typeof part === "number") return `${text}[${part}]`
    return text === "" ? String(part) : `${text}.${String(part)}`
  }, "")
