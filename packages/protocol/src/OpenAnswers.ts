/**
 * The schemas of requests refuse unknown fields; answers may get new ones in later versions, so clients must not be told that
 * they have no others.
 */
interface Document {
  readonly paths: object
  readonly components: { readonly schemas: { readonly [name: string]: unknown } }
}

/** The document with `additionalProperties: false` in what only answers use left out. */
export const openAnswers = (document: Record<string, unknown>): Record<string, unknown> => {
  const { components, paths } = document as unknown as Document
  const requests = reachable(requestBodies(paths), components.schemas)
  const schemas = Object.entries(components.schemas).map(([name, schema]) => [
    name,
    requests.has(name) ? schema : opened(schema)
  ])
  return { ...document, components: { ...components, schemas: Object.fromEntries(schemas) } }
}

const requestBodies = (paths: object): ReadonlyArray<unknown> =>
  Object.values(paths).flatMap((path: object) =>
    Object.values(path).map((operation: { readonly requestBody?: unknown }) => operation.requestBody)
  )

const PREFIX = "#/components/schemas/"

/** The names of the components that these use, and those that they use. */
const reachable = (from: ReadonlyArray<unknown>, schemas: Document["components"]["schemas"]): ReadonlySet<string> => {
  const found = new Set<string>()
  const visit = (value: unknown): void => {
    if (typeof value !== "object" || value === null) return
    for (const [field, inner] of Object.entries(value)) {
      if (field !== "$ref" || typeof inner !== "string") visit(inner)
      else if (!found.has(inner)) {
        found.add(inner)
        visit(schemas[inner.slice(PREFIX.length)])
      }
    }
  }
  from.forEach(visit)
  return new Set([...found].map((reference) => reference.slice(PREFIX.length)))
}

const opened = (schema: unknown): unknown => {
  if (Array.isArray(schema)) return schema.map(opened)
  if (typeof schema !== "object" || schema === null) return schema
  const fields = Object.entries(schema).filter(([field, value]) => field !== "additionalProperties" || value !== false)
  return Object.fromEntries(fields.map(([field, value]) => [field, opened(value)]))
}
