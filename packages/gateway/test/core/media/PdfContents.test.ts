import { deflateSync } from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { pdfContents } from "../../../src/core/media/PdfContents.ts"

const stream = (dictionary: string, data: string | Buffer, packed = false): string => {
  const bytes = packed ? deflateSync(data) : Buffer.from(data)
  const filter = packed ? " /Filter /FlateDecode" : ""
  return `<< /Length ${bytes.length}${dictionary}${filter} >>\nstream\n${bytes.toString("latin1")}\nendstream`
}

const pdf = (...objects: ReadonlyArray<string>): Buffer =>
  Buffer.from(
    `%PDF-1.7\n${objects.map((object, index) => `${index + 1} 0 obj\n${object}\nendobj\n`).join("")}trailer << /Root 1 0 R >>`,
    "latin1"
  )

const page = (contents: number) => `<< /Type /Page /Parent 1 0 R /Contents ${contents} 0 R >>`
const shown = (text: string) => `BT /F1 12 Tf (${text}) Tj ET`

describe("pdfContents", () => {
  it.effect("counts pages and the text on them, packed or not", () =>
    Effect.gen(function* () {
      const read = yield* pdfContents(
        pdf(
          "<< /Type /Pages /Kids [2 0 R 3 0 R] /Count 2 >>",
          page(4),
          page(5),
          stream("", shown("a".repeat(500)), true),
          stream("", shown("b\\)".repeat(100)))
        )
      )
      assert.strictEqual(read?.pages, 2)
      assert.isAtLeast(read!.textBytes, 700)
      assert.isAtMost(read!.textBytes, 900)
      const inside = stream(
        " /Type /ObjStm /N 2",
        "<< /Type /Pages /Kids [8 0 R 9 0 R] >> << /Type /Page >> << /Type /Page >>",
        true
      )
      assert.strictEqual((yield* pdfContents(pdf(inside)))?.pages, 2)
    })
  )

  it.effect("does not overlook what is written in another way", () =>
    Effect.gen(function* () {
      const named = yield* pdfContents(pdf("<< /Type /P#61ges /K#69ds [2 0 R 3 0 R] >>", page(4), page(5)))
      assert.strictEqual(named?.pages, 2)
      // A font that makes 30 letters of one code.
      const font = stream("", `1 beginbfchar <01> <${"0041".repeat(30)}> endbfchar`)
      const read = yield* pdfContents(pdf(page(2), stream("", shown("x".repeat(100))), font))
      assert.isAtLeast(read!.textBytes, 3_000)
    })
  )

  it.effect("does not know what uses a page or a text again and again, or is locked or broken", () =>
    Effect.gen(function* () {
      const files = [
        pdf("<< /Type /Pages /Kids [2 0 R 2 0 R 2 0 R] >>", page(3)),
        pdf("<< /Type /Pages /Kids 5 0 R >>", page(3), "[2 0 R 2 0 R]"),
        pdf(page(3), page(3), stream("", shown("x"))),
        pdf(page(2), `${stream("", shown("x"))}`, "<< /Encrypt 9 0 R >>"),
        pdf(page(2), stream(" /Filter /LZWDecode", "x")),
        pdf(page(2), stream(" /Filter [/ASCII85Decode /FlateDecode]", "x")),
        pdf(page(2), stream(" /Filter /FlateDecode", "no such thing")),
        pdf(page(2), "<< >> stream\nwithout an end"),
        pdf("<< /Type /Catalog >>"),
        Buffer.alloc(0)
      ]
      for (const [index, file] of files.entries()) assert.isUndefined(yield* pdfContents(file), String(index))
      // 80 MB of nothing in a few KB.
      const bomb = pdf(page(2), stream("", Buffer.alloc(80 * 1024 * 1024, 32), true))
      assert.isUndefined(yield* pdfContents(bomb))
    })
  )
})
