/**
 * JSON schemas for Anthropic's constrained decoding (`output_config.format`, strict tools), which knows less than JSON Schema: objects
 * are closed, there is no recursion, few optional properties, and no numeric or length limits. Rules as in `@ai-sdk/anthropic` 4.0.105.
 */
import { arrayOf, isObject, type JsonObject } from "../../../json/LooseJson.ts"

/** Anthropic refuses more than 24, and grammars of fewer time out while they are compiled. */
const MAX_OPTIONAL_PROPERTIES = 10

/** References can make a shallow schema as deep as it is long. */
const MAX_DEPTH = 500

const KEPT = ["$schema", "$id", "title", "description", "default", "const", "enum", "type", "required"]
const LISTS = ["anyOf", "oneOf", "allOf", "prefixItems"]
const FORMATS = new Set("date-time time date duration email hostname uri ipv4 ipv6 uuid".split(" "))
/** Limits that the decoder can't enforce; the model is told of them in the description instead. */
const SPOKEN =
  "minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength pattern minItems maxItems uniqueItems minProperties maxProperties not".split(
    " "
  )

/** The schema with everything removed that Anthropic answers 400 to. */
export const nativeSchema = (schema: JsonObject): JsonObject => {
  if (typeof schema["$ref"] === "string") return { $ref: schema["$ref"], ...definitions(schema) }
  const out: { [keyword: string]: unknown } = definitions(schema)
  for (const keyword of KEPT)
    if (schema[keyword] !== undefined && schema[keyword] !== null) out[keyword] = schema[keyword]
  const alternatives = Array.isArray(schema["anyOf"]) ? schema["anyOf"] : schema["oneOf"]
  if (Array.isArray(alternatives)) out["anyOf"] = alternatives.map(nested)
  if (Array.isArray(schema["allOf"])) out["allOf"] = schema["allOf"].map(nested)
  if (isObject(schema["properties"])) out["properties"] = mapped(schema["properties"])
  if (isObject(schema["properties"]) || mayBeObject(schema)) out["additionalProperties"] = false
  if (schema["items"] !== undefined) {
    out["items"] = Array.isArray(schema["items"]) ? schema["items"].map(nested) : nested(schema["items"])
  }
  const format = schema["format"]
  if (typeof format === "string" && FORMATS.has(format)) out["format"] = format
  const spoken = spokenLimits(schema)
  if (spoken !== "") {
    out["description"] = typeof out["description"] === "string" ? `${out["description"]}\n${spoken}` : spoken
  }
  return out
}

const nested = (value: unknown): unknown => (isObject(value) ? nativeSchema(value) : value)

const mapped = (schemas: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, nested(schema)]))

const definitions = (schema: JsonObject): { [keyword: string]: unknown } => ({
  ...(isObject(schema["$defs"]) ? { $defs: mapped(schema["$defs"]) } : {}),
  ...(isObject(schema["definitions"]) ? { definitions: mapped(schema["definitions"]) } : {})
})

const spokenLimits = (schema: JsonObject): string => {
  const limits = SPOKEN.filter(
    (name) => schema[name] !== undefined && schema[name] !== null && schema[name] !== false
  ).map((name) => `${words(name)}: ${typeof schema[name] === "string" ? schema[name] : JSON.stringify(schema[name])}`)
  const format = schema["format"]
  if (typeof format === "string" && !FORMATS.has(format)) limits.push(`format: ${format}`)
  return limits.length === 0 ? "" : `${limits.join("; ")}.`
}

const words = (name: string): string => name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)

const mayBeObject = (schema: JsonObject): boolean =>
  schema["type"] === "object" || arrayOf(schema["type"]).includes("object")

/** Whether `nativeSchema` of it means the same: no maps or free-form objects, no recursion, few optional properties. */
export const fitsNatively = (schema: JsonObject): boolean => {
  const counted = optionalProperties(schema, { root: schema, known: new Map() }, 0)
  return counted !== undefined && counted <= MAX_OPTIONAL_PROPERTIES
}

interface Walk {
  readonly root: JsonObject
  /** Optional properties behind each reference; undefined while it is being followed. */
  readonly known: Map<string, number | undefined>
}

/** Undefined when the schema can't be expressed at all. */
const optionalProperties = (node: unknown, walk: Walk, depth: number): number | undefined => {
  if (!isObject(node)) return 0
  if (depth > MAX_DEPTH || isOpen(node)) return undefined
  const properties = isObject(node["properties"]) ? node["properties"] : {}
  const required = new Set(arrayOf(node["required"]))
  let sum = Object.keys(properties).filter((name) => !required.has(name)).length
  const parts = [node["items"], ...LISTS.map((name) => node[name]), ...Object.values(properties)].flat()
  for (const part of parts) {
    const inside = optionalProperties(part, walk, depth + 1)
    if (inside === undefined) return undefined
    sum += inside
  }
  if (node["$ref"] === undefined) return sum
  const behind = behindReference(node["$ref"], walk, depth)
  return behind === undefined ? undefined : sum + behind
}

const behindReference = (reference: unknown, walk: Walk, depth: number): number | undefined => {
  if (typeof reference !== "string" || !reference.startsWith("#")) return undefined
  if (walk.known.has(reference)) return walk.known.get(reference)
  walk.known.set(reference, undefined)
  const target = pointed(walk.root, reference)
  const counted = target === undefined ? undefined : optionalProperties(target, walk, depth + 1)
  walk.known.set(reference, counted)
  return counted
}

const pointed = (root: JsonObject, reference: string): unknown =>
  reference
    .split("/")
    .slice(1)
    .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"))
    .reduce<unknown>((node, step) => (isObject(node) && Object.hasOwn(node, step) ? node[step] : undefined), root)

/** An object with names that are not known beforehand. */
const isOpen = (node: JsonObject): boolean => {
  const additional = node["additionalProperties"]
  if (additional === true || isObject(additional)) return true
  if (isObject(node["patternProperties"]) && Object.keys(node["patternProperties"]).length > 0) return true
  return mayBeObject(node) && !isObject(node["properties"]) && additional !== false
}
