/** JSON schemas as `parametersJsonSchema` and `responseJsonSchema` take them, nearly as they are. The older `parameters` refuses more. */
import { isObject, objectOr, type JsonObject } from "../../../json/LooseJson.ts"

/** Deeper ones can't be written either. */
const MAX_DEPTH = 500

/** Places of further schemas: one, a list, or by name. */
const ONE = ["items", "additionalProperties", "not", "contains", "if", "then", "else", "propertyNames"]
const LISTS = ["anyOf", "oneOf", "allOf", "prefixItems"]
const NAMED = ["properties", "patternProperties", "$defs"]

/** Without what Google has no words for. */
export const takenSchema = (schema: JsonObject): JsonObject => {
  const { $schema: _, definitions, ...rest } = schema
  const merged = isObject(definitions) ? { ...rest, $defs: { ...definitions, ...objectOr(rest["$defs"]) } } : rest
  const out = taken(merged, 0)
  return out["type"] === undefined && out["$ref"] === undefined && !LISTS.some((name) => name in out)
    ? { type: "object", ...out }
    : out
}

const taken = (schema: JsonObject, depth: number): JsonObject => {
  if (depth > MAX_DEPTH) return schema
  const out: { [keyword: string]: unknown } = { ...schema }
  // `const` is not among the keywords that are known: https://ai.google.dev/api/generate-content (2026-11-22).
  const { const: only } = schema
  if (typeof only === "string" || typeof only === "number") {
    delete out["const"]
    out["enum"] = [only]
  }
  // The older name of `$defs`.
  const reference = schema["$ref"]
  if (typeof reference === "string" && reference.startsWith("#/definitions/")) {
    out["$ref"] = reference.replace("#/definitions/", "#/$defs/")
  }
  const inner = (value: unknown): unknown => (isObject(value) ? taken(value, depth + 1) : value)
  for (const name of ONE)
    if (name in out) out[name] = Array.isArray(out[name]) ? out[name].map(inner) : inner(out[name])
  for (const name of LISTS) if (Array.isArray(out[name])) out[name] = out[name].map(inner)
  for (const name of NAMED) {
    const named = out[name]
    if (isObject(named)) out[name] = Object.fromEntries(Object.entries(named).map(([key, one]) => [key, inner(one)]))
  }
  return out
}
