/**
 * JSON from providers, which may be garbage made of brackets: parsing 64 MiB of those takes seconds and gigabytes, and writing
 * what is nested some thousand levels deep overflows the stack. So long texts are looked at before they are parsed.
 */
const MAX_DEPTH = 200
/** An answer with the log probabilities of 16,000 tokens has so many values. */
const MAX_VALUES = 4_000_000
/** A shorter text can't be nested deeply enough to matter. */
const HARMLESS_LENGTH = 4_096

const QUOTE = 34
const COMMA = 44
const OPEN_LIST = 91
const BACKSLASH = 92
const CLOSE_LIST = 93
const OPEN_OBJECT = 123
const CLOSE_OBJECT = 125

/** The value; undefined where the text is no JSON, or more than any answer is. */
export const parseJson = (text: string): unknown => {
  if (text.length > HARMLESS_LENGTH && isExcessive(text)) return undefined
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

const isExcessive = (text: string): boolean => {
  let depth = 0
  let values = 0
  for (let index = 0; index < text.length; index++) {
    switch (text.charCodeAt(index)) {
      case QUOTE:
        index = endOfString(text, index + 1)
        break
      case OPEN_LIST:
      case OPEN_OBJECT:
        if (++depth > MAX_DEPTH) return true
        break
      case CLOSE_LIST:
      case CLOSE_OBJECT:
        depth--
        break
      case COMMA:
        if (++values > MAX_VALUES) return true
        break
    }
  }
  return false
}

const endOfString = (text: string, from: number): number => {
  for (let at = text.indexOf('"', from); at >= 0; at = text.indexOf('"', at + 1)) {
    let escapes = at
    while (escapes > from && text.charCodeAt(escapes - 1) === BACKSLASH) escapes--
    if ((at - escapes) % 2 === 0) return at
  }
  return text.length
}
