/** What a content stream shows, and what it draws by name (ISO 32000-1, 8 and 9). */
import { isRegular, isSpace, PdfLexer, Unclear } from "./PdfLexer.ts"

export interface StreamText {
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
export const textOf = (bytes: Buffer): StreamText => {
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
