/**
 * Parses JSON from providers, which may be hostile: 64 MiB of brackets take seconds and gigabytes to parse, and encoding thousands
 * of nested levels overflows the stack. So long texts are checked before they are parsed. What callers send is checked as bytes, by
 * `http/proxy/JsonGuard`: to encode a response for that would take longer than this scan, 3 to 45 µs against 0.3 for 16 KB of prose.
 */
import { mayHoldExact, parseExact, parseToolData } from "../../core/domain/ExactJson.ts"

const MAX_DEPTH = 200
/** As many values as a response with the log probabilities of 16,000 tokens has. */
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

/** The value; undefined if the text is not JSON, or larger than any response. */
export const parseJson = (text: string): unknown => {
  if (text.length > HARMLESS_LENGTH && isExcessive(text)) return undefined
  try {
    return TOOL_DATA.test(text) && mayHoldExact(text) ? parseToolData(text) : (JSON.parse(text) as unknown)
  } catch {
    return undefined
  }
}

/** Searching for words is faster than for numbers, of which vectors have many. */
const TOOL_DATA = /"(?:args|arguments|tool_use|toolUse)"/

/** The text of a call's arguments as an object whose numbers keep their text; undefined as of `parseJson`. */
export const parseArguments = (text: string): unknown => {
  if (!mayHoldExact(text)) return parseJson(text)
  if (text.length > HARMLESS_LENGTH && isExcessive(text)) return undefined
  try {
    return parseExact(text)
  } catch {
    return undefined
  }
}

/** 1 for the characters that matter outside strings. */
const TELLING = new Uint8Array(128)
for (const code of [QUOTE, COMMA, OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT]) TELLING[code] = 1

const isExcessive = (text: string): boolean => {
  let depth = 0
  let values = 0
  let strings = 0
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    // Blanks, digits and most letters.
    if (code < 128 && TELLING[code] === 0) continue
    switch (code) {
      case QUOTE:
        if (++strings > 2 * MAX_VALUES) return true
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

/** Searching is fast where quotes are rare; a string with escaped quotes is walked through. */
export const endOfString = (text: string, from: number): number => {
  const first = text.indexOf('"', from)
  if (first < 0) return text.length
  let before = first - 1
  while (before >= from && text.charCodeAt(before) === BACKSLASH) before--
  if ((first - 1 - before) % 2 === 0) return first
  for (let at = first + 1; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) return at
    if (code === BACKSLASH) at++
  }
  return text.length
}
