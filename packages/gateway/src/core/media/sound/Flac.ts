/**
 * The length of a FLAC file (RFC 9639). Silence takes next to no bytes, so its frames are counted. What looks like a frame counts as one:
 * nothing that a decoder takes for one is left out.
 */

const STREAM_INFO = 34

/** `start`: where the file begins behind a tag. Undefined where readers may come to different results. */
export const flacSeconds = (bytes: Buffer, start: number): number | undefined => {
  if (bytes.readUIntBE(start + 4, 4) !== (bytes[start + 4]! & 0x80 ? 0x80000022 : STREAM_INFO)) return undefined
  const info = bytes.subarray(start + 8, start + 8 + STREAM_INFO)
  if (info.length < STREAM_INFO) return undefined
  const rate = info.readUIntBE(10, 3) >> 4
  const told = (info[13]! & 15) * 2 ** 32 + info.readUInt32BE(14)
  let at = start + 4
  for (let isLast = false; !isLast && at + 4 <= bytes.length; at += 4 + bytes.readUIntBE(at + 1, 3)) {
    isLast = bytes[at]! >= 0x80
  }
  const first = rate === 0 ? undefined : frameAt(bytes, at, rate)
  if (first === undefined) return undefined
  let [seconds, next, strays] = [0, first.number, 0]
  for (; at >= 0; at = bytes.indexOf(0xff, at + 1)) {
    const frame = frameAt(bytes, at, rate)
    if (frame === undefined) continue
    if (frame.kind !== first.kind) {
      strays++
      seconds += frame.seconds * AGAIN
    } else if (frame.number !== next) return undefined
    else {
      next += frame.isVariable ? frame.samples : 1
      seconds += frame.seconds
    }
  }
  return told / rate > seconds + 1e-6 || strays > 1 + bytes.length / BYTES_PER_STRAY ? undefined : seconds
}

/** Among so many bytes something may look like a frame by chance. Some decoders decode what is before and behind it again. */
const BYTES_PER_STRAY = 8 * 1024 * 1024
const AGAIN = 10

const RATES = [0, 88_200, 176_400, 192_000, 8_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000, 96_000]

interface Frame {
  /** At the slower of its own rate and the file's. */
  readonly seconds: number
  readonly samples: number
  /** Of the frame or, where frames vary in length, of its first sample. */
  readonly number: number
  readonly isVariable: boolean
  /** Rate, channels and bits, as they are written. */
  readonly kind: number
}

/** Undefined where no frame begins. */
const frameAt = (bytes: Buffer, at: number, usual: number): Frame | undefined => {
  const [, second = 0, sizes = 0, channels = 0, number = 0] = bytes.subarray(at, at + 5)
  const [size, rate] = [sizes >> 4, sizes & 15]
  if ((second & 0xfe) !== 0xf8 || size === 0 || rate === 15 || channels >> 4 > 10 || (channels & 1) === 1)
    return undefined
  // The frame's number is written as in UTF-8.
  const more = number < 0x80 ? 0 : Math.clz32(~(number << 24)) - 1
  let next = at + 5 + more
  if (next + 4 >= bytes.length) return undefined
  let samples = size === 1 ? 192 : size < 6 ? 576 << (size - 2) : size < 8 ? 0 : 256 << (size - 8)
  if (samples === 0) {
    samples = 1 + (size === 6 ? bytes.readUInt8(next) : bytes.readUInt16BE(next))
    next += size - 5
  }
  const told = rate < 12 ? RATES[rate]! : rate === 12 ? bytes.readUInt8(next) * 1000 : bytes.readUInt16BE(next)
  const after = next + (rate < 12 ? 0 : rate === 12 ? 1 : 2)
  if (crc8(bytes.subarray(at, after)) !== bytes[after]) return undefined
  const slower = Math.min(usual, rate === 0 ? usual : Math.max(1, rate === 14 ? told * 10 : told))
  return {
    seconds: samples / slower,
    samples,
    number: numberAt(bytes, at + 4, more),
    isVariable: (second & 1) === 1,
    kind: ((second * 16 + rate) * 8) | ((channels >> 1) & 7)
  }
}

/** As in UTF-8, of up to 36 bits. */
const numberAt = (bytes: Buffer, at: number, more: number): number => {
  let number = more === 0 ? bytes[at]! : bytes[at]! & (0x3f >> more)
  for (let byte = 1; byte <= more; byte++) number = number * 64 + (bytes[at + byte]! & 0x3f)
  return number
}

const crc8 = (bytes: Uint8Array): number => {
  let crc = 0
  for (const byte of bytes) {
    crc ^= byte
    for (let bit = 0; bit < 8; bit++) crc = ((crc << 1) ^ (crc & 0x80 ? 0x07 : 0)) & 0xff
  }
  return crc
}
