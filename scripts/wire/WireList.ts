/**
 * `packages/conformance/wire.json`: every operation and field that a client must have, in a form that is read in a few lines of any
 * language. An object within a schema has an entry of its own, `Receipt.decision` or `ChatCompletion.choices[]`.
 */
import { besides, type Document, isOpen, type JsonSchema, nameOfRef, operationsOf, schemasOf } from "./Operations.ts"

interface Field {
  /** `string`, `integer`, `number`, `boolean`, `object`, `json`, the name of a schema; with `[]` for lists, `|` between several. */
  readonly type: string
  readonly required: boolean
  readonly nullable: boolean
}

interface Schema {
  readonly fields: { readonly [name: string]: Field }
  /** Has fields beside these, in requests too. */
  readonly open: boolean
}

export const wireList = (document: Document): object => {
  const schemas: Record<string, Schema> = {}
  for (const [name, schema] of schemasOf(document, besides)) addSchema(schemas, name, schema)
  const operations = operationsOf(document).map(({ form, name, request, response, ...operation }) => [
    name,
    {
      ...operation,
      query: Object.keys(operation.query),
      request: request === undefined ? null : typeOf(request, name, schemas).type,
      form: form === undefined ? null : typeOf(form, name, schemas).type,
      response: response === undefined ? null : typeOf(response, name, schemas).type
    }
  ])
  return { operations: Object.fromEntries(operations), schemas }
}

const addSchema = (schemas: Record<string, Schema>, name: string, schema: JsonSchema): void => {
  const required = new Set(schema.required)
  const fields: Record<string, Field> = {}
  schemas[name] = { fields, open: isOpen(schema) }
  for (const [field, inner] of Object.entries(schema.properties ?? {})) {
    fields[field] = { ...typeOf(inner, `${name}.${field}`, schemas), required: required.has(field) }
  }
}

/** `place`: the name of an object that has none of its own. */
const typeOf = (
  schema: JsonSchema,
  place: string,
  schemas: Record<string, Schema>
): { readonly type: string; readonly nullable: boolean } => {
  if (schema.anyOf !== undefined) {
    const types = schema.anyOf.filter((one) => one.type !== "null").map((one) => typeOf(one, place, schemas))
    const nullable = types.length < schema.anyOf.length || types.some((type) => type.nullable)
    return { type: [...new Set(types.map(({ type }) => type))].join("|"), nullable }
  }
  if (schema.$ref !== undefined) return { type: nameOfRef(schema.$ref), nullable: false }
  if (schema.type === "array") {
    const { type } = typeOf(schema.items ?? {}, `${place}[]`, schemas)
    return { type: type.includes("|") ? `(${type})[]` : `${type}[]`, nullable: false }
  }
  if (schema.properties !== undefined) {
    addSchema(schemas, place, schema)
    return { type: place, nullable: false }
  }
  return { type: schema.type ?? "json", nullable: false }
}
