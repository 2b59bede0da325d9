/**
 * Checks the bytes of a JSON body before parsing: UTF-8, nesting and size, so that no body blocks the event loop or overflows
 * the stack. The parser decides whether it is valid.
 */
import { isUtf8 } from "node:buffer"
import { randomInt } from "node:crypto"
import { seededHash } from "../../core/collections/SeededHash.ts"
import { parseToolData } from "../../core/domain/ExactJson.ts"

const MAX_DEPTH = 64
/** Values, lists and objects of a body, unless the settings say otherwise. */
export const MAX_VALUES = 1_000_000
/** The most different names in a large body. */
const MAX_NAMES = 10_000

const QUOTE = 34
const COMMA = 44
const COLON = 58
const OPEN_BRACKET = 91
const BACKSLASH = 92
const CLOSE_BRACKET = 93
const OPEN_BRACE = 123
const CLOSE_BRACE = 125

/** 1 for the bytes that matter outside strings. */
const TELLING = new Uint8Array(256)
for (const byte of [QUOTE, COMMA, COLON, OPEN_BRACKET, CLOSE_BRACKET, OPEN_BRACE, CLOSE_BRACE]) TELLING[byte] = 1

/** The scan of a whole body, or what is wrong with it. */
export const scanned = (bytes: Uint8Array, maxValues = MAX_VALUES): JsonScan | string => {
  if (!isUtf8(bytes)) return NOT_UTF8
  const scan = new JsonScan(bytes, maxValues)
  return scan.run(bytes.length) ?? scan
}

export const NOT_UTF8 = "the body is not UTF-8"

/** Scans the bytes in steps. Values are counted by the commas and brackets between them. */
export class JsonScan {
  /** The first byte that was not scanned yet. */
  at = 0
  /** Some number would not be encoded again as it is written: it is long, has an exponent, or ends in a zero behind its point. */
  hasExact = false
  /** With `longFrom`, of each longer string: its first byte after the quote, then the position of its closing quote. */
  readonly long: Array<number>
  private readonly bytes: Uint8Array
  private readonly maxValues: number
  private readonly longFrom: number
  private depth = 0
  private tokens = 0
  private strings = 0
  private names: Set<number> | undefined

  constructor(bytes: Uint8Array, maxValues: number, longFrom = Number.POSITIVE_INFINITY) {
    this.bytes = bytes
    this.maxValues = maxValues
    this.longFrom = longFrom
    this.long = longFrom === Number.POSITIVE_INFINITY ? NONE : []
  }

  /** Scans to `end`, or to the end of the string that contains it. Returns what is wrong with the body so far, if anything. */
  run(end: number): string | undefined {
    const { bytes, longFrom, maxValues } = this
    // Each value may have a name, hence twice as many strings.
    const maxStrings = 2 * (maxValues + 1)
    let { depth, strings, tokens } = this
    let index = this.at
    for (; index < end; index++) {
      const byte = bytes[index]!
      // Skipping blanks here makes ten megabytes of them ten times as fast.
      if (TELLING[byte] === 0) continue
      switch (byte) {
        case QUOTE: {
          if (++strings > maxStrings) return tooMany(maxValues)
          const close = endOfString(bytes, index + 1)
          if (longFrom !== Number.POSITIVE_INFINITY) {
            if (close - index > longFrom) this.long.push(index + 1, close)
            if (isName(bytes, close) && this.isOneNameTooMany(index + 1, close)) return TOO_MANY_NAMES
          }
          index = close
          break
        }
        case OPEN_BRACE:
        case OPEN_BRACKET:
          tokens++
          this.hasExact ||= isExactNumber(bytes, index + 1)
          if (++depth > MAX_DEPTH) return `the body is nested deeper than ${MAX_DEPTH} levels`
          break
        case CLOSE_BRACE:
        case CLOSE_BRACKET:
          depth--
          break
        case COMMA:
          if (++tokens > maxValues) return tooMany(maxValues)
          this.hasExact ||= isExactNumber(bytes, index + 1)
          break
        case COLON:
          this.hasExact ||= isExactNumber(bytes, index + 1)
          break
      }
    }
    this.depth = depth
    this.strings = strings
    this.tokens = tokens
    this.at = index
    return undefined
  }

  /** Tells names apart by a hash. A new name costs the parser as much as a hundred known ones. */
  private isOneNameTooMany(start: number, end: number): boolean {
    this.names ??= new Set()
    this.names.add(hashOf(this.bytes, start, end))
    return this.names.size > MAX_NAMES
  }
}

/** Digits that any number keeps. */
const KEPT_DIGITS = 15
const MINUS = 45
const POINT = 46
const ZERO = 48
/** Blanks before a number; behind more of them it is not looked for. */
const MOST_BLANKS = 64

const isExactNumber = (bytes: Uint8Array, from: number): boolean => {
  let at = from
  while (isBlank(bytes[at]) && at < from + MOST_BLANKS) at++
  if (bytes[at] === MINUS) at++
  const start = at
  let point = -1
  for (; ; at++) {
    const byte = bytes[at]
    if (byte === POINT) point = at
    else if (byte === undefined || byte < ZERO || byte > 57) break
  }
  if (at === start) return false
  const end = bytes[at]
  // `E` and `e`.
  if (end === 69 || end === 101 || at - start > KEPT_DIGITS) return true
  return point >= 0 && bytes[at - 1] === ZERO
}

const isBlank = (byte: number | undefined): boolean => byte === 32 || byte === 10 || byte === 13 || byte === 9

/** Numbers of tools keep their text, at a price that other bodies do not pay. */
export const parserFor = ({ hasExact }: JsonScan): ((text: string) => unknown) =>
  hasExact ? parseToolData : JSON.parse

const hashOf = seededHash(randomInt(2 ** 32), randomInt(2 ** 32))

const NONE: Array<number> = []
const TOO_MANY_NAMES = `the body has more than ${MAX_NAMES} different names`
const tooMany = (maxValues: number) => `the body has more than ${maxValues} values`

/** Whether a value follows the string that ends there. */
export const isName = (bytes: Uint8Array, close: number): boolean => {
  let after = close + 1
  while (isBlank(bytes[after])) after++
  return bytes[after] === COLON
}

/** Jumps to the first quote with native code; strings with escaped quotes are walked through, as jumping takes seconds. */
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
