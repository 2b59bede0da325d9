/**
 * The pages of a PDF and the text on them, without rendering it. Unknown where readers may come to different results, where the file is
 * encrypted, and where more would have to be inflated than there is room for.
 */
import { PdfFile } from "./PdfFile.ts"
import {
  isDict,
  isList,
  isRegular,
  isSpace,
  type PdfDict,
  PdfLexer,
  PdfRef,
  PdfText,
  type PdfValue,
  Unclear
} from "./PdfLexer.ts"

// What a content stream shows, and what it draws by name (ISO 32000-1, 8 and 9).

interface StreamText {
  /** Bytes inside its strings, and one for each string and each move of the text position, which may stand for a space. */
  readonly shown: number
  /** How often `Do` draws each name. */
  readonly draws: ReadonlyMap<string, number>
  /** Marks that may replace text by a text of a property list. */
  readonly marks: number
  /** Images in the stream, whose bytes may be read as operators. */
  readonly hasImages: boolean
  /** The most UTF-8 bytes that a font maps one code to; 0: this is no map of a font. */
  readonly perCode: number
}

const MOVES = new Set(["Td", "TD", "T*", "Tm", "Tj", "TJ", "'", '"'])

/** One pass, whatever the bytes are. Fails with `Unclear`. */
const textOf = (bytes: Buffer): StreamText => {
  if (bytes.includes("beginbf"))
    return { shown: 0, draws: new Map(), marks: 0, hasImages: false, perCode: longest(bytes) }
  const lexer = new PdfLexer(bytes, { values: 0 })
  const draws = new Map<string, number>()
  let [shown, marks] = [0, 0]
  let hasImages = false
  let name: string | undefined
  while (lexer.at < bytes.length) {
    const byte = bytes[lexer.at]
    if (byte === 0x28) shown += lexer.literal() + 1
    else if (byte === 0x3c && bytes[lexer.at + 1] !== 0x3c) shown += lexer.hex() + 1
    else if (byte === 0x25) shown += comment(lexer)
    else if (byte === 0x2f) {
      lexer.at++
      name = lexer.word()
    } else if (!isRegular(byte)) lexer.at += byte === 0x3c ? 2 : 1
    else {
      const word = lexer.word()
      if (MOVES.has(word)) shown++
      else if (word === "BDC" || word === "DP") marks++
      else if (word === "ID") {
        hasImages = true
        shown += image(lexer)
      } else if (word === "Do") {
        if (name === undefined || name.includes("#")) throw new Unclear("something is drawn whose name is unclear")
        draws.set(name, (draws.get(name) ?? 0) + 1)
      }
    }
  }
  return { shown, draws, marks, hasImages, perCode: 0 }
}

/** Its bytes count as shown. */
const comment = (lexer: PdfLexer): number => {
  const from = lexer.at
  while (lexer.at < lexer.bytes.length && lexer.bytes[lexer.at] !== 10 && lexer.bytes[lexer.at] !== 13) lexer.at++
  return lexer.at - from
}

const SHOWS = /T[jJ]|Do|[\s)>]['"]/

/** Up to its end, which is `EI` between spaces. Its bytes count as shown where there may be text among them. */
const image = (lexer: PdfLexer): number => {
  const { bytes } = lexer
  const from = lexer.at
  for (let end = bytes.indexOf("EI", from); end >= 0; end = bytes.indexOf("EI", end + 1)) {
    if (!isSpace(bytes[end - 1]) || isRegular(bytes[end + 2])) continue
    lexer.at = end + 2
    return SHOWS.test(bytes.toString("latin1", from, end)) ? end - from : 0
  }
  throw new Unclear("an image has no end")
}

const longest = (map: Buffer): number => {
  let most = 1
  for (const [, digits] of map.toString("latin1").matchAll(/<([0-9a-f\s]+)>/gi)) {
    const hex = Buffer.from(digits!.replace(/\s/g, ""), "hex")
    if (hex.length % 2 === 0) most = Math.max(most, Buffer.byteLength(hex.swap16().toString("utf16le")))
  }
  return most
}

export interface PdfContents {
  readonly pages: number
  /** Bytes of its text: an upper bound of its tokens in any tokenizer. */
  readonly textBytes: number
}

/** Steps from the root to a page, and from a field to its parents. */
const MAX_DEPTH = 32
/** Contents of pages, and annotations on them. */
const MAX_VISITS = 200_000
/** UTF-8 bytes. */
const LONGEST_LETTER = 3

/** `inflated`: bytes, at most `room`. */
export const pdfContents = (
  bytes: Buffer,
  room: number
): { readonly contents: PdfContents | undefined; readonly inflated: number } => {
  const file = new PdfFile(bytes, room)
  try {
    file.read()
    return { contents: new PdfReader(file).contents(), inflated: room - file.room }
  } catch {
    // `Unclear`, an error of zlib, or forms that draw each other too deeply.
    return { contents: undefined, inflated: room - file.room }
  }
}

class PdfReader {
  private readonly file: PdfFile
  private readonly texts = new Map<number, StreamText>()
  /** The streams that stand under a name anywhere. */
  private readonly named = new Map<string, Set<number>>()
  private readonly totals = new Map<number, number>()
  private readonly totalsByName = new Map<string, number>()
  /** Forms that may be shown without being drawn by name. */
  private readonly masks: Array<number> = []
  /** The most UTF-8 bytes that a byte of text may stand for. */
  private perByte = 1
  /** The longest text that may stand in the place of other text. */
  private replacement = 0
  private visits = 0

  constructor(file: PdfFile) {
    this.file = file
    for (const value of file.values.values()) this.visit(undefined, value)
  }

  contents(): PdfContents {
    const { file } = this
    const roots = file.trailers.map((trailer) => trailer.get("Root")).filter((root) => root !== undefined)
    const [root] = roots
    if (!(root instanceof PdfRef) || roots.some((one) => !(one instanceof PdfRef) || one.number !== root.number)) {
      throw new Unclear("there are several roots")
    }
    if (file.trailers.some((trailer) => trailer.has("Encrypt"))) throw new Unclear("the file is encrypted")
    const catalog = file.resolve(root)
    const pages: Array<PdfDict> = []
    this.collect(isDict(catalog) ? catalog.get("Pages") : undefined, pages, new Set(), 0)
    for (const value of file.values.values()) {
      if (isDict(value) && value.has("Linearized") && value.get("N") !== pages.length) throw new Unclear("pages differ")
    }
    let text = 0
    for (const page of pages) text += this.pageText(page)
    this.refuseUncountable()
    return { pages: pages.length, textBytes: Math.ceil(text * this.perByte) }
  }

  /** The pages below a node of their tree. */
  private collect(node: PdfValue | undefined, pages: Array<PdfDict>, seen: Set<number>, depth: number): void {
    const dict = this.file.resolve(node)
    if (!(node instanceof PdfRef) || !isDict(dict) || seen.has(node.number) || depth > MAX_DEPTH) {
      throw new Unclear("the pages are no tree")
    }
    seen.add(node.number)
    const kids = this.file.resolve(dict.get("Kids"))
    if (dict.get("Type") === "/Page" && kids === undefined) {
      pages.push(dict)
      return
    }
    if (dict.get("Type") !== "/Pages" || !isList(kids)) throw new Unclear("the pages are no tree")
    const before = pages.length
    for (const kid of kids) this.collect(kid, pages, seen, depth + 1)
    if (this.file.resolve(dict.get("Count")) !== pages.length - before || pages.length === 0) {
      throw new Unclear("there are more or fewer pages than it says")
    }
  }

  /** Each value once: references are not followed. */
  private visit(key: string | undefined, value: PdfValue): void {
    if (value instanceof PdfRef) {
      const stream = this.file.streams.get(value.number)
      if (key === undefined || stream === undefined) return
      if (stream.dict.get("Subtype") === "/Image") return
      const named = this.named.get(key)
      if (named === undefined) this.named.set(key, new Set([value.number]))
      else named.add(value.number)
    } else if (value instanceof PdfText) {
      if (key === "ActualText") this.replacement = Math.max(this.replacement, value.length)
    } else if (isList(value)) {
      for (const one of value) {
        // The name of a glyph may stand for several letters: `f_f_i`, `uni00410042`.
        if (key === "Differences" && typeof one === "string" && /_|^\/u/.test(one)) {
          this.perByte = Math.max(this.perByte, one.length)
        }
        this.visit(key, one)
      }
    } else if (isDict(value)) {
      const group = value.get("G")
      if (value.has("S") && group instanceof PdfRef && this.file.streams.has(group.number))
        this.masks.push(group.number)
      if (value.get("Type") === "/Font" || value.has("BaseFont") || value.has("ToUnicode"))
        this.perByte = Math.max(this.perByte, this.bytesPerByte(value))
      for (const [inner, one] of value) this.visit(inner, one)
    }
  }

  /** The most UTF-8 bytes that a byte in this font may stand for. A sign that nobody can name counts as one. */
  private bytesPerByte(font: PdfDict): number {
    const encoding = String(font.get("Encoding"))
    const map = font.get("ToUnicode")
    const isWide = font.get("Subtype") === "/Type0" && /^\/Identity-[HV]$/.test(encoding)
    if (map instanceof PdfRef && this.file.streams.has(map.number)) {
      return this.text(map.number).perCode / (isWide ? 2 : 1)
    }
    const isLatin = /^\/(?:WinAnsi|MacRoman|Standard)Encoding$/.test(encoding) || !font.has("Encoding")
    return isLatin && !/Symbol|Dingbats/.test(String(font.get("BaseFont"))) ? 1 : LONGEST_LETTER
  }

  private text(number: number): StreamText {
    let text = this.texts.get(number)
    if (text === undefined) this.texts.set(number, (text = textOf(this.file.contents(number))))
    return text
  }

  /** Text that may be shown any number of times. */
  private refuseUncountable(): void {
    const patterns = [...this.file.streams].flatMap(([number, { dict }]) => (dict.has("PatternType") ? [number] : []))
    for (const number of [...patterns, ...this.masks]) {
      if (this.total(number) > 0) throw new Unclear("text is in a pattern or a mask")
    }
    // What follows an image in a stream may be a part of it to some readers.
    const used = [...this.texts.values()]
    const draws = used.some((text) => text.draws.size > 0)
    if (draws && used.some((text) => text.hasImages)) throw new Unclear("an image may hide what is drawn")
  }

  /** The text of a stream with everything that it draws. */
  private total(number: number): number {
    const known = this.totals.get(number)
    if (known !== undefined) return known
    // Until it is known: a stream that draws itself.
    this.totals.set(number, Number.NaN)
    const { draws, marks, shown } = this.text(number)
    let total = shown + marks * this.replacement
    for (const [name, times] of draws) total += times * this.totalNamed(name)
    if (!Number.isFinite(total)) throw new Unclear("a stream draws itself")
    this.totals.set(number, total)
    return total
  }

  /** The most of the streams with that name. */
  private totalNamed(name: string): number {
    let most = this.totalsByName.get(name)
    if (most !== undefined) return most
    most = Math.max(0, ...Array.from(this.named.get(name) ?? [], (number) => this.total(number)))
    this.totalsByName.set(name, most)
    return most
  }

  private pageText(page: PdfDict): number {
    let text = this.streamsIn(page.get("Contents"), 1)
    const annotations = this.file.resolve(page.get("Annots"))
    for (const annotation of isList(annotations) ? annotations : []) text += this.annotationText(annotation)
    return text
  }

  /** Of a stream, or of all streams in a list or by state. */
  private streamsIn(value: PdfValue | undefined, depth: number): number {
    if (++this.visits > MAX_VISITS) throw new Unclear("there is too much on the pages")
    if (value instanceof PdfRef && this.file.streams.has(value.number)) return this.total(value.number)
    const held = this.file.resolve(value)
    if (held === undefined || held === null) return 0
    if (depth === 0 || !(isList(held) || isDict(held))) throw new Unclear("a page is malformed")
    let text = 0
    for (const one of held.values()) text += this.streamsIn(one, depth - 1)
    return text
  }

  /** Readers that find no appearance make one of the texts of the field. */
  private annotationText(annotation: PdfValue): number {
    let dict = this.file.resolve(annotation)
    let text = isDict(dict) ? this.streamsIn(dict.get("AP"), 2) : 0
    for (let depth = 0; isDict(dict); depth++) {
      if (++this.visits > MAX_VISITS || depth > MAX_DEPTH) throw new Unclear("there is too much on the pages")
      for (const value of dict.values()) if (value instanceof PdfText) text += value.length
      dict = this.file.resolve(dict.get("Parent"))
    }
    return text
  }
}
