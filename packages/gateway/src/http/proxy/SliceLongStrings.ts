/**
 * Long strings of a large JSON body, such as files. They are parsed in slices, and sent on as the original bytes: parsing ten
 * megabytes takes 60 ms, and so does encoding them.
 */
import { randomUUID } from "node:crypto"
import type { JsonObject } from "../../core/domain/Json.ts"
import type { LongStrings } from "../../core/operations/LongStrings.ts"
import { isName } from "./JsonGuard.ts"

/** Strings from this many bytes on. */
export const LONG_FROM = 64 * 1024
/** Bytes that are parsed at once. */
export const SLICE = 256 * 1024

const BACKSLASH = 92
const LOWER_U = 117

/** Where a value stands in the body, between its quotes. */
export interface StringPlace {
  readonly start: number
  readonly end: number
}

/** `long`: alternating starts and ends. Names are left out: only values are cut out. */
export const valuesAmong = (bytes: Uint8Array, long: ReadonlyArray<number>): ReadonlyArray<StringPlace> => {
  const places: Array<StringPlace> = []
  for (let index = 0; index < long.length; index += 2) {
    const [start, end] = [long[index]!, long[index + 1]!]
    if (!isName(bytes, end)) places.push({ start, end })
  }
  return places
}

/** The text of a string, one slice at a time. Throws if it is not valid JSON. */
export function* slicesOf(bytes: Buffer, { end, start }: StringPlace): Generator<string> {
  for (let at = start; at < end;) {
    const next = at + SLICE >= end ? end : cutBefore(bytes, at + SLICE, at)
    yield JSON.parse(`"${bytes.toString("utf8", at, next)}"`) as string
    at = next
  }
}

/** The last position up to `at` that is inside neither a character nor an escape, as `from` isn't. */
const cutBefore = (bytes: Uint8Array, at: number, from: number): number => {
  let cut = at
  while ((bytes[cut]! & 0xc0) === 0x80) cut--
  // `\u0041` is the longest.
  for (let back = cut - 1; back > cut - 6; back--) {
    if (bytes[back] !== BACKSLASH) continue
    let first = back
    while (first > from && bytes[first - 1] === BACKSLASH) first--
    const isEscape = (back - first) % 2 === 0
    const length = bytes[back + 1] === LOWER_U ? 6 : 2
    return isEscape && back + length > cut ? back : cut
  }
  return cut
}

/** A mark that no text of the caller can contain. */
const newMark = (): string => `long-string-${randomUUID()}-`

export class Masked implements LongStrings {
  readonly body: JsonObject
  readonly whole: unknown
  /** The JSON body with a mark in place of each long string. */
  private readonly text: string
  private readonly bytes: Buffer
  private readonly places: ReadonlyArray<StringPlace>
  private readonly mark = newMark()

  /** `strings`: the text of each place. Throws if the rest of the body is not valid JSON. */
  constructor(
    bytes: Buffer,
    places: ReadonlyArray<StringPlace>,
    strings: ReadonlyArray<string>,
    parse: (text: string) => unknown = JSON.parse
  ) {
    this.bytes = bytes
    this.places = places
    let text = ""
    let at = 0
    for (const [index, { end, start }] of places.entries()) {
      text += `${bytes.toString("utf8", at, start)}${this.mark}${index}`
      at = end
    }
    this.text = text + bytes.toString("utf8", at)
    this.body = parse(this.text) as JsonObject
    this.whole = this.filled(strings, parse)
  }

  splice(json: string): Uint8Array {
    const [head = "", ...tails] = json.split(this.mark)
    const pieces: Array<Uint8Array> = [Buffer.from(head)]
    for (const tail of tails) {
      const index = Number.parseInt(tail, 10)
      const { end, start } = this.places[index]!
      pieces.push(this.bytes.subarray(start, end), Buffer.from(tail.slice(String(index).length)))
    }
    return Buffer.concat(pieces)
  }

  /** Puts `strings` back in place of their marks. */
  private filled(strings: ReadonlyArray<string>, parse: (text: string) => unknown): unknown {
    const fill = (value: unknown): unknown => {
      if (typeof value === "string") {
        return value.startsWith(this.mark) ? strings[Number(value.slice(this.mark.length))] : value
      }
      if (typeof value !== "object" || value === null) return value
      const holder = value as Record<string, unknown>
      for (const name of Object.keys(holder)) {
        const before = holder[name]
        const after = fill(before)
        // `__proto__` is plain data.
        if (after !== before)
          Object.defineProperty(holder, name, { value: after, enumerable: true, writable: true, configurable: true })
      }
      return value
    }
    return fill(parse(this.text))
  }
}
