/** Reading JSON schemas that anybody may have written. */
import type { JsonObject } from "../../../core/domain/Json.ts"
import { arrayOf, isObject, objectsIn } from "../../json/LooseJson.ts"

/** References are followed this far: a chain that is longer leads nowhere. */
const LONGEST_CHAIN = 16

/** The schema with its `$ref` replaced by what it refers to; what stands beside the reference wins. */
export const resolve = (schema: JsonObject, root: unknown): JsonObject => {
  let node = schema
  for (let step = 0; step < LONGEST_CHAIN && typeof node["$ref"] === "string"; step++) {
    const { $ref: reference, ...beside } = node
    const target = lookUp(String(reference), root)
    node = isObject(target) ? { ...target, ...beside } : beside
  }
  return node
}

/** Only references within the same document: nothing is fetched. */
const lookUp = (reference: string, root: unknown): unknown => {
  if (!reference.startsWith("#")) return undefined
  let node = root
  for (const step of reference.slice(1).split("/").slice(1)) {
    const name = step.replaceAll("~1", "/").replaceAll("~0", "~")
    if (typeof node !== "object" || node === null || !Object.hasOwn(node, name)) return undefined
    node = (node as JsonObject)[name]
  }
  return node
}

/** The schema with the parts of its `allOf` folded in. */
export const withParts = (schema: JsonObject, root: unknown): JsonObject => {
  if (!Array.isArray(schema["allOf"])) return schema
  const { allOf, ...rest } = schema
  return objectsIn(allOf)
    .map((part) => resolve(part, root))
    .reduce((node, { allOf: _nested, ...part }) => merged(node, part), rest)
}

const merged = (one: JsonObject, other: JsonObject): JsonObject => ({
  ...one,
  ...other,
  ...(isObject(one["properties"]) && isObject(other["properties"])
    ? { properties: { ...one["properties"], ...other["properties"] } }
    : {}),
  ...(one["required"] !== undefined && other["required"] !== undefined
    ? { required: [...arrayOf(one["required"]), ...arrayOf(other["required"])] }
    : {})
})

/** The type a value should have; where the schema does not say, what its keywords are about. */
export const typeOf = (node: JsonObject): unknown => {
  const type = node["type"]
  if (Array.isArray(type)) return type.find((one) => one !== "null") ?? "null"
  if (type !== undefined) return type
  if (node["properties"] !== undefined || node["required"] !== undefined) return "object"
  if (node["items"] !== undefined || node["prefixItems"] !== undefined) return "array"
  if (node["minimum"] !== undefined || node["maximum"] !== undefined) return "number"
  return "string"
}
