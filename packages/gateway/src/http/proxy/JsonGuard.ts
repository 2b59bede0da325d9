/**
 * A look at the bytes of a JSON body before it is parsed: nesting and size are bounded, so that no body can hold up the event loop
 * or overflow the stack. It checks bounds only; whether it is JSON is for the parser to say.
 */
export const MAX_DEPTH = 64
export const MAX_TOKENS = 200_000

const QUOTE = 34
const COMMA = 44
const OPEN_BRACKET = 91
const BACKSLASH = 92
const CLOSE_BRACKET = 93
const OPEN_BRACE = 123
const CLOSE_BRACE = 125

/** What is wrong with the body, or undefined. Values are counted by the commas and brackets between them. */
export const excessOf = (bytes: Uint8Array): string | undefined => {
  let depth = 0
  let tokens = 0
  for (let index = 0; index < bytes.length; index++) {
    switch (bytes[index]) {
      case QUOTE:
        index = endOfString(bytes, index + 1)
        break
      case OPEN_BRACE:
      case OPEN_BRACKET:
        tokens++
        if (++depth > MAX_DEPTH) return `the body is nested deeper than ${MAX_DEPTH} levels`
        break
      case CLOSE_BRACE:
      case CLOSE_BRACKET:
        depth--
        break
      case COMMA:
        if (++tokens > MAX_TOKENS) return `the body has more than ${MAX_TOKENS} values`
        break
    }
  }
  return undefined
}

/** Jumps from quote to quote, which is native code and fast; a quote after an odd number of backslashes is inside the string. */
const endOfString = (bytes: Uint8Array, from: number): number => {
  let at = bytes.indexOf(QUOTE, from)
  while (at > 0) {
    let before = at - 1
    while (before >= from && bytes[before] === BACKSLASH) before--
    if ((at - 1 - before) % 2 === 0) return at
    at = bytes.indexOf(QUOTE, at + 1)
  }
  return bytes.length
}
