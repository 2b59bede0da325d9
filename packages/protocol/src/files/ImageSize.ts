/** Width and height of an image that has one size: PNG, JPEG, GIF and WebP. */

export interface ImageSize {
  readonly width: number
  readonly height: number
}

/**
 * Undefined for other formats, and where an image names several sizes. `type`: the media type that it is said to have; where that is
 * another format, its size is unknown too.
 */
export const imageSize = (bytes: Buffer, type?: string): ImageSize | undefined => {
  const format = formatOf(bytes)
  const said = /^image\/(?:x-)?(png|jpe?g|gif|webp)$/i
    .exec(type ?? "")?.[1]
    ?.toLowerCase()
    .replace("jpg", "jpeg")
  if (format === undefined || (said !== undefined && said !== format)) return undefined
  const sizes = READERS[format](bytes)
  const [size] = sizes
  if (size === undefined || size.width === 0 || size.height === 0) return undefined
  return sizes.every(({ height, width }) => width === size.width && height === size.height) ? size : undefined
}

type ImageFormat = "png" | "jpeg" | "gif" | "webp"

const formatOf = (bytes: Buffer): ImageFormat | undefined => {
  const head = bytes.toString("latin1", 0, 12)
  if (head.startsWith("\x89PNG\r\n\x1a\n")) return "png"
  if (head.startsWith("\xff\xd8\xff")) return "jpeg"
  if (/^GIF8[79]a/.test(head)) return "gif"
  return /^RIFF[^]{4}WEBP/.test(head) ? "webp" : undefined
}

/** All sizes that are named where a reader may look for one; none where the file breaks off before. */
type ImageSizeReader = (bytes: Buffer) => ReadonlyArray<ImageSize>

const png: ImageSizeReader = (bytes) => {
  const sizes: Array<ImageSize> = []
  for (let at = 8; at + 8 <= bytes.length; at += 12 + bytes.readUInt32BE(at)) {
    const name = bytes.toString("latin1", at + 4, at + 8)
    if (name === "IHDR" && at + 16 <= bytes.length) {
      sizes.push({ width: bytes.readUInt32BE(at + 8), height: bytes.readUInt32BE(at + 12) })
    } else if (sizes.length === 0) return []
    if (name === "IEND") break
  }
  return sizes
}

/** The largest of the canvas and all frames. */
const gif: ImageSizeReader = (bytes) => {
  if (bytes.length < 13) return []
  let [width, height] = [bytes.readUInt16LE(6), bytes.readUInt16LE(8)]
  const table = (flags: number): number => ((flags & 0x80) === 0 ? 0 : 3 * 2 ** ((flags & 7) + 1))
  let at = 13 + table(bytes[10]!)
  let frames = 0
  for (; at < bytes.length && bytes[at] !== 0x3b; at++) {
    if (bytes[at] === 0x21) at += 2
    else if (bytes[at] === 0x2c && at + 10 < bytes.length) {
      width = Math.max(width, bytes.readUInt16LE(at + 1) + bytes.readUInt16LE(at + 5))
      height = Math.max(height, bytes.readUInt16LE(at + 3) + bytes.readUInt16LE(at + 7))
      at += 11 + table(bytes[at + 9]!)
      frames++
    } else return []
    while (at < bytes.length && bytes[at] !== 0) at += bytes[at]! + 1
  }
  return frames === 0 ? [] : [{ width, height }]
}

const webp: ImageSizeReader = (bytes) => {
  const sizes: Array<ImageSize> = []
  for (let at = 12; at + 18 <= bytes.length; at += 8 + bytes.readUInt32LE(at + 4) + (bytes.readUInt32LE(at + 4) & 1)) {
    const name = bytes.toString("latin1", at, at + 4)
    const from = at + 8
    if (name === "VP8 ") {
      sizes.push({ width: bytes.readUInt16LE(from + 6) & 0x3fff, height: bytes.readUInt16LE(from + 8) & 0x3fff })
    } else if (name === "VP8L") {
      const bits = bytes.readUInt32LE(from + 1)
      sizes.push({ width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 })
    } else if (name === "VP8X") {
      sizes.push({ width: bytes.readUIntLE(from + 4, 3) + 1, height: bytes.readUIntLE(from + 7, 3) + 1 })
    }
  }
  return sizes
}

/** Frame markers: all start-of-frame markers except those of tables (C4, C8, CC). */
const isFrame = (marker: number): boolean =>
  marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc

const jpeg: ImageSizeReader = (bytes) => {
  const sizes: Array<ImageSize> = []
  for (let at = bytes.indexOf(0xff, 2); at >= 0 && at + 4 <= bytes.length; at = bytes.indexOf(0xff, at)) {
    const marker = bytes[at + 1]!
    if (marker === 0xd9) break
    // Padding, and markers without a length, which stand in the data of a scan.
    if (marker === 0xff) at++
    else if (marker <= 0x01 || (marker >= 0xd0 && marker <= 0xd8)) at += 2
    else {
      if (isFrame(marker) && at + 9 <= bytes.length) {
        sizes.push({ height: bytes.readUInt16BE(at + 5), width: bytes.readUInt16BE(at + 7) })
      }
      at += 2 + bytes.readUInt16BE(at + 2)
    }
  }
  return sizes
}

const READERS: { readonly [Name in ImageFormat]: ImageSizeReader } = { png, jpeg, gif, webp }
