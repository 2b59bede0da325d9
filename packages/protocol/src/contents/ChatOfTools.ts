/** Tools of Google's API, and the schemas in its requests, in the words of chat. Tools that run at Google stay as they are. */
import { Predicate } from "effect"
import type { ContentBody } from "../content/FieldRules.ts"
import { camel, each, isEmpty, some } from "./ContentFields.ts"

/** `toolConfig.functionCallingConfig` is `tool_choice`; `google` has the rest of `toolConfig`. */
export const chatTools = (given: unknown, toolConfig: unknown): ContentBody => {
  const { functionCallingConfig, ...config } = camel(toolConfig)
  const { allowedFunctionNames, mode, ...more } = camel(functionCallingConfig)
  const tools = each(given).flatMap((tool) => {
    const { functionDeclarations, ...own } = camel(tool)
    return [...each(functionDeclarations).map(chatFunction), ...(isEmpty(own) ? [] : [own])]
  })
  // Chat has no word for `VALIDATED`: the model chooses, and its calls fit their schemas.
  const own = some({ ...more, mode: mode === "VALIDATED" ? mode : undefined })
  const google = some({ ...config, functionCallingConfig: isEmpty(own) ? undefined : own })
  return some({
    tools: tools.length === 0 ? undefined : tools,
    tool_choice: tools.some((tool) => "function" in tool) ? choiceOf(mode, allowedFunctionNames) : undefined,
    google: isEmpty(google) ? undefined : google
  })
}

const chatFunction = (declared: ContentBody): ContentBody => {
  const { description, name, parameters, parametersJsonSchema, ...others } = camel(declared)
  const more = parametersJsonSchema === undefined ? others : some({ ...others, parameters })
  const schema = parametersJsonSchema ?? jsonSchema(parameters)
  const google = isEmpty(more) ? undefined : more
  return { type: "function", function: some({ name, description, parameters: schema, google }) }
}

const choiceOf = (mode: unknown, names: unknown): unknown => {
  if (mode === "NONE") return "none"
  const allowed = Array.isArray(names) ? (names as ReadonlyArray<unknown>) : []
  const tools = allowed.map((name) => ({ type: "function", function: { name } }))
  if (tools.length === 0) return mode === "ANY" ? "required" : undefined
  if (mode === "ANY" && tools.length === 1) return tools[0]
  return { type: "allowed_tools", allowed_tools: { mode: mode === "ANY" ? "required" : "auto", tools } }
}

const COUNTS = new Set("minItems maxItems minLength maxLength minProperties maxProperties".split(" "))
/** Values, not schemas. */
const VALUES = new Set("enum default example required propertyOrdering".split(" "))

/** Google's own form of schemas has types in capitals, counts as texts, and `nullable`: https://ai.google.dev/api/caching#Schema (2026-11-28). */
export const jsonSchema = (schema: unknown): unknown => {
  if (Array.isArray(schema)) return schema.map(jsonSchema)
  if (!Predicate.isObject(schema)) return schema
  const { nullable, properties, type, ...fields } = camel(schema)
  const kind = typeof type === "string" ? type.toLowerCase() : type
  const inner = Object.entries(fields).map(([name, value]) => [
    name,
    COUNTS.has(name) ? Number(value) : VALUES.has(name) ? value : jsonSchema(value)
  ])
  const named = Object.entries(Predicate.isObject(properties) ? properties : {}).map(([name, one]) => [
    name,
    jsonSchema(one)
  ])
  return some({
    type: kind === undefined || nullable !== true ? kind : [kind, "null"],
    properties: properties === undefined ? undefined : Object.fromEntries(named),
    ...Object.fromEntries(inner)
  })
}
