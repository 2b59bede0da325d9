/** JSON from outside. */

/** A JSON object from outside. `__proto__` in it is data: it is only ever read by name and re-encoded. */
export type JsonObject = { readonly [field: string]: unknown }
