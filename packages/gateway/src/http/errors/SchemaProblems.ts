/** What a schema finds wrong with a request, as one sentence for people and the path of the first field for programs. */
import { type Schema, type SchemaAST, SchemaIssue } from "effect"
import { InvalidField } from "../../core/domain/Errors.ts"
import { clip } from "./WireFormat.ts"

/** A longer list would not help. */
const MOST_PROBLEMS = 5

const LONGEST_MESSAGE = 400

/** What a schema calls a number in a query: there everything is text. */
const NUMBER_IN_TEXT = "a string representing a finite number"
/** What a schema says of a body that is no object: the name of its type. */
const NO_OBJECT = /^Expected [A-Z]\w+$/

export const invalidField = (error: Schema.SchemaError): InvalidField => {
  const problems = format(error.issue).issues.map(({ message, path = [] }) => ({
    param: pathOf(path.map(segment)),
    message: clip(
      message.replace(NUMBER_IN_TEXT, "a number").replace(NO_OBJECT, "Expected a JSON object"),
      LONGEST_MESSAGE
    )
  }))
  const byMessage = Map.groupBy(problems.slice(0, MOST_PROBLEMS), ({ message }) => message)
  const sentences = [...byMessage].map(([message, all]) => {
    const params = all.flatMap(({ param }) => (param === "" ? [] : [`\`${clip(param)}\``]))
    return params.length === 0 ? message : `${params.join(", ")}: ${message}`
  })
  return new InvalidField({ param: clip(problems[0]?.param ?? ""), message: sentences.join("; ") })
}

const format = SchemaIssue.makeFormatterStandardSchemaV1({
  leafHook: (issue) => {
    switch (issue._tag) {
      case "UnexpectedKey":
        return `no such field; allowed: ${allowedIn(issue.ast)}`
      case "MissingKey":
        return "it is missing"
      default:
        return SchemaIssue.defaultLeafHook(issue)
    }
  }
})

/** Fields with the fields inside them: `name, limits (rpm, tpm)`. */
const allowedIn = (ast: SchemaAST.AST): string =>
  fieldsOf(ast)
    .map(({ name, type }) => {
      const inner = fieldsOf(type).map((field) => String(field.name))
      return inner.length === 0 ? String(name) : `${String(name)} (${inner.join(", ")})`
    })
    .join(", ")

const fieldsOf = (ast: SchemaAST.AST): ReadonlyArray<SchemaAST.PropertySignature> => {
  if (ast._tag === "Objects") return ast.propertySignatures
  if (ast._tag === "Union") return ast.types.flatMap(fieldsOf)
  return ast._tag === "Arrays" ? ast.rest.flatMap(fieldsOf) : []
}

const segment = (part: PropertyKey | { readonly key: PropertyKey }): PropertyKey =>
  typeof part === "object" ? part.key : part

/** `["budgets", 0, "usd"]` → `budgets[0].usd`. */
const pathOf = (path: ReadonlyArray<PropertyKey>): string =>
  path.reduce<string>((text, part) => {
    if (typeof part === "number") return `${text}[${part}]`
    return text === "" ? String(part) : `${text}.${String(part)}`
  }, "")
