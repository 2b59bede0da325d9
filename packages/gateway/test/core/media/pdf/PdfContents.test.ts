import { deflateSync } from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import { pdfContents } from "@model-gateway/protocol/files"
import { pagesOf, pdfOf, streamOf } from "../../../support/Pdf.ts"

const MIB = 1024 * 1024
const read = (bytes: Buffer) => pdfContents(bytes, 16 * MIB).contents
const shown = (text: string) => `BT /F1 12 Tf (${text}) Tj ET`
const packed = (dictionary: string, data: string | Buffer) =>
  streamOf(`${dictionary} /Filter /FlateDecode`, deflateSync(data))

describe("pdfContents", () => {
  it("counts pages and the text on them, compressed or not", () => {
    const objects = {
      ...pagesOf(2),
      10: "<< /Type /Page /Contents 20 0 R >>",
      11: "<< /Type /Page /Contents [21 0 R 22 0 R] >>",
      20: packed("", shown("a".repeat(500))),
      21: streamOf("", shown("b\\)".repeat(100))),
      22: streamOf("/Filter [/ASCII85Decode /FlateDecode]", `${ascii85(deflateSync(shown("c".repeat(400))))}~>`)
    }
    const contents = read(pdfOf(objects))
    assert.strictEqual(contents?.pages, 2)
    assert.isAtLeast(contents!.textBytes, 1_200)
    assert.isAtMost(contents!.textBytes, 1_300)
  })

  it("counts the text of a form as often as it is drawn, and of annotations", () => {
    const form = (text: string, draws = "") => streamOf("/Subtype /Form", `${shown(text)} ${draws}`)
    const objects = {
      ...pagesOf(1, "/Contents 20 0 R /Annots [30 0 R] /Resources << /XObject << /A 21 0 R /B 22 0 R >> >>"),
      20: streamOf("", "/A Do /A Do"),
      21: form("a".repeat(100), "/B Do /B Do /B Do"),
      22: form("b".repeat(1_000)),
      30: "<< /Subtype /FreeText /AP << /N 31 0 R >> /Contents (note) >>",
      31: form("d".repeat(50))
    }
    const contents = read(pdfOf(objects))
    assert.isAtLeast(contents!.textBytes, 2 * (100 + 3 * 1_000) + 54)
    assert.isAtMost(contents!.textBytes, 6_400)
  })

  it("counts the letters that one code may stand for", () => {
    const map = (codes: string) => streamOf("", `1 beginbfchar <${codes}> <${"0041".repeat(30)}> endbfchar`)
    const text = (font: string) => ({
      ...pagesOf(1, "/Contents 20 0 R"),
      20: streamOf("", shown("x".repeat(100))),
      21: font,
      22: map("01")
    })
    assert.isAtLeast(read(pdfOf(text("<< /Subtype /Type1 /ToUnicode 22 0 R >>")))!.textBytes, 3_000)
    const wide = read(pdfOf(text("<< /Subtype /Type0 /Encoding /Identity-H /ToUnicode 22 0 R >>")))!
    assert.isTrue(wide.textBytes >= 1_500 && wide.textBytes < 2_000, String(wide.textBytes))
  })

  it("knows nothing where readers may disagree about the objects", () => {
    const plain = pagesOf(3)
    const files: ReadonlyArray<readonly [string, Buffer]> = [
      ["text in front", pdfOf(plain, { head: " %PDF-1.7\n" })],
      ["an object in a comment", pdfOf(plain, { head: "%PDF-1.7\n% 9 0 obj\n" })],
      ["an object behind a comment", pdfOf(plain, { head: "%PDF-1.7\n%9 0 %\nobj\n" })],
      ["an object in a stream", pdfOf({ ...plain, 5: streamOf("", "9 0 obj << /Type /Pages >> endobj") })],
      ["a table that points elsewhere", pdfOf(plain, { moved: { 11: 10 } })],
      ["an object twice", Buffer.concat([pdfOf(plain), pdfOf({ 2: "<< >>" }, { head: "" })])],
      ["two roots", Buffer.concat([pdfOf(plain), pdfOf({ 30: "<< >>" }, { head: "", trailer: "/Root 30 0 R" })])],
      ["a stream that is longer than it says", pdfOf({ ...plain, 5: "<< /Length 1 >>\nstream\nxxxxxx\nendstream" })],
      ["a key twice", pdfOf({ ...plain, 2: plain[2]!.replace("/Count", "/Kids [] /Count") })],
      ["a name in disguise", pdfOf({ ...plain, 2: plain[2]!.replace("/Kids", "/K#69ds") })],
      ["a comment among values", pdfOf({ ...plain, 2: plain[2]!.replace("10 0 R", "10 0 R % ]\n") })],
      ["no table", Buffer.from("%PDF-1.7\n1 0 obj << >> endobj\n")],
      ["encryption", pdfOf(plain, { trailer: "/Root 1 0 R /Encrypt 9 0 R" })],
      ["nothing", Buffer.alloc(0)]
    ]
    assert.strictEqual(read(pdfOf(plain))?.pages, 3)
    for (const [what, file] of files) assert.isUndefined(read(file), what)
  })

  it("knows nothing where pages are used twice, lie about their number, or are no tree", () => {
    const plain = pagesOf(3)
    const root = (kids: string, count = 3) => ({ 2: `<< /Type /Pages /Count ${count} /Kids ${kids} >>` })
    const files: ReadonlyArray<readonly [string, Buffer]> = [
      ["a page twice", pdfOf({ ...plain, ...root("[10 0 R 10 0 R 11 0 R]") })],
      ["a tree in itself", pdfOf({ ...plain, ...root("[2 0 R 10 0 R]") })],
      ["a count that is larger", pdfOf({ ...plain, ...root("[10 0 R 11 0 R 12 0 R]", 900) })],
      ["a page with pages", pdfOf({ ...plain, 10: "<< /Type /Page /Kids [11 0 R] >>" })],
      ["a page without a type", pdfOf({ ...plain, 10: "<< /MediaBox [0 0 9 9] >>" })]
    ]
    for (const [what, file] of files) assert.isUndefined(read(file), what)
  })

  it("knows nothing of text that may be shown any number of times", () => {
    const page = pagesOf(1, "/Contents 20 0 R /Resources << /XObject << /A 21 0 R >> >>")
    const cases: ReadonlyArray<readonly [string, Readonly<Record<number, string>>]> = [
      ["a form in itself", { 20: streamOf("", "/A Do"), 21: streamOf("/Subtype /Form", `${shown("x")} /A Do`) }],
      ["a pattern", { 20: streamOf("", ""), 21: streamOf("/PatternType 1", shown("x")) }],
      ["a mask", { 20: streamOf("", ""), 21: streamOf("", shown("x")), 22: "<< /S /Alpha /G 21 0 R >>" }],
      [
        "an image that may hide what is drawn",
        { 20: streamOf("", "BI /W 1 ID ( EI /A Do"), 21: streamOf("", shown("x")) }
      ],
      ["an unknown filter", { 20: streamOf("/Filter /LZWDecode", "x") }],
      ["broken data", { 20: streamOf("/Filter /FlateDecode", "no such thing") }]
    ]
    for (const [what, objects] of cases) assert.isUndefined(read(pdfOf({ ...page, ...objects })), what)
  })

  it("inflates no more than it may, of all streams together", () => {
    const nothing = packed("", Buffer.alloc(MIB, 32))
    const bomb = pdfOf({ ...pagesOf(1, "/Contents [20 0 R 21 0 R 22 0 R]"), 20: nothing, 21: nothing, 22: nothing })
    assert.deepStrictEqual(pdfContents(bomb, 4 * MIB).contents, { pages: 1, textBytes: 0 })
    const { contents, inflated } = pdfContents(bomb, 2 * MIB)
    assert.isUndefined(contents)
    assert.isAtMost(inflated, 3 * MIB)
  })
})

const ascii85 = (bytes: Buffer): string => {
  const groups: Array<string> = []
  for (let at = 0; at < bytes.length; at += 4) {
    const rest = bytes.subarray(at, at + 4)
    let value = Buffer.concat([rest, Buffer.alloc(4)]).readUInt32BE(0)
    let group = ""
    for (let digit = 0; digit < 5; digit++) {
      group = String.fromCharCode(33 + (value % 85)) + group
      value = Math.floor(value / 85)
    }
    groups.push(group.slice(0, rest.length + 1))
  }
  return groups.join("")
}
