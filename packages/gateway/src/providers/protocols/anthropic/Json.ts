/** Reads JSON from outside: a value of the wrong kind counts as absent. */
export { arrayOf, countOf, encodeJson, isBlank, isGarbage, isObject, objectOf, textOf } from "../../Json.ts"
export { parseJson } from "../../BoundedJson.ts"
