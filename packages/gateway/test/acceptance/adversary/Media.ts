/**
 * What callers send beside text, as files with true headers, and what is in them. Their bodies are mostly left out: the scripted
 * provider is told what a file holds, the gateway has to read it.
 */
import { deflateSync } from "node:zlib"
import { pdfOf, streamOf } from "../../support/Pdf.ts"

export interface Page {
  /** Points: 1/72 inch. */
  readonly width: number
  readonly height: number
  readonly text: string
}

export type Holds =
  | { readonly kind: "image"; readonly width: number; readonly height: number }
  | { readonly kind: "pages"; readonly pages: ReadonlyArray<Page> }
  | { readonly kind: "audio" | "video"; readonly seconds: number }

export interface Media {
  readonly mediaType: string
  readonly bytes: Buffer
  readonly holds: Holds
}

const u32 = (value: number) => Buffer.from([value >>> 24, (value >>> 16) & 255, (value >>> 8) & 255, value & 255])
const u16 = (value: number) => Buffer.from([(value >>> 8) & 255, value & 255])

const image = (type: string, bytes: Buffer, width: number, height: number): Media => ({
  mediaType: `image/${type}`,
  bytes,
  holds: { kind: "image", width, height }
})

export const png = (width: number, height: number): Media => {
  const chunk = (name: string, data: Buffer) => Buffer.concat([u32(data.length), Buffer.from(name), data, u32(0)])
  const header = Buffer.concat([u32(width), u32(height), Buffer.from([8, 2, 0, 0, 0])])
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
  const body = [chunk("IHDR", header), chunk("IDAT", deflateSync(Buffer.alloc(64))), chunk("IEND", Buffer.alloc(0))]
  return image("png", Buffer.concat([signature, ...body]), width, height)
}

/** `thumbnail`: an application segment before the frame holds a whole small JPEG, as cameras write it. */
export const jpeg = (width: number, height: number, thumbnail = false): Media => {
  const frame = (w: number, h: number) =>
    Buffer.concat([Buffer.from([0xff, 0xc0]), u16(11), Buffer.from([8]), u16(h), u16(w), Buffer.from([1, 1, 0x11, 0])])
  const whole = (before: Buffer, w: number, h: number) =>
    Buffer.concat([Buffer.from([0xff, 0xd8]), before, frame(w, h), Buffer.from([0xff, 0xda, 0, 2, 1, 2, 0xff, 0xd9])])
  const small = whole(Buffer.alloc(0), 16, 16)
  const exif = Buffer.concat([Buffer.from([0xff, 0xe1]), u16(small.length + 8), Buffer.from("Exif\0\0"), small])
  return image("jpeg", whole(thumbnail ? exif : Buffer.alloc(0), width, height), width, height)
}

export const gif = (width: number, height: number): Media => {
  const little = Buffer.from([width & 255, width >>> 8, height & 255, height >>> 8])
  const frame = Buffer.concat([Buffer.from([0x2c, 0, 0, 0, 0]), little, Buffer.from([0, 2, 1, 0x44, 0])])
  const bytes = Buffer.concat([Buffer.from("GIF89a"), little, Buffer.from([0, 0, 0]), frame, Buffer.from([0x3b])])
  return image("gif", bytes, width, height)
}

export const webp = (width: number, height: number): Media => {
  const less = (value: number) => Buffer.from([(value - 1) & 255, ((value - 1) >>> 8) & 255, (value - 1) >>> 16])
  const extended = Buffer.concat([
    Buffer.from("VP8X"),
    Buffer.from([10, 0, 0, 0, 0, 0, 0, 0]),
    less(width),
    less(height)
  ])
  const size = Buffer.from([extended.length + 4, 0, 0, 0])
  return image("webp", Buffer.concat([Buffer.from("RIFF"), size, Buffer.from("WEBP"), extended]), width, height)
}

export type Layout = "plain" | "compressed"

/** `compressed`: texts are deflated, and the pages stand in an object stream, as most programs write them since PDF 1.5. */
export const pdf = (pages: ReadonlyArray<Page>, layout: Layout): Media => {
  const ids = pages.map((_, index) => 10 + 2 * index)
  const catalog = "<< /Type /Catalog /Pages 2 0 R >>"
  const kids = `<< /Type /Pages /Count ${pages.length} /Kids [${ids.map((id) => `${id} 0 R`).join(" ")}] >>`
  const leaf = ({ width, height }: Page, id: number) =>
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${width} ${height}] /Contents ${id + 1} 0 R >>`
  const contents = Object.fromEntries(
    pages.map(({ text }, index) => {
      const shown = Buffer.from(`BT /F1 9 Tf (${text.replaceAll(/[()\\]/g, "")}) Tj ET`)
      const data = layout === "plain" ? shown : deflateSync(shown)
      return [ids[index]! + 1, streamOf(layout === "plain" ? "" : "/Filter /FlateDecode", data)]
    })
  )
  const structure: Readonly<Record<number, string>> = {
    1: catalog,
    2: kids,
    ...Object.fromEntries(pages.map((page, index) => [ids[index]!, leaf(page, ids[index]!)]))
  }
  const bytes = layout === "plain" ? pdfOf({ ...structure, ...contents }) : packed(structure, contents)
  return { mediaType: "application/pdf", bytes, holds: { kind: "pages", pages } }
}

/** The table of objects is a stream, too. */
const packed = (structure: Readonly<Record<number, string>>, contents: Readonly<Record<number, string>>): Buffer => {
  let offset = 0
  const inside = Object.entries(structure)
  const index = inside.map(([id, text]) => {
    const at = offset
    offset += text.length + 1
    return `${id} ${at}`
  })
  const first = `${index.join(" ")} `
  const data = deflateSync(Buffer.from(first + inside.map(([, text]) => text).join(" ")))
  const head = `/Type /ObjStm /N ${inside.length} /First ${first.length} /Filter /FlateDecode`
  let text = "%PDF-1.5\n"
  const entries = new Map<number, readonly [number, number, number]>()
  for (const [id, object] of Object.entries({ ...contents, 3: streamOf(head, data) })) {
    entries.set(Number(id), [1, text.length, 0])
    text += `${id} 0 obj\n${object}\nendobj\n`
  }
  for (const [at, [id]] of inside.entries()) entries.set(Number(id), [2, 3, at])
  const size = Math.max(...entries.keys()) + 2
  entries.set(size - 1, [1, text.length, 0])
  const rows = Array.from({ length: size }, (_, id) => {
    const [kind, second, third] = entries.get(id) ?? [0, 0, 0]
    return Buffer.concat([Buffer.from([kind]), u32(second), u16(third)])
  })
  const table = `/Type /XRef /W [1 4 2] /Size ${size} /Root 1 0 R /Filter /FlateDecode`
  const last = `${size - 1} 0 obj\n${streamOf(table, deflateSync(Buffer.concat(rows)))}\nendobj\n`
  return Buffer.from(`${text}${last}startxref\n${text.length}\n%%EOF\n`, "latin1")
}

/** 800 samples a second, one byte each. `liar`: the byte rate of the header is a hundred times the true one; players don't read it. */
export const wav = (seconds: number, liar = false): Media => {
  const header = Buffer.alloc(44)
  const size = seconds * 800
  header.write("RIFF", 0)
  header.writeUInt32LE(36 + size, 4)
  header.write("WAVEfmt ", 8)
  header.writeUInt32LE(16, 16)
  header.writeUInt16LE(1, 20)
  header.writeUInt16LE(1, 22)
  header.writeUInt32LE(800, 24)
  header.writeUInt32LE(liar ? 80_000 : 800, 28)
  header.writeUInt16LE(1, 32)
  header.writeUInt16LE(8, 34)
  header.write("data", 36)
  header.writeUInt32LE(size, 40)
  return {
    mediaType: "audio/wav",
    bytes: Buffer.concat([header, Buffer.alloc(size, 128)]),
    holds: { kind: "audio", seconds }
  }
}

/** MPEG-2 layer III, 8 kbit/s, 22,050 Hz: a frame of 26 bytes is 576 samples. */
export const mp3 = (seconds: number): Media => {
  const frames = Math.ceil((seconds * 22_050) / 576)
  const frame = Buffer.alloc(26)
  frame.set([0xff, 0xf3, 0x10, 0xc4])
  const bytes = Buffer.alloc(26 * frames, frame)
  return { mediaType: "audio/mpeg", bytes, holds: { kind: "audio", seconds: (frames * 576) / 22_050 } }
}

export const mp4 = (seconds: number): Media => {
  const box = (name: string, data: Buffer) => Buffer.concat([u32(data.length + 8), Buffer.from(name), data])
  const times = Buffer.concat([u32(0), u32(0), u32(0), u32(1000), u32(seconds * 1000)])
  const moov = box("moov", box("mvhd", Buffer.concat([times, Buffer.alloc(80)])))
  const bytes = Buffer.concat([
    box("ftyp", Buffer.from("isom\0\0\u0002\0isommp41")),
    moov,
    box("mdat", Buffer.alloc(16))
  ])
  return { mediaType: "video/mp4", bytes, holds: { kind: "video", seconds } }
}
