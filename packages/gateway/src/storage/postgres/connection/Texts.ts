/** Texts as Postgres can store them. */

/**
 * Postgres stores every text except those with a NUL or half a surrogate pair, and fails the whole statement for one. A caller
 * could otherwise block the ledger with such a model name. Each such character becomes U+FFFD.
 */
export const storable = (text: string): string =>
  text.includes("\0") || !text.isWellFormed() ? text.toWellFormed().replaceAll("\0", "\uFFFD") : text

/** Like `storable`, for a text that may be null. */
export const storableOrNull = (text: string | null): string | null => (text === null ? null : storable(text))

/** A statement whose values are `?`, as Postgres numbers them. */
export const placed = (text: string): string => {
  let place = 0
  return text.replaceAll("?", () => `$${++place}`)
}
