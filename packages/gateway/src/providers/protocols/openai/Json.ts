/** Reading JSON from outside without trusting its shape. */
import type { JsonObject } from "../../../core/domain/Json.ts"

export { parseJson } from "../../BoundedJson.ts"

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** The value when it is an object, else an empty one. */
export const objectOr = (value: unknown): JsonObject => (isObject(value) ? value : {})

/** The objects among the elements of a list; none where it is no list. */
export const objectsIn = (value: unknown): ReadonlyArray<JsonObject> =>
  Array.isArray(value) ? value.filter((element) => isObject(element)) : []
