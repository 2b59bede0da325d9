/**
 * A look at the bytes of a JSON body before it is parsed: nesting and size are bounded, so that no body can hold up the event loop
 * or overflow the stack; what is not UTF-8 would reach the provider as something else. Whether it is JSON is for the parser to say.
 */
import { isUtf8 } from "node:buffer"

export const MAX_DEPTH = 64
export const MAX_TOKENS = 200_000
/** A value and its name. */
const MAX_STRINGS = 2 * (MAX_TOKENS + 1)

const QUOTE = 34
const COMMA = 44
const OPEN_BRACKET = 91
const BACKSLASH = 92
const CLOSE_BRACKET = 93
const OPEN_BRACE = 123
const CLOSE_BRACE = 125

/** 1 for the bytes that are looked at outside of strings. */
const TELLING = new Uint8Array(256)
for (const byte of [QUOTE, COMMA, OPEN_BRACKET, CLOSE_BRACKET, OPEN_BRACE, CLOSE_BRACE]) TELLING[byte] = 1

/** What is wrong with the body, or undefined. Values are counted by the commas and brackets between them. */
export const excessOf = (bytes: Uint8Array): string | undefined => {
  if (!isUtf8(bytes)) return "the body is not UTF-8"
  let depth = 0
  let tokens = 0
  let strings = 0
  const { length } = bytes
  for (let index = 0; index < length; index++) {
    const byte = bytes[index]!
    // Ten megabytes of blanks take a tenth of the time this way.
    if (TELLING[byte] === 0) continue
    switch (byte) {
      case QUOTE:
        if (++strings > MAX_STRINGS) return `the body has more than ${MAX_TOKENS} values`
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

/**
 * Jumps to the first quote, which is native code and fast. A string that has quotes of its own is walked through from there: jumps
 * from one to the next would take seconds where there is nothing else.
 */
const endOfString = (bytes: Uint8Array, from: number): number => {
  const first = bytes.indexOf(QUOTE, from)
  if (first < 0) return bytes.length
  let before = first - 1
  while (before >= from && bytes[before] === BACKSLASH) before--
  if ((first - 1 - before) % 2 === 0) return first
  for (let at = first + 1; at < bytes.length; at++) {
    const byte = bytes[at]
    if (byte === QUOTE) return at
    if (byte === BACKSLASH) at++
  }
  return bytes.length
}
