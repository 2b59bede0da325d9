/** Texts as Postgres can store them. */

/**
 * Postgres refuses texts with a NUL or half a surrogate pair, and the whole statement: a model name could block the ledger. Each
 * such character becomes U+FFFD.
 */
export const storable = (text: string): string =>
  text.includes("\0") || !text.isWellFormed() ? text.toWellFormed().replaceAll("\0", "\uFFFD") : text

export const storableOrNull = (text: string | null): string | null => (text === null ? null : storable(text))

/** A statement whose values are `?`, as Postgres numbers them. */
export const placed = (text: string): string => {
  let place = 0
  return text.replaceAll("?", () => `$${++place}`)
}
