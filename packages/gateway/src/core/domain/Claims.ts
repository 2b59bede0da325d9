/** The claims of a token, and single ones by name or JSON pointer. */
export type Claims = { readonly [name: string]: unknown }

/** `path`: the name of a claim, or a JSON pointer such as `/realm_access/roles`. */
export const claimAt = (claims: Claims, path: string): unknown => {
  if (!path.startsWith("/")) return Object.hasOwn(claims, path) ? claims[path] : undefined
  let value: unknown = claims
  for (const part of path.slice(1).split("/")) {
    const name = part.replaceAll("~1", "/").replaceAll("~0", "~")
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined
    value = (value as Claims)[name]
  }
  return value
}

/** The texts, numbers and truth values of a claim or of its list, as texts. */
export const textsAt = (claims: Claims, path: string): ReadonlyArray<string> => {
  const found = claimAt(claims, path)
  return (Array.isArray(found) ? found : [found]).flatMap((one: unknown) =>
    ["string", "number", "boolean"].includes(typeof one) ? [String(one)] : []
  )
}
