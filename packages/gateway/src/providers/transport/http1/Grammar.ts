/** What of HTTP's grammar (RFC 9110, 5) reading and writing share, as sources of patterns. A character stands for a byte. */

/** A name. */
export const TOKEN = "[!#$%&'*+\\-.^_`|~0-9A-Za-z]+"
/** What a header may hold: no line end, nothing that controls. */
export const VALUE = String.raw`[\t\x20-\x7e\x80-\xff]*`
/** A line of a head or of a trailer. */
export const FIELD = `${TOKEN}:${VALUE}`

/** Matches what is nothing else. */
export const whole = (source: string): RegExp => new RegExp(`^(?:${source})$`)
