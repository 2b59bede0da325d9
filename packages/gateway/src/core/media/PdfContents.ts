/**
 * The number of pages and the amount of text of a PDF, without rendering it. The result is unknown if pages or text may be hidden:
 * by encryption, by reuse of a page or a text, or by filters that are not supported here.
 */
import { promisify } from "node:util"
import { inflate } from "node:zlib"
import { Effect } from "effect"

export interface PdfContents {
  readonly pages: number
  /** Bytes of its text: an upper bound of its tokens in any tokenizer. */
  readonly textBytes: number
}

/** The limit for all streams of one file together. */
const MAX_INFLATED = 64 * 1024 * 1024
/** How far before a stream its dictionary is searched for. */
const DICTIONARY = 4096

const inflated = promisify<Buffer, { maxOutputLength: number }, Buffer>(inflate)

/** Undefined where the contents can't be determined. */
export const pdfContents = (bytes: Buffer): Effect.Effect<PdfContents | undefined> =>
  Effect.orElseSucceed(
    Effect.tryPromise(() => read(bytes)),
    () => undefined
  )

export const isPdf = (bytes: Buffer): boolean => bytes.subarray(0, 1024).includes("%PDF-")

const read = async (bytes: Buffer): Promise<PdfContents | undefined> => {
  let structure = ""
  let pageText = 0
  let formText = 0
  let drawn = 0
  let charactersPerCode = 1
  let room = MAX_INFLATED
  let at = 0
  for (let start = bytes.indexOf("stream", at); start >= 0; start = bytes.indexOf("stream", at)) {
    const before = bytes.toString("latin1", Math.max(at, start - DICTIONARY), start)
    const dictionary = unescaped(before.slice(Math.max(0, before.lastIndexOf(" obj"))))
    structure += bytes.toString("latin1", at, start)
    const end = bytes.indexOf("endstream", start)
    if (end < 0) return undefined
    at = end + "endstream".length
    if (isPicture(dictionary)) continue
    const from = start + 6 + (bytes[start + 6] === 0x0d ? 2 : 1)
    const data = await decoded(bytes.subarray(from, end), dictionary, room)
    if (data === undefined) return undefined
    room -= data.length
    const text = data.toString("latin1")
    if (/\/Type\s*\/ObjStm/.test(dictionary)) structure += `\n${text}\n`
    else if (/beginbf(?:char|range)/.test(text)) charactersPerCode = Math.max(charactersPerCode, longestTarget(text))
    else {
      const draws = text.match(/\/[^\s/]+\s+Do\b/g)?.length ?? 0
      drawn += draws
      const shown = /T[jJ]|['"]/.test(text) ? shownBytes(text) : 0
      // Forms that draw other forms may repeat text without end.
      if (!/\/Subtype\s*\/Form/.test(dictionary)) pageText += shown
      else if (draws > 0 && shown > 0) return undefined
      else formText += shown
    }
  }
  structure = unescaped(structure + bytes.toString("latin1", at))
  if (/\/Encrypt\b/.test(structure)) return undefined
  const pages = pagesIn(structure)
  if (pages === undefined) return undefined
  return { pages, textBytes: Math.ceil((pageText + formText * Math.max(1, drawn)) * charactersPerCode) }
}

/** In a PDF name any letter may be written as `#` and two hex digits. */
const unescaped = (text: string): string =>
  text.replace(/#([0-9a-f]{2})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))

const isPicture = (dictionary: string): boolean =>
  /\/(?:DCTDecode|JPXDecode|CCITTFaxDecode|JBIG2Decode)/.test(dictionary) ||
  /\/Subtype\s*\/Image|\/FontFile|\/Length1\b|\/Type\s*\/XRef|\/Subtype\s*\/(?:Type1C|CIDFontType0C|OpenType)/.test(
    dictionary
  )

const decoded = async (data: Buffer, dictionary: string, room: number): Promise<Buffer | undefined> => {
  if (!/\/Filter/.test(dictionary)) return data
  const filters = dictionary.match(/\/(?:\w+Decode|Fl|LZW|A85|AHx|RL|Crypt)\b/g) ?? []
  return filters.length === 1 && filters[0] === "/FlateDecode"
    ? inflated(data, { maxOutputLength: Math.max(1, room) })
    : undefined
}

/** A page that appears twice in the tree counts as two pages. */
const pagesIn = (structure: string): number | undefined => {
  if ((structure.match(/\/Kids\b/g)?.length ?? 0) !== (structure.match(/\/Kids\s*\[/g)?.length ?? 0)) return undefined
  const kids = [...structure.matchAll(/\/Kids\s*\[([^\]]*)\]/g)].flatMap(
    ([, list]) => list!.match(/\d+\s+\d+\s+R/g) ?? []
  )
  const contents = [...structure.matchAll(/\/Contents\s*(?:\[([^\]]*)\]|(\d+\s+\d+\s+R))/g)].flatMap(
    ([, list, one]) => (list ?? one)!.match(/\d+\s+\d+\s+R/g) ?? []
  )
  if (new Set(kids).size < kids.length || new Set(contents).size < contents.length) return undefined
  const pages = Math.max(structure.match(/\/Type\s*\/Page(?![A-Za-z])/g)?.length ?? 0, kids.length)
  return pages > 0 ? pages : undefined
}

/** Bytes inside the strings `( … )` and `< … >`. */
const shownBytes = (text: string): number => {
  let bytes = 0
  for (let at = 0; at < text.length; at++) {
    const sign = text.charCodeAt(at)
    if (sign === 0x28) {
      let depth = 1
      for (at++; at < text.length && depth > 0; at++) {
        const inner = text.charCodeAt(at)
        if (inner === 0x5c) at++
        else if (inner === 0x28) depth++
        else if (inner === 0x29) depth--
        bytes++
      }
      at--
    } else if (sign === 0x3c && text.charCodeAt(at + 1) !== 0x3c) {
      const end = text.indexOf(">", at)
      if (end < 0) break
      bytes += (end - at) / 2
      at = end
    } else if (sign === 0x3c) at++
  }
  // Words may be separated by position alone: at most one space for each string or move.
  return bytes + (text.match(/T[dDmjJ*]/g)?.length ?? 0)
}

/** The most UTF-8 bytes that a font maps one code to. */
const longestTarget = (map: string): number => {
  let longest = 1
  for (const [, digits] of map.matchAll(/<([0-9a-f\s]+)>/gi)) {
    const hex = Buffer.from(digits!.replace(/\s/g, ""), "hex")
    if (hex.length % 2 === 0)
      longest = Math.max(longest, Buffer.byteLength(Buffer.from(hex).swap16().toString("utf16le")))
  }
  return longest
}
