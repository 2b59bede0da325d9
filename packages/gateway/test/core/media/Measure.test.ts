import { deflateSync } from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import type { MediaPart } from "../../../src/core/media/Contents.ts"
import { measure } from "../../../src/core/media/Measure.ts"
import { png } from "../../support/Media.ts"
import { pagesOf, pdfOf, streamOf } from "../../support/Pdf.ts"
import { wave } from "../../support/Uploads.ts"

const part = (kind: MediaPart["kind"], bytes: Buffer | string, ...names: ReadonlyArray<string>): MediaPart => ({
  kind,
  path: "p",
  source: typeof bytes === "string" ? bytes : `data:;base64,${bytes.toString("base64")}`,
  detail: undefined,
  names
})
const measured = (one: MediaPart) => Effect.map(measure([one], undefined), (measures) => measures.get("p"))

describe("measure", () => {
  it.live("reads sizes, pages, seconds and texts", () =>
    Effect.gen(function* () {
      const document = pdfOf(pagesOf(3))
      assert.deepStrictEqual((yield* measured(part("file", document, "application/pdf")))?.pdf?.pages, 3)
      assert.deepStrictEqual(yield* measured(part("audio", wave(2), "wav")), { seconds: 2 })
      assert.deepStrictEqual(yield* measured(part("image", png(4, 5), "image/png")), { image: { width: 4, height: 5 } })
      assert.deepStrictEqual(yield* measured(part("file", Buffer.from("Größe"), "text/plain")), { textBytes: 7 })
    })
  )

  it.live("knows nothing of a file whose bytes are not of the type that is said", () =>
    Effect.gen(function* () {
      const document = pdfOf(pagesOf(3))
      assert.isUndefined((yield* measured(part("file", document, "text/plain")))?.pdf)
      assert.isUndefined((yield* measured(part("file", Buffer.from("Hi"), "application/pdf")))?.textBytes)
      assert.isUndefined((yield* measured(part("file", Buffer.from("1 0 obj << >> endobj"))))?.textBytes)
      assert.isUndefined((yield* measured(part("file", Buffer.from([0x80, 0x81]), "text/plain")))?.textBytes)
      assert.isUndefined((yield* measured(part("audio", wave(2), "mp3")))?.seconds)
      assert.isUndefined((yield* measured(part("image", png(4, 5), "image/gif")))?.image)
      for (const bytes of [document, wave(2), Buffer.from("\0\0\0\x18ftypmp42\0\0\0\0"), Buffer.from("OggS")])
        assert.deepStrictEqual(yield* measured(part("image", bytes, "image/png")), { kind: "other" })
    })
  )

  it.live("reads many files of one request within one limit on inflated bytes", () =>
    Effect.gen(function* () {
      const texts = Array.from({ length: 12 }, () => deflateSync(Buffer.alloc(1_000_000, 32)))
      const objects = texts.map((text, index) => [20 + index, streamOf("/Filter /FlateDecode", text)] as const)
      const list = objects.map(([number]) => `${number} 0 R`).join(" ")
      // 12 MB inflated from 300 KB.
      const pad = { 50: streamOf("/Subtype /Image", Buffer.alloc(300_000, 1)) }
      const bytes = pdfOf({ ...pagesOf(1, `/Contents [${list}]`), ...Object.fromEntries(objects), ...pad })
      const media = [0, 1, 2, 3].map((index) => ({ ...part("file", bytes, "application/pdf"), path: `p${index}` }))
      const measures = yield* measure(media, undefined)
      assert.deepStrictEqual(
        media.map(({ path }) => measures.get(path)?.pdf?.pages),
        [1, 1, undefined, undefined]
      )
    })
  )

  it.live("goes on after a file that is too much for the thread", () =>
    Effect.gen(function* () {
      const hostile = [
        `%PDF-1.4\n${"/Contents[".repeat(100_000)}`,
        `%PDF-1.4\n1 0 obj [${"<<>>".repeat(400_000)}] endobj`,
        `%PDF-1.4\n${"1 0 obj\n".repeat(100_000)}`,
        `%PDF-1.4\n1 0 obj ${"[".repeat(500_000)}`,
        `%PDF-1.4\n${"xref\n0 9 ".repeat(100_000)}`
      ]
      for (const text of hostile) {
        assert.isUndefined(
          (yield* measured(part("file", Buffer.from(text), "application/pdf")))?.pdf,
          text.slice(0, 40)
        )
      }
      assert.strictEqual((yield* measured(part("file", pdfOf(pagesOf(2)))))?.pdf?.pages, 2)
    })
  )

  it.effect("is unknown of a file that is not read in time, and reads the next", () =>
    Effect.gen(function* () {
      const slow = { size: 9, head: new Uint8Array(), pieces: () => never() }
      const fiber = yield* Effect.forkChild(measured({ ...part("audio", ""), source: undefined, file: slow }))
      yield* Effect.yieldNow
      yield* TestClock.adjust("10 seconds")
      assert.deepStrictEqual(yield* Fiber.join(fiber), { seconds: undefined })
      assert.deepStrictEqual(yield* measured(part("audio", wave(2), "wav")), { seconds: 2 })
    })
  )

  it.live("keeps nothing of an uploaded file in memory, and reads none above an eighth of it", () =>
    Effect.gen(function* () {
      const piece = Buffer.alloc(1024 * 1024)
      let read = 0
      const upload = (pieces: number) => ({
        size: pieces * piece.length,
        head: new Uint8Array(),
        pieces: async function* () {
          for (let at = 0; at < pieces; at++, read++) yield piece
        }
      })
      const measuredFile = (pieces: number) =>
        measured({ ...part("audio", "", "wav"), source: undefined, file: upload(pieces) })
      const before = process.memoryUsage().arrayBuffers
      assert.deepStrictEqual(yield* measuredFile(64), { seconds: undefined })
      assert.strictEqual(read, 64)
      assert.isBelow(process.memoryUsage().arrayBuffers - before, 32 * piece.length)
      assert.deepStrictEqual(yield* measuredFile(1024 * 1024), { seconds: undefined })
      assert.strictEqual(read, 64)
    })
  )
})

const never = async function* () {
  yield await new Promise<Uint8Array>(() => {})
}
