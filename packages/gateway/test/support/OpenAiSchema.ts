/**
 * Validators from the vendor's own API description (kept beside the recordings). As published it refuses the vendor's own traffic;
 * the repairs below are the least that make it accept all of it.
 */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js"
import { dataFolder } from "./Transcripts.ts"

type Json = { [key: string]: unknown }

const SCHEMAS = "#/components/schemas/"

/** Properties that the vendor sends as null although its description does not say so. */
const NULLABLE: ReadonlyArray<readonly [schema: string, ...path: ReadonlyArray<string>]> = [
  ["CreateChatCompletionResponse", "properties", "system_fingerprint"],
  ["CreateChatCompletionStreamResponse", "properties", "system_fingerprint"],
  ["CreateCompletionResponse", "properties", "system_fingerprint"],
  ["CreateCompletionResponse", "properties", "choices", "items", "properties", "finish_reason"],
  ["CreateCompletionResponse", "properties", "usage"],
  ["Response", "allOf", "2", "properties", "usage"],
  ["ModelResponseProperties", "properties", "user"],
  ["MCPTool", "properties", "server_description"],
  ["TextResponseFormatJsonSchema", "properties", "description"]
]

/** Required properties that the vendor leaves out. */
const OPTIONAL: ReadonlyArray<readonly [property: string, schema: string, ...path: ReadonlyArray<string>]> = [
  ["logprobs", "CreateChatCompletionResponse", "properties", "choices", "items"],
  ["refusal", "ChatCompletionResponseMessage"],
  ["logprobs", "OutputTextContent"],
  ["logprobs", "ResponseTextDeltaEvent"],
  ["logprobs", "ResponseTextDoneEvent"],
  ["cache_write_tokens", "ResponseUsage", "properties", "input_tokens_details"],
  ["name", "ResponseFunctionCallArgumentsDoneEvent"]
]

const validators = new Map<string, ValidateFunction>()
let schemas: Record<string, Json> | undefined

/** What is wrong with `value` as a schema of the description, e.g. `CreateChatCompletionResponse`; undefined when nothing is. */
export const problemWith = (schema: string, value: unknown): string | undefined => {
  const validate = validators.get(schema) ?? compile(schema)
  validators.set(schema, validate)
  if (validate(value)) return undefined
  const errors = (validate.errors ?? []).filter((error) => error.keyword !== "anyOf")
  return errors.map(({ instancePath, message }) => `${instancePath || "/"} ${message}`).join("; ")
}

/** What is wrong with a whole chat completion. */
export const completionProblem = (value: unknown): string | undefined =>
  problemWith("CreateChatCompletionResponse", value)

/** What is wrong with one chunk of a streamed chat completion. */
export const chunkProblem = (value: unknown): string | undefined =>
  problemWith("CreateChatCompletionStreamResponse", value)

const compile = (name: string): ValidateFunction => {
  schemas ??= repaired()
  const reachable: Record<string, Json> = {}
  const visit = (schema: string): void => {
    if (schema in reachable) return
    const body = schemas![schema]
    if (body === undefined) throw new Error(`the description has no schema ${schema}`)
    reachable[schema] = body
    for (const [, target] of JSON.stringify(body).matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g)) visit(target!)
  }
  visit(name)
  const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: false, logger: false })
  return ajv.compile({ $ref: SCHEMAS + name, components: { schemas: reachable } })
}

const repaired = (): Record<string, Json> => {
  const description = JSON.parse(readFileSync(join(dataFolder, "openai-openapi.json"), "utf8")) as Json
  const all = (description["components"] as Json)["schemas"] as Record<string, Json>
  for (const [schema, ...path] of NULLABLE) {
    const last = path.at(-1)!
    const parent = at(all, [schema, ...path.slice(0, -1)])
    if (parent[last] === undefined) throw new Error(`the description has no ${schema}.${path.join(".")}`)
    parent[last] = { anyOf: [parent[last], { type: "null" }] }
  }
  for (const [property, ...path] of OPTIONAL) {
    const owner = at(all, path)
    owner["required"] = (owner["required"] as ReadonlyArray<string>).filter((name) => name !== property)
  }
  at(all, ["Embedding", "properties"])["embedding"] = { anyOf: [{ type: "array" }, { type: "string" }] }
  return Object.fromEntries(Object.entries(all).map(([name, body]) => [name, modern(body, name) as Json]))
}

const at = (root: Json, path: ReadonlyArray<string>): Json =>
  path.reduce((node, key) => {
    const next = node[key]
    if (next === undefined) throw new Error(`the description has no ${path.join(".")}`)
    return next as Json
  }, root)

/** The 3.0 and 2019 dialects that are mixed into the description, as plain 2020-12. */
const modern = (node: unknown, schema: string): unknown => {
  if (Array.isArray(node)) return node.map((item) => modern(item, schema))
  if (typeof node !== "object" || node === null) return node
  const { $recursiveAnchor: _, $recursiveRef, nullable, oneOf, ...rest } = node as Json
  const out = Object.fromEntries(Object.entries(rest).map(([key, value]) => [key, modern(value, schema)]))
  if (oneOf !== undefined) out["anyOf"] = modern(oneOf, schema)
  if ($recursiveRef !== undefined) out["$ref"] = SCHEMAS + schema
  if (nullable === true) return Object.keys(out).length === 0 ? {} : { anyOf: [out, { type: "null" }] }
  if (nullable !== undefined) out["nullable"] = modern(nullable, schema)
  return out
}
