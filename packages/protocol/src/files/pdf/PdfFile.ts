/**
 * The objects of a PDF, where all readers find the same ones: each object once, everything in the file is accounted for, and every table
 * points at what is there. Readers that follow the tables, and those that search the file for objects, come to the same result then.
 */
import { inflateSync } from "node:zlib"
import {
  isDict,
  isList,
  isSpace,
  type PdfAllowance,
  type PdfDict,
  PdfLexer,
  PdfRef,
  type PdfValue,
  Unclear
} from "./PdfLexer.ts"

// Filters of streams besides Flate (ISO 32000-1, 7.4).

/** ISO 32000-1, 7.4.3. */
const base85 = (data: Buffer): Buffer => {
  const result = Buffer.alloc(data.length * 4)
  let [length, group, digits] = [0, 0, 0]
  for (const byte of data) {
    if (isSpace(byte)) continue
    if (byte === 0x7e) break
    if (byte === 0x7a && digits === 0) {
      length += 4
      continue
    }
    if (byte < 0x21 || byte > 0x75) throw new Unclear("a stream is malformed")
    group = group * 85 + (byte - 0x21)
    if (++digits < 5) continue
    if (group >= 2 ** 32) throw new Unclear("a stream is malformed")
    result.writeUInt32BE(group, length)
    length += 4
    group = digits = 0
  }
  for (let missing = digits; missing > 0 && missing < 5; missing++) group = group * 85 + 84
  if (digits > 1) {
    result.writeUInt32BE(group % 2 ** 32, length)
    length += digits - 1
  }
  return result.subarray(0, length)
}

/** Undoes the differences between rows (RFC 2083, 6) that tables of objects have. */
const unpredicted = (data: Buffer, parameters: PdfValue | undefined): Buffer => {
  const given = isList(parameters) ? parameters.find(isDict) : parameters
  if (given === undefined || given === null) return data
  const predictor = isDict(given) ? (given.get("Predictor") ?? 1) : undefined
  if (predictor === 1) return data
  const columns = isDict(given) ? (given.get("Columns") ?? 1) : 1
  const plain = isDict(given) && [...given.keys()].every((key) => key === "Predictor" || key === "Columns")
  if (!plain || typeof predictor !== "number" || predictor < 10 || typeof columns !== "number" || columns < 1) {
    throw new Unclear("a stream has a filter that is not read here")
  }
  const rows = Math.floor(data.length / (columns + 1))
  const result = Buffer.alloc(rows * columns)
  for (let row = 0; row < rows; row++) {
    const kind = data[row * (columns + 1)]
    if (kind !== 0 && kind !== 2) throw new Unclear("a stream has a filter that is not read here")
    for (let column = 0; column < columns; column++) {
      const above = kind === 0 || row === 0 ? 0 : result[(row - 1) * columns + column]!
      result[row * columns + column] = data[row * (columns + 1) + 1 + column]! + above
    }
  }
  return result
}

export interface PdfStream {
  readonly dict: PdfDict
  /** As it stands in the file. */
  readonly data: Buffer
}

/** An entry of a table: an object at a place, or the n-th in an object stream. */
type PdfObjectPlace =
  | { readonly number: number; readonly at: number }
  | { readonly number: number; readonly inside: number; readonly index: number }

const MAX_VALUES = 1_000_000

export class PdfFile {
  readonly values = new Map<number, PdfValue>()
  readonly streams = new Map<number, PdfStream>()
  readonly trailers: Array<PdfDict> = []
  /** Bytes that may still be inflated. */
  room: number
  private readonly bytes: Buffer
  private readonly allowance: PdfAllowance = { values: MAX_VALUES }
  /** Where objects in the file begin, by number. */
  private readonly places = new Map<number, number>()
  /** The numbers in each object stream. */
  private readonly packed = new Map<number, ReadonlyArray<number>>()
  private readonly keywords = new Set<number>()
  private readonly tables = new Set<number>()
  private readonly starts: Array<number> = []
  private readonly entries: Array<PdfObjectPlace> = []
  /** Streams whose length is an object of its own. */
  private readonly lengths: Array<{ readonly of: PdfRef; readonly number: number }> = []

  constructor(bytes: Buffer, room: number) {
    this.bytes = bytes
    this.room = room
  }

  /** Fails with `Unclear`, or with an error of zlib. */
  read(): void {
    this.readObjects()
    this.checkKeywords()
    this.checkLengths()
    for (const [number, { dict }] of this.streams) if (dict.get("Type") === "/ObjStm") this.unpack(number)
    for (const [number, { dict }] of this.streams) if (dict.get("Type") === "/XRef") this.streamTable(number)
    this.checkTables()
  }

  resolve(value: PdfValue | undefined): PdfValue | undefined {
    return value instanceof PdfRef ? this.values.get(value.number) : value
  }

  private readObjects(): void {
    if (this.bytes.toString("latin1", 0, 5) !== "%PDF-") throw new Unclear("the file does not begin with %PDF-")
    const lexer = new PdfLexer(this.bytes, this.allowance)
    for (;;) {
      skipComments(lexer)
      const { at } = lexer
      if (at >= this.bytes.length) return
      const word = lexer.word()
      if (/^\d{1,10}$/.test(word)) this.object(lexer, Number(word), at)
      else if (word === "xref") this.table(lexer, at)
      else if (word === "startxref") this.starts.push(lexer.whole())
      else throw new Unclear("there is something between the objects")
    }
  }

  private object(lexer: PdfLexer, number: number, place: number): void {
    lexer.whole()
    lexer.skipSpace()
    this.keywords.add(lexer.at)
    lexer.expect("obj")
    const { keyword, value } = lexer.value()
    this.places.set(number, place)
    this.add(number, value)
    if (keyword === "endobj") return
    if (keyword !== "stream" || !isDict(value)) throw new Unclear("an object has no end")
    this.streams.set(number, { dict: value, data: this.data(lexer, number, value) })
    lexer.expect("endobj")
  }

  private add(number: number, value: PdfValue): void {
    if (this.values.has(number)) throw new Unclear("an object is there twice")
    this.values.set(number, value)
  }

  private data(lexer: PdfLexer, number: number, dict: PdfDict): Buffer {
    const { bytes } = this
    if (bytes[lexer.at] === 0x0d) lexer.at++
    if (bytes[lexer.at] !== 0x0a) throw new Unclear("a stream does not begin on a line of its own")
    const from = ++lexer.at
    const end = bytes.indexOf("endstream", from, "latin1")
    const length = dict.get("Length")
    if (end < 0) throw new Unclear("a stream has no end")
    lexer.at = end + "endstream".length
    if (length instanceof PdfRef) this.lengths.push({ of: length, number })
    else if (!this.isLength(length, from, end)) throw new Unclear("a stream has another length than it says")
    return bytes.subarray(from, typeof length === "number" ? from + length : end)
  }

  private isLength(length: PdfValue | undefined, from: number, end: number): boolean {
    if (typeof length !== "number" || !Number.isSafeInteger(length) || length < 0 || from + length > end) return false
    return end - from - length <= 2 && /^[\r\n]*$/.test(this.bytes.toString("latin1", from + length, end))
  }

  private checkLengths(): void {
    for (const { number, of } of this.lengths) {
      const { data, dict } = this.streams.get(number)!
      const length = this.values.get(of.number)
      const from = data.byteOffset - this.bytes.byteOffset
      if (!this.isLength(length, from, from + data.length))
        throw new Unclear("a stream has another length than it says")
      this.streams.set(number, { dict, data: data.subarray(0, length as number) })
    }
  }

  private table(lexer: PdfLexer, place: number): void {
    this.tables.add(place)
    for (;;) {
      lexer.skipSpace()
      if (this.bytes[lexer.at] === 0x74) break
      const first = lexer.whole()
      const count = lexer.whole()
      for (let index = 0; index < count; index++) {
        const at = lexer.whole()
        lexer.whole()
        lexer.skipSpace()
        const kind = lexer.word()
        if (kind === "n") this.entries.push({ number: first + index, at })
        else if (kind !== "f") throw new Unclear("a table of objects is malformed")
      }
    }
    lexer.expect("trailer")
    const { keyword, value } = lexer.value()
    if (!isDict(value) || keyword !== "startxref") throw new Unclear("a trailer is malformed")
    this.trailers.push(value)
    this.starts.push(lexer.whole())
  }

  /** Whatever looks like the beginning of an object is one that was read: a search for objects finds no others. */
  private checkKeywords(): void {
    const { bytes } = this
    for (let at = bytes.indexOf("obj"); at >= 0; at = bytes.indexOf("obj", at + 3)) {
      let before = at
      let hasBreak = false
      for (; isSpace(bytes[before - 1]); before--) hasBreak ||= bytes[before - 1] === 10 || bytes[before - 1] === 13
      const isAfterNumber = bytes[before - 1]! >= 0x30 && bytes[before - 1]! <= 0x39
      if ((isAfterNumber || hasBreak) && !this.keywords.has(at)) throw new Unclear("an object is hidden")
    }
  }

  private unpack(number: number): void {
    const { dict } = this.streams.get(number)!
    const data = this.contents(number)
    const [count, first] = [dict.get("N"), dict.get("First")]
    if (typeof count !== "number" || typeof first !== "number") throw new Unclear("an object stream is malformed")
    const head = new PdfLexer(data.subarray(0, first), this.allowance)
    const members: Array<{ readonly number: number; readonly from: number }> = []
    for (let index = 0; index < count; index++) members.push({ number: head.whole(), from: first + head.whole() })
    for (const [index, { from, number: member }] of members.entries()) {
      const end = members[index + 1]?.from ?? data.length
      if (end <= from) throw new Unclear("an object stream is out of order")
      const { keyword, value } = new PdfLexer(data.subarray(from, end), this.allowance).value()
      if (keyword !== "") throw new Unclear("an object stream is malformed")
      this.add(member, value)
    }
    this.packed.set(
      number,
      members.map((member) => member.number)
    )
  }

  private streamTable(number: number): void {
    const { dict } = this.streams.get(number)!
    const [widths, size] = [dict.get("W"), dict.get("Size")]
    const index = dict.get("Index") ?? [0, size ?? 0]
    const data = this.contents(number)
    if (!isList(widths) || !isList(index) || widths.length !== 3) throw new Unclear("a table of objects is malformed")
    let at = 0
    const field = (width: PdfValue | undefined, absent: number): number => {
      if (typeof width !== "number" || width < 0 || width > 6 || at + width > data.length)
        throw new Unclear("a table of objects is malformed")
      at += width
      return width === 0 ? absent : data.readUIntBE(at - width, width)
    }
    for (let section = 0; section < index.length; section += 2) {
      const [first, count] = [Number(index[section]), Number(index[section + 1])]
      for (let entry = 0; entry < count; entry++) {
        const kind = field(widths[0], 1)
        const second = field(widths[1], 0)
        const third = field(widths[2], 0)
        if (at === 0 || kind > 2 || --this.allowance.values < 0) throw new Unclear("a table of objects is malformed")
        if (kind === 1) this.entries.push({ number: first + entry, at: second })
        else if (kind === 2) this.entries.push({ number: first + entry, inside: second, index: third })
      }
    }
    this.tables.add(this.places.get(number)!)
    this.trailers.push(dict)
  }

  private checkTables(): void {
    for (const entry of this.entries) {
      const isThere =
        "at" in entry
          ? this.places.get(entry.number) === entry.at
          : this.packed.get(entry.inside)?.[entry.index] === entry.number
      if (!isThere) throw new Unclear("a table of objects points at something else")
    }
    const linked = this.trailers.flatMap((dict) => [dict.get("Prev"), dict.get("XRefStm")])
    const last = this.starts.at(-1)
    // The first of the two tables of a file for the web has none before it.
    const all = [
      ...this.starts.slice(0, -1).filter((start) => start !== 0),
      last,
      ...linked.filter((one) => one !== undefined)
    ]
    if (!all.every((start) => typeof start === "number" && this.tables.has(start))) {
      throw new Unclear("there is no table of objects where the file says")
    }
  }

  /** The data of a stream, without its filters. */
  contents(number: number): Buffer {
    const { data, dict } = this.streams.get(number)!
    const filter = this.resolve(dict.get("Filter")) ?? []
    let result = data
    for (const name of isList(filter) ? filter : [filter]) {
      if (name === "/FlateDecode") result = inflateSync(result, { maxOutputLength: Math.max(1, this.room) })
      else if (name === "/ASCII85Decode") result = base85(result)
      else throw new Unclear("a stream has a filter that is not read here")
      this.room -= result.length
      if (this.room < 0) throw new Unclear("the streams are too large")
    }
    return unpredicted(result, this.resolve(dict.get("DecodeParms")))
  }
}

const skipComments = (lexer: PdfLexer): void => {
  const { bytes } = lexer
  for (lexer.skipSpace(); bytes[lexer.at] === 0x25; lexer.skipSpace()) {
    while (lexer.at < bytes.length && bytes[lexer.at] !== 10 && bytes[lexer.at] !== 13) lexer.at++
  }
}
