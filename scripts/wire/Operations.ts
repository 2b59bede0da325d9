/** The operations that the clients have, as the OpenAPI document describes them: what is marked `x-client: true`. */

/** A JSON Schema, as far as the document uses it. */
export interface JsonSchema {
  readonly $ref?: string
  readonly type?: string
  readonly title?: string
  readonly description?: string
  readonly format?: string
  readonly enum?: ReadonlyArray<unknown>
  readonly const?: unknown
  readonly anyOf?: ReadonlyArray<JsonSchema>
  readonly allOf?: ReadonlyArray<JsonSchema>
  readonly items?: JsonSchema
  readonly properties?: { readonly [name: string]: JsonSchema }
  readonly required?: ReadonlyArray<string>
  readonly additionalProperties?: boolean | JsonSchema
}

export interface Document {
  readonly paths: { readonly [path: string]: { readonly [method: string]: Described } }
  readonly components: { readonly schemas: { readonly [name: string]: JsonSchema } }
}

/** A reference with a description of its own is `allOf` in the document, and one schema here. */
export const readDocument = (text: string): Document =>
  JSON.parse(text, (_, value: unknown) => {
    if (typeof value !== "object" || value === null || !("allOf" in value) || !Array.isArray(value.allOf)) return value
    const merged = Object.assign({}, ...value.allOf)
    return "$ref" in merged ? { ...value, allOf: undefined, ...merged } : value
  })

interface Described {
  readonly operationId: string
  readonly summary: string
  readonly description: string
  readonly "x-client"?: boolean
  readonly parameters: ReadonlyArray<{
    readonly name: string
    readonly in: "path" | "query" | "header"
    readonly required: boolean
    readonly schema: JsonSchema
  }>
  readonly requestBody?: { readonly content: Contents; readonly required: boolean }
  readonly responses: { readonly [status: string]: { readonly content?: Contents } }
}

type Contents = { readonly [mediaType: string]: { readonly schema: JsonSchema } }

export interface Operation {
  /** Without the group: `createChatCompletion`. */
  readonly name: string
  readonly summary: string
  readonly method: string
  readonly path: string
  readonly query: { readonly [name: string]: JsonSchema }
  readonly headers: ReadonlyArray<string>
  /** JSON, or the form where there is no JSON; undefined: no body. */
  readonly request: JsonSchema | undefined
  /** The body of a form beside, or instead of, JSON. */
  readonly form: JsonSchema | undefined
  readonly bodyRequired: boolean
  /** The JSON of a success; undefined: bytes. */
  readonly response: JsonSchema | undefined
  readonly streams: boolean
}

const FORM = "multipart/form-data"
const JSON_TYPE = "application/json"

export const operationsOf = (document: Document): ReadonlyArray<Operation> =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, described]) => described["x-client"] === true)
      .map(([method, described]) => operationOf(path, method, described))
  )

const operationOf = (path: string, method: string, described: Described): Operation => {
  const { parameters, requestBody, responses, summary } = described
  const success = Object.entries(responses).find(([status]) => status.startsWith("2"))?.[1].content ?? {}
  const of = (place: string) => parameters.filter((parameter) => parameter.in === place)
  return {
    name: described.operationId.replace(/^.*\./, ""),
    summary,
    method: method.toUpperCase(),
    path,
    query: Object.fromEntries(of("query").map(({ name, schema }) => [name, flagOf(schema) ?? schema])),
    headers: of("header").map(({ name }) => name),
    request: requestBody?.content[JSON_TYPE]?.schema ?? requestBody?.content[FORM]?.schema,
    form: requestBody?.content[FORM]?.schema,
    bodyRequired: requestBody?.required === true,
    response: success[JSON_TYPE]?.schema,
    streams: "text/event-stream" in success
  }
}

/** In a query `true` and `false` are words; programs have booleans. */
const flagOf = ({ description = "", enum: words = [] }: JsonSchema): JsonSchema | undefined =>
  words.join() === "true,false" ? { type: "boolean", description } : undefined

/** Whether an object has fields beside those described: rules that say nothing of fields make it no wider. */
export const isOpen = ({ additionalProperties, allOf = [] }: JsonSchema): boolean =>
  (additionalProperties !== undefined && additionalProperties !== false) || allOf.some(isOpen)

const PREFIX = "#/components/schemas/"

export const nameOfRef = ($ref: string): string => $ref.slice(PREFIX.length)

/** The components that the operations use, and those that they use, by name in the document's order. */
export const schemasOf = (document: Document, more: ReadonlyArray<string> = []): ReadonlyMap<string, JsonSchema> => {
  const found = new Set<string>()
  const visit = (value: unknown): void => {
    if (typeof value !== "object" || value === null) return
    for (const [field, inner] of Object.entries(value)) {
      if (field !== "$ref" || typeof inner !== "string") visit(inner)
      else find(nameOfRef(inner))
    }
  }
  const find = (name: string): void => {
    if (found.has(name)) return
    found.add(name)
    visit(document.components.schemas[name])
  }
  for (const { form, query, request, response } of operationsOf(document))
    [form, query, request, response].forEach(visit)
  more.forEach(find)
  return new Map(Object.entries(document.components.schemas).filter(([name]) => found.has(name)))
}

/** What only streams and errors have: no operation's answer names them. */
export const besides: ReadonlyArray<string> = ["ChatCompletionChunk", "Error"]
