/**
 * `packages/go/wire_*.go`: the schemas of the clients' operations as Go types. What stands alone on its lines needs no alignment, so
 * the text is as `gofmt` would leave it, also where there is no Go.
 */
import { besides, type Document, type JsonSchema, nameOfRef, operationsOf, schemasOf } from "./Operations.ts"

/** In order: a schema goes into the first file whose pattern its name fits. */
const files: ReadonlyArray<readonly [file: string, names: RegExp]> = [
  ["media", /^(Transcri|Transla|Speech|Image)/],
  ["responses", /^(Response|Compaction|Deleted|Message|InputMessage|CountTokens|TokensCount)/],
  ["routing", /^(Route|Router)/],
  ["receipts", /^(Receipt|Shadow|Feedback|GiveFeedback)/],
  ["limits", /Team|Budget|Limits/],
  ["keys", /Key/],
  ["operations", /^(Deployment|Health|Price)/],
  ["traffic", /^(Traffic|Times)/],
  ["administration", /^(Spend|Config|Info|Node|Audit)/],
  ["models", /^(Model|Moderation|Embeddings|Rerank|Ranking)/],
  ["chat", /^(Chat|Usage)/],
  ["inference", /./]
]

/** Fields that requests may have and the description leaves to the vendors. */
const besidesFields: { readonly [schema: string]: ReadonlyArray<string> } = {
  ChatMessage: [
    '// The author, where several have the same role.\n\tName string `json:"name,omitempty"`',
    '// Of a message of a tool: the call that it answers.\n\tToolCallID string `json:"tool_call_id,omitempty"`',
    '// Of an assistant\'s message: the calls that it made.\n\tToolCalls []ChatAnswerMessageToolCall `json:"tool_calls,omitempty"`'
  ],
  ImageEditsForm: ['// Instead of Image: several of them.\n\tImages []*Upload `json:"-"`']
}

/** Types that are written by hand, of schemas and of fields. */
const byHand: { readonly [place: string]: string | undefined } = {
  GatewayInfo: "Decision",
  EmbeddingsDataEmbedding: "Vector",
  // What is no text goes into Extra.
  RerankRequestDocuments: "[]string"
}
const leftOut = new Set(["GatewayInfo", "Error"])

const initialisms = new Set(["id", "url", "usd", "json", "tz", "rpm", "tpm", "http", "ttft"])

/** `cost_usd` → `CostUSD`. */
const camel = (name: string): string =>
  name
    .split(/[^A-Za-z0-9]+/)
    .map((word) => (initialisms.has(word) ? word.toUpperCase() : word.charAt(0).toUpperCase() + word.slice(1)))
    .join("")

/** `LatencyMs` is no list of `LatencyM`. */
const singular = (name: string): string => name.replace(/ies$/, "y").replace(/([a-rt-z])s$/, "$1")

const comment = (text: string | undefined, indent: string): string =>
  text === undefined ? "" : `${indent}// ${text.replaceAll(/\s*\n\s*/g, " ").trim()}\n`

interface GoType {
  readonly name: string
  readonly nullable: boolean
  /** Nil is no value of it: only a pointer can be absent. */
  readonly isValue: boolean
}

const isOpen = (schema: JsonSchema): boolean => schema.allOf !== undefined || schema.additionalProperties !== undefined

class Writer {
  readonly declared = new Map<string, string>()
  private readonly requests: ReadonlySet<string>
  private readonly answers: ReadonlySet<string>
  private readonly document: Document

  constructor(document: Document) {
    this.document = document
    const operations = operationsOf(document)
    this.requests = new Set(operations.flatMap(({ form, request }) => [form, request]).flatMap(refsOf))
    this.answers = new Set(operations.map(({ response }) => response).flatMap(refsOf))
  }

  /** Everything that a request names, however deep, is written by callers. */
  declare(name: string, schema: JsonSchema, isRequest: boolean): void {
    if (this.declared.has(name)) return
    this.declared.set(name, "")
    if (schema.properties === undefined) {
      this.declared.set(
        name,
        `${comment(described(name, schema), "")}type ${name} = ${this.type(schema, name, isRequest).name}\n`
      )
      return
    }
    const required = new Set(schema.required)
    const fields = Object.entries(schema.properties).map(([field, inner]) => {
      const place = `${name}${camel(field)}`
      const hand = byHand[place]
      const type =
        hand === undefined ? this.type(inner, place, isRequest) : { name: hand, nullable: false, isValue: true }
      return `${comment(inner.description, "\t")}\t${camel(field)} ${fieldOf(field, type, required.has(field))}`
    })
    const more = (besidesFields[name] ?? []).map((text) => `\t${text}`)
    const keepsOthers = isRequest && (this.requests.has(name) || isOpen(schema))
    if (keepsOthers)
      more.push(
        '\t// Extra has fields by their names on the wire, which go before the others: nil sends null.\n\tExtra map[string]any `json:"-"`'
      )
    const head = this.answers.has(name) ? ['\tAnswer `json:"-"`'] : []
    const text = `${comment(described(name, schema), "")}type ${name} struct {\n${[...head, ...fields, ...more].join("\n\n")}\n}\n`
    this.declared.set(name, keepsOthers ? `${text}\n${codec(name)}` : text)
  }

  type(schema: JsonSchema, place: string, isRequest: boolean): GoType {
    if (schema.anyOf !== undefined) {
      const types = schema.anyOf.filter(({ type }) => type !== "null").map((one) => this.type(one, place, isRequest))
      const nullable = types.length < schema.anyOf.length || types.some((one) => one.nullable)
      const [first] = types
      const isOne = first !== undefined && types.every(({ name }) => name === first.name)
      return isOne ? { ...first, nullable } : { name: "any", nullable, isValue: false }
    }
    const plain = (name: string, isValue: boolean): GoType => ({ name, nullable: false, isValue })
    if (schema.$ref !== undefined) {
      const name = nameOfRef(schema.$ref)
      return plain(byHand[name] ?? name, this.document.components.schemas[name]?.properties !== undefined)
    }
    if (schema.format === "binary") return plain("*Upload", false)
    const literal = schema.const ?? schema.enum?.[0]
    if (typeof literal === "string") return plain("string", true)
    if (typeof literal === "boolean") return plain("bool", true)
    switch (schema.type) {
      case "string":
        return plain("string", true)
      case "boolean":
        return plain("bool", true)
      case "number":
        return plain("float64", true)
      case "integer":
        return plain("int64", true)
      case "array":
        return plain(`[]${this.type(schema.items ?? {}, singular(place), isRequest).name}`, false)
      case "object": {
        if (schema.properties !== undefined) {
          // A decision with something of its own is a decision.
          if ("receipt_id" in schema.properties && "cost_usd" in schema.properties && "retries" in schema.properties)
            return plain("Decision", true)
          this.declare(place, schema, isRequest)
          return plain(place, true)
        }
        const { additionalProperties } = schema
        const isTyped = typeof additionalProperties === "object" && Object.keys(additionalProperties).length > 0
        if (isTyped) return plain(`map[string]${this.type(additionalProperties, place, isRequest).name}`, false)
        return plain(isRequest ? "any" : "map[string]any", false)
      }
      default:
        return plain("any", false)
    }
  }
}

const described = (name: string, { description }: JsonSchema): string =>
  description === undefined ? `${name} is made from the schema of that name.` : `${name}: ${description}`

const fieldOf = (field: string, { isValue, name, nullable }: GoType, isRequired: boolean): string => {
  if (name === "Decision") return `*Decision \`json:"${field},omitempty"\``
  const isPointer = isValue && (isRequired ? nullable : name !== "string")
  return `${isPointer ? "*" : ""}${name} \`json:"${field}${isRequired ? "" : ",omitempty"}"\``
}

const codec = (name: string): string => `func (v ${name}) MarshalJSON() ([]byte, error) {
\ttype plain ${name}
\treturn encodeWith(plain(v), v.Extra)
}

func (v *${name}) UnmarshalJSON(text []byte) (err error) {
\ttype plain ${name}
\tv.Extra, err = decodeWith(text, (*plain)(v))
\treturn err
}
`

const refsOf = (schema: JsonSchema | undefined): ReadonlyArray<string> => {
  if (schema === undefined) return []
  if (schema.$ref !== undefined) return [nameOfRef(schema.$ref)]
  return (schema.anyOf ?? []).flatMap(refsOf)
}

/** Requests and what they name, whatever answers name too. */
const asked = (document: Document): ReadonlySet<string> => {
  const found = new Set<string>()
  const visit = (value: unknown): void => {
    if (typeof value !== "object" || value === null) return
    for (const [field, inner] of Object.entries(value)) {
      if (field !== "$ref" || typeof inner !== "string") visit(inner)
      else if (!found.has(nameOfRef(inner))) {
        found.add(nameOfRef(inner))
        visit(document.components.schemas[nameOfRef(inner)])
      }
    }
  }
  for (const { form, request } of operationsOf(document)) [form, request].forEach(visit)
  return found
}

const HEAD = "// Code generated from openapi.json by `npm run openapi`. DO NOT EDIT.\n\npackage gateway\n"

/** Name of the file → its text. */
export const go = (document: Document): ReadonlyMap<string, string> => {
  const requests = asked(document)
  const texts = new Map<string, string>()
  const schemas = [...schemasOf(document, besides)].filter(([name]) => !leftOut.has(name))
  for (const [file] of files) {
    const writer = new Writer(document)
    for (const [name, schema] of schemas) {
      if (files.find(([, pattern]) => pattern.test(name))?.[0] === file)
        writer.declare(name, schema, requests.has(name))
    }
    texts.set(`wire_${file}.go`, [HEAD, ...writer.declared.values()].join("\n"))
  }
  return texts.set("wire_queries.go", queries(document))
}

/** The queries of operations that have some; whether an answer is a stream is what the method says. */
const queries = (document: Document): string => {
  const writer = new Writer(document)
  const declarations = operationsOf(document).flatMap(({ name, query, streams }) => {
    const fields = Object.entries(query).filter(([field]) => !streams || field !== "stream")
    if (fields.length === 0) return []
    const lines = fields.map(([field, schema]) => {
      const { name: type } = writer.type(schema, "", false)
      // The zero of a bool would be a wish, too.
      const known = ["string", "int64", "float64"].includes(type) ? type : "string"
      return `${comment(schema.description, "\t")}\t${camel(field)} ${known} \`json:"${field}"\``
    })
    const called = `${camel(name)}Query`
    return `// ${called} is the query of an operation; what is zero is not sent.\ntype ${called} struct {\n${lines.join("\n\n")}\n}\n`
  })
  return [HEAD, ...declarations].join("\n")
}
