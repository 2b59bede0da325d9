/**
 * Where the keys and values of a TOML text stand. The text must be valid: this finds borders, it doesn't check.
 */
import { Result } from "effect"
import { Toml } from "effect/encoding"

/** From the root: keys, and indexes in lists. */
export type Path = ReadonlyArray<string | number>

/** Offsets in the text. For the table of a header both are the header's. */
export interface Place {
  readonly key: number
  readonly value: number
}

/** A path as a key of the map that `locateToml` returns. */
export const placeKey = (path: Path): string => JSON.stringify(path)

export const locateToml = (text: string): ReadonlyMap<string, Place> => new Locator(text).locate()

const BLANK = /(?:[ \t\r\n]|#[^\n]*)*/y
const KEY = /"(?:[^"\\]|\\.)*"|'[^']*'|[\w-]+/y
const SCALAR =
  /"""(?:[^\\]|\\[^])*?"""(?:"{0,2})|'''[^]*?'''(?:'{0,2})|"(?:[^"\\]|\\.)*"|'[^']*'|\d{4}-\d\d-\d\d \d\d:[^\s,#\]}]+|[^\s,#\]}]+/y

class Locator {
  private readonly text: string
  private readonly places = new Map<string, Place>()
  /** How many elements each `[[list]]` has so far. */
  private readonly lengths = new Map<string, number>()
  private index = 0

  constructor(text: string) {
    this.text = text
  }

  locate(): ReadonlyMap<string, Place> {
    let table: Path = []
    this.mark([], { key: 0, value: 0 })
    for (this.take(BLANK); this.index < this.text.length; this.take(BLANK)) {
      if (this.text[this.index] === "[") table = this.header()
      else this.pair(table)
    }
    return this.places
  }

  /** `[a.b]` or `[[a.b]]`; returns the path of the table it opens. */
  private header(): Path {
    const start = this.index
    const isElement = this.text.startsWith("[[", start)
    this.index += isElement ? 2 : 1
    const keys = this.keys()
    this.index += isElement ? 2 : 1

    let path: Path = []
    for (const { key } of keys.slice(0, -1)) path = this.enter([...path, key], start)
    const last = [...path, keys.at(-1)!.key]
    if (!isElement) return this.enter(last, start)
    this.mark(last, { key: start, value: start })
    this.lengths.set(placeKey(last), (this.lengths.get(placeKey(last)) ?? 0) + 1)
    return this.enter(last, start)
  }

  /** Into the last element, where the path is that of a `[[list]]`. */
  private enter(path: Path, offset: number): Path {
    this.mark(path, { key: offset, value: offset })
    const length = this.lengths.get(placeKey(path))
    if (length === undefined) return path
    const element = [...path, length - 1]
    this.mark(element, { key: offset, value: offset })
    return element
  }

  /** `a.b = value` */
  private pair(table: Path): void {
    let path = table
    const keys = this.keys()
    // The equals sign.
    this.index++
    this.take(BLANK)
    for (const { key, offset } of keys) {
      path = [...path, key]
      this.mark(path, { key: offset, value: path.length === table.length + keys.length ? this.index : offset })
    }
    this.value(path)
  }

  /** Passes over a value that is marked already, marking what is in it. */
  private value(path: Path): void {
    const open = this.text[this.index]
    if (open !== "[" && open !== "{") {
      this.take(SCALAR)
      return
    }
    this.index++
    this.take(BLANK)
    for (let element = 0; this.text[this.index] !== "]" && this.text[this.index] !== "}"; element++) {
      if (open === "{") this.pair(path)
      else {
        const inner = [...path, element]
        this.mark(inner, { key: this.index, value: this.index })
        this.value(inner)
      }
      this.take(BLANK)
      if (this.text[this.index] === ",") this.index++
      this.take(BLANK)
    }
    this.index++
  }

  /** The keys of `a . "b" . c`, and what blanks follow. */
  private keys(): ReadonlyArray<{ readonly key: string; readonly offset: number }> {
    const keys: Array<{ readonly key: string; readonly offset: number }> = []
    do {
      if (keys.length > 0) this.index++
      this.take(BLANK)
      const offset = this.index
      keys.push({ key: unquoted(this.take(KEY)), offset })
      this.take(BLANK)
    } while (this.text[this.index] === ".")
    return keys
  }

  /** The first place wins: a table is where it is first named. */
  private mark(path: Path, place: Place): void {
    const key = placeKey(path)
    if (!this.places.has(key)) this.places.set(key, place)
  }

  private take(pattern: RegExp): string {
    pattern.lastIndex = this.index
    const taken = pattern.exec(this.text)?.[0] ?? ""
    this.index += taken.length
    return taken
  }
}

/** The parser itself knows best what a quoted key says. */
const unquoted = (key: string): string => {
  if (!/^["']/.test(key)) return key
  const parsed = Toml.parse(`${key} = 0`)
  return Result.isSuccess(parsed) ? Object.keys(parsed.success)[0]! : key
}
