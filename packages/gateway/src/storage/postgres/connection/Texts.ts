/** Texts as Postgres can hold them. */

/**
 * Postgres stores every text but those with a NUL or half a surrogate pair, and refuses the whole statement that has one: whoever could
 * put one into the name of a model would hold up everybody's books. Each becomes U+FFFD.
 */
export const storable = (text: string): string =>
  text.includes("\0") || !text.isWellFormed() ? text.toWellFormed().replaceAll("\0", "\uFFFD") : text

/** The same of a text that may be missing. */
export const storableOrNull = (text: string | null): string | null => (text === null ? null : storable(text))

/** A statement whose values are `?`, as Postgres numbers them. */
export const placed = (text: string): string => {
  let place = 0
  return text.replaceAll("?", () => `$${++place}`)
}
