/** Width and height of an image, read from its first bytes. */

export interface ImageSize {
  readonly width: number
  readonly height: number
}

/** Reads PNG, JPEG, GIF and WebP. Undefined for other formats, and where the size is not within these bytes. */
export const imageSize = (bytes: Buffer): ImageSize | undefined => {
  const size = png(bytes) ?? gif(bytes) ?? webp(bytes) ?? jpeg(bytes)
  return size !== undefined && size.width > 0 && size.height > 0 ? size : undefined
}

const png = (bytes: Buffer): ImageSize | undefined =>
  bytes.length >= 24 && bytes.readUInt32BE(0) === 0x89504e47 && bytes.toString("latin1", 12, 16) === "IHDR"
    ? { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) }
    : undefined

/** The canvas size, or the first frame's if that is larger. */
const gif = (bytes: Buffer): ImageSize | undefined => {
  if (bytes.length < 13 || !/^GIF8[79]a/.test(bytes.toString("latin1", 0, 6))) return undefined
  const canvas = { width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) }
  const flags = bytes[10]!
  let at = 13 + ((flags & 0x80) === 0 ? 0 : 3 * 2 ** ((flags & 7) + 1))
  // Skips extensions up to the first frame.
  while (bytes[at] === 0x21) {
    at += 2
    while (at < bytes.length && bytes[at] !== 0) at += bytes[at]! + 1
    at++
  }
  if (bytes[at] !== 0x2c || at + 9 > bytes.length) return undefined
  return {
    width: Math.max(canvas.width, bytes.readUInt16LE(at + 5)),
    height: Math.max(canvas.height, bytes.readUInt16LE(at + 7))
  }
}

const webp = (bytes: Buffer): ImageSize | undefined => {
  if (bytes.length < 30 || bytes.toString("latin1", 0, 4) !== "RIFF" || bytes.toString("latin1", 8, 12) !== "WEBP") {
    return undefined
  }
  switch (bytes.toString("latin1", 12, 16)) {
    case "VP8 ":
      return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff }
    case "VP8L": {
      const bits = bytes.readUInt32LE(21)
      return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 }
    }
    case "VP8X":
      return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 }
    default:
      return undefined
  }
}

const JPEG_START = 0xffd8
/** Frame markers: all start-of-frame markers except those of tables (C4, C8, CC). */
const isFrame = (marker: number): boolean =>
  marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc

const jpeg = (bytes: Buffer): ImageSize | undefined => {
  if (bytes.length < 4 || bytes.readUInt16BE(0) !== JPEG_START) return undefined
  let at = 2
  while (at + 9 <= bytes.length) {
    if (bytes[at] !== 0xff) return undefined
    const marker = bytes[at + 1]!
    // Skips padding, and markers without a length.
    if (marker === 0xff) at++
    else if (marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8)) at += 2
    else if (isFrame(marker)) return { height: bytes.readUInt16BE(at + 5), width: bytes.readUInt16BE(at + 7) }
    else if (marker === 0xda || marker === 0xd9) return undefined
    else at += 2 + bytes.readUInt16BE(at + 2)
  }
  return undefined
}
