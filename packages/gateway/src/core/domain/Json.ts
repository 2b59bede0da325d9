/** A JSON object from outside. `__proto__` in it is plain data: objects are only read by name and re-encoded. */
export type JsonObject = { readonly [field: string]: unknown }

export const without = (fields: JsonObject, names: ReadonlyArray<string>): JsonObject =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)))
