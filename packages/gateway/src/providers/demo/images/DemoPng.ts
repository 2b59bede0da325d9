/** A small PNG file, made of nothing but numbers: stripes in two colours. */
import { crc32, deflateSync } from "node:zlib"

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
/** One bit a pixel, an index into a palette. */
const HEADER = Buffer.from([1, 3, 0, 0, 0])

type Colour = readonly [red: number, green: number, blue: number]

export interface Stripes {
  /** Pixels. */
  readonly width: number
  readonly height: number
  /** Pixels of one stripe. */
  readonly stripe: number
  readonly colours: readonly [Colour, Colour]
}

export const png = ({ colours, height, stripe, width }: Stripes): Buffer => {
  const size = Buffer.alloc(8)
  size.writeUInt32BE(width, 0)
  size.writeUInt32BE(height, 4)
  const row = 1 + Math.ceil(width / 8)
  const pixels = Buffer.alloc(row * height)
  for (let y = 0; y < height; y++) {
    if (Math.floor(y / stripe) % 2 === 1) pixels.fill(0xff, y * row + 1, (y + 1) * row)
  }
  return Buffer.concat([
    SIGNATURE,
    chunk("IHDR", Buffer.concat([size, HEADER])),
    chunk("PLTE", Buffer.from(colours.flat())),
    chunk("IDAT", deflateSync(pixels)),
    chunk("IEND", Buffer.alloc(0))
  ])
}

const chunk = (type: string, data: Buffer): Buffer => {
  const length = Buffer.alloc(4)
  length.writeUInt32BE(data.length)
  const named = Buffer.concat([Buffer.from(type, "latin1"), data])
  const check = Buffer.alloc(4)
  check.writeUInt32BE(crc32(named))
  return Buffer.concat([length, named, check])
}
