/**
 * Reads values of PDF syntax (ISO 32000-1, 7.2 and 7.3) as all readers do. What readers take in different ways (comments among values, a
 * key twice in a dictionary, `#` in a key, malformed numbers) is `Unclear`.
 */

/** A file, or a part of one, that readers may read in different ways. */
export class Unclear extends Error {}

/** A string of that many bytes. */
export class PdfText {
  readonly length: number
  constructor(length: number) {
    this.length = length
  }
}

export class PdfRef {
  readonly number: number
  constructor(number: number) {
    this.number = number
  }
}

/** By key, without its slash. */
export type PdfDict = ReadonlyMap<string, PdfValue>

/** A name is a string that begins with a slash. */
export type PdfValue = number | string | boolean | null | PdfText | PdfRef | ReadonlyArray<PdfValue> | PdfDict

/** For all values of one file. Each takes some 50 bytes of memory. */
export interface PdfAllowance {
  values: number
}

const MAX_DEPTH = 64
const LONGEST_TOKEN = 512

const WHITESPACE = new Set([0, 9, 10, 12, 13, 32])
const DELIMITERS = new Set(Array.from("()<>[]{}/%", (sign) => sign.charCodeAt(0)))
const classes = Uint8Array.from({ length: 256 }, (_, byte) => (WHITESPACE.has(byte) ? 1 : DELIMITERS.has(byte) ? 2 : 0))

export const isSpace = (byte: number | undefined): boolean => byte !== undefined && classes[byte] === 1
export const isRegular = (byte: number | undefined): boolean => byte !== undefined && classes[byte] === 0

const isBreak = (byte: number | undefined): boolean => byte === 10 || byte === 13
const REMARK = /^%[\w .,:()-]*\r?$/
const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)$/
const CONSTANTS: ReadonlyMap<string, boolean | null> = new Map([
  ["true", true],
  ["false", false],
  ["null", null]
])

interface OpenValue {
  readonly isDict: boolean
  readonly items: Array<PdfValue>
}

export class PdfLexer {
  readonly bytes: Buffer
  at: number
  private readonly allowance: PdfAllowance

  constructor(bytes: Buffer, allowance: PdfAllowance, at = 0) {
    this.bytes = bytes
    this.allowance = allowance
    this.at = at
  }

  skipSpace(): void {
    while (isSpace(this.bytes[this.at])) this.at++
  }

  /** The regular characters from here on; "" where there are none. */
  word(): string {
    const from = this.at
    while (isRegular(this.bytes[this.at])) this.at++
    if (this.at - from > LONGEST_TOKEN) throw new Unclear("a token is too long")
    return this.bytes.toString("latin1", from, this.at)
  }

  /** The number here, from 0. */
  whole(): number {
    this.skipSpace()
    const word = this.word()
    if (!/^\d{1,10}$/.test(word)) throw new Unclear("a whole number is missing")
    return Number(word)
  }

  expect(word: string): void {
    this.skipSpace()
    if (this.word() !== word) throw new Unclear(`${word} is missing`)
  }

  /** The one value here, and the keyword behind it: "" at the end. */
  value(): { readonly value: PdfValue; readonly keyword: string } {
    const stack: Array<OpenValue> = [{ isDict: false, items: [] }]
    for (;;) {
      this.skipSpace()
      if (--this.allowance.values < 0) throw new Unclear("the file has too many values")
      const top = stack[stack.length - 1]!
      const byte = this.bytes[this.at]
      if (byte === undefined || isRegular(byte)) {
        const word = this.word()
        if (this.regular(word, top.items)) continue
        const [value] = top.items
        if (stack.length > 1 || top.items.length !== 1) throw new Unclear("a value is malformed")
        return { value: value!, keyword: word }
      }
      const isDouble = this.bytes[this.at + 1] === byte
      if (byte === 0x25) this.remark()
      else if (byte === 0x2f) top.items.push(this.name())
      else if (byte === 0x28) top.items.push(new PdfText(this.literal()))
      else if (byte === 0x3c && !isDouble) top.items.push(new PdfText(this.hex()))
      else if (byte === 0x5b || byte === 0x3c) {
        if (stack.length > MAX_DEPTH) throw new Unclear("values are nested too deeply")
        stack.push({ isDict: byte === 0x3c, items: [] })
        this.at += byte === 0x3c ? 2 : 1
      } else if ((byte === 0x5d && !top.isDict) || (byte === 0x3e && isDouble && top.isDict)) {
        stack.pop()
        const outer = stack[stack.length - 1]
        if (outer === undefined) throw new Unclear("a bracket is unmatched")
        outer.items.push(top.isDict ? dictOf(top.items) : top.items)
        this.at += top.isDict ? 2 : 1
      } else throw new Unclear("there is a sign that stands for no value")
    }
  }

  /** False for a keyword. */
  private regular(word: string, items: Array<PdfValue>): boolean {
    if (NUMBER.test(word)) items.push(Number(word))
    else if (word === "R") {
      const generation = items.pop()
      const number = items.pop()
      if (!Number.isSafeInteger(number) || !Number.isSafeInteger(generation))
        throw new Unclear("a reference is malformed")
      items.push(new PdfRef(number as number))
    } else {
      const constant = CONSTANTS.get(word)
      if (constant === undefined) return false
      items.push(constant)
    }
    return true
  }

  /** A comment that readers skip alike, for it is a line of plain words. */
  private remark(): void {
    const end = this.bytes.indexOf("\n", this.at, "latin1")
    const isLine = isBreak(this.bytes[this.at - 1]) && end - this.at < LONGEST_TOKEN
    if (!isLine || !REMARK.test(this.bytes.toString("latin1", this.at, end)))
      throw new Unclear("a comment may hide something")
    this.at = end
  }

  private name(): string {
    this.at++
    return `/${this.word()}`
  }

  /** Bytes between the parentheses. */
  literal(): number {
    const { bytes } = this
    const from = ++this.at
    for (let depth = 1; this.at < bytes.length; this.at++) {
      const sign = bytes[this.at]
      if (sign === 0x5c) this.at++
      else if (sign === 0x28) depth++
      else if (sign === 0x29 && --depth === 0) return this.at++ - from
    }
    throw new Unclear("a string has no end")
  }

  hex(): number {
    const from = ++this.at
    for (; this.at < this.bytes.length; this.at++) {
      const sign = this.bytes[this.at]!
      if (sign === 0x3e) return Math.ceil((this.at++ - from) / 2)
      if (!isSpace(sign) && !/[0-9a-f]/i.test(String.fromCharCode(sign))) break
    }
    throw new Unclear("a string is malformed")
  }
}

const dictOf = (items: ReadonlyArray<PdfValue>): PdfDict => {
  const dict = new Map<string, PdfValue>()
  for (let at = 0; at < items.length; at += 2) {
    const [key, value] = [items[at], items[at + 1]]
    if (typeof key !== "string" || value === undefined || key.includes("#") || dict.has(key.slice(1))) {
      throw new Unclear("a dictionary is malformed")
    }
    dict.set(key.slice(1), value)
  }
  return dict
}

export const isDict = (value: PdfValue | undefined): value is PdfDict => value instanceof Map
export const isList = (value: PdfValue | undefined): value is ReadonlyArray<PdfValue> => Array.isArray(value)
