/**
 * Schemas of tools whose top is no plain object. OpenAI and Anthropic refuse `anyOf`, `oneOf`, `allOf`, `enum`, `not` and `$ref` there;
 * the Model Context Protocol and other vendors take them.
 */
import { isObject, objectsIn, type JsonObject } from "../../json/LooseJson.ts"

/** Each of several schemas may hold, so only what all require is required. */
const ANY = ["anyOf", "oneOf"]
const REFUSED = [...ANY, "allOf", "enum", "not", "$ref"]

/** `schema` itself where it is a plain object. Else one with the properties of all alternatives: it says less about which go together. */
export const topLevelObject = (schema: JsonObject): JsonObject => {
  if (!REFUSED.some((name) => schema[name] !== undefined)) return schema
  return plain(schema, schema, MOST_DEPTH)
}

const MOST_DEPTH = 8

const plain = (schema: JsonObject, root: JsonObject, depth: number): JsonObject => {
  const parts = depth === 0 ? [] : partsOf(schema, root)
  const rest: Record<string, unknown> = { ...schema }
  for (const name of REFUSED) delete rest[name]
  const required = new Set(textsIn(schema["required"]))
  const properties: Record<string, unknown> = {}
  for (const { alternatives, isAny } of parts) {
    const plainOnes = alternatives.map((one) => plain(one, root, depth - 1))
    for (const one of plainOnes) {
      for (const [name, value] of Object.entries(isObject(one["properties"]) ? one["properties"] : {})) {
        properties[name] = either(properties[name], value)
      }
    }
    const [first = [], ...others] = plainOnes.map((one) => textsIn(one["required"]))
    const wanted = isAny
      ? first.filter((name) => others.every((names) => names.includes(name)))
      : [first, ...others].flat()
    for (const name of wanted) required.add(name)
  }
  const own = isObject(schema["properties"]) ? schema["properties"] : {}
  return {
    ...rest,
    type: "object",
    properties: { ...properties, ...own },
    ...(required.size === 0 ? undefined : { required: [...required] })
  }
}

const partsOf = (schema: JsonObject, root: JsonObject) => {
  const named = referred(schema["$ref"], root)
  return [
    ...ANY.map((name) => ({ alternatives: objectsIn(schema[name]).filter(isNoNull), isAny: true })),
    { alternatives: [...objectsIn(schema["allOf"]), ...(named === undefined ? [] : [named])], isAny: false }
  ].filter(({ alternatives }) => alternatives.length > 0)
}

const isNoNull = ({ type }: JsonObject): boolean => type !== "null"

const referred = (ref: unknown, root: JsonObject): JsonObject | undefined => {
  const [, place, name] = typeof ref === "string" ? (/^#\/(\$defs|definitions)\/([^/]+)$/.exec(ref) ?? []) : []
  const all = place === undefined ? undefined : root[place]
  const found = isObject(all) ? all[name!] : undefined
  return isObject(found) ? found : undefined
}

const either = (one: unknown, other: unknown): unknown =>
  one === undefined || JSON.stringify(one) === JSON.stringify(other) ? other : { anyOf: [one, other] }

const textsIn = (value: unknown): ReadonlyArray<string> =>
  Array.isArray(value) ? value.filter((one) => typeof one === "string") : []
