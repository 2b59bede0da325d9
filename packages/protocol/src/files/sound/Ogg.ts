/**
 * The length of an Ogg file (RFC 3533) of one Opus (RFC 6716, RFC 7845) or Vorbis stream, whose pages follow each other without a gap.
 * Packets are counted, as silence takes next to no bytes, and compared with the times of the pages.
 */

const HEADER = 27
const OPUS_RATE = 48_000
/** Headers in front of the sound. */
const OPUS_HEADERS = 2
const VORBIS_HEADERS = 3

/** Undefined where readers may come to different results. */
export const oggSeconds = (bytes: Buffer): number | undefined => {
  const codec = codecOf(bytes)
  if (codec === undefined) return undefined
  const serial = bytes.readUInt32LE(14)
  let [packets, samples, position, at] = [0, 0, 0, 0]
  /** Where the packet began that goes on in the next page. */
  let open: number | undefined
  for (let page = 0; at < bytes.length; page++) {
    const head = at + HEADER + bytes[at + 26]!
    if (head > bytes.length || bytes.toString("latin1", at, at + 5) !== "OggS\0") return undefined
    const flags = bytes[at + 5]!
    const isNext = bytes.readUInt32LE(at + 14) === serial && bytes.readUInt32LE(at + 18) === page
    if (!isNext || (flags & 2) !== (page === 0 ? 2 : 0) || (flags & 1) !== (open === undefined ? 0 : 1))
      return undefined
    let body = head
    for (const length of bytes.subarray(at + HEADER, head)) {
      open ??= body
      body += length
      if (length === 255) continue
      if (packets++ >= codec.headers) samples += codec.samples(bytes, open, body)
      open = undefined
    }
    if (body > bytes.length || crc(bytes, at, body) !== bytes.readUInt32LE(at + 22)) return undefined
    const time = bytes.readBigInt64LE(at + 6)
    if (time !== -1n) {
      if (time < 0n || Number(time) < position) return undefined
      position = Number(time)
    }
    at = body
  }
  const length = position / codec.rate
  return position > samples || codec.rate === 0 ? undefined : Math.max(length, samples / codec.rate)
}

interface Codec {
  readonly headers: number
  /** Samples a second. */
  readonly rate: number
  /** The most samples of a packet. */
  readonly samples: (bytes: Buffer, from: number, end: number) => number
}

const codecOf = (bytes: Buffer): Codec | undefined => {
  if (bytes.length < HEADER + 1 + 30 || bytes[26] !== 1) return undefined
  const first = bytes.subarray(HEADER + 1)
  if (first.toString("latin1", 0, 8) === "OpusHead") {
    return { headers: OPUS_HEADERS, rate: OPUS_RATE, samples: opusSamples }
  }
  if (first.toString("latin1", 0, 7) !== "\x01vorbis") return undefined
  // Half of the two blocks that a packet overlaps with, each of at most the longer length.
  const most = 2 ** (first[28]! >> 4) / 2
  return { headers: VORBIS_HEADERS, rate: first.readUInt32LE(12), samples: () => most }
}

/** By configuration of the first byte: ms × 48. */
const SILK = [480, 960, 1_920, 2_880]
const HYBRID = [480, 960]
const CELT = [120, 240, 480, 960]
const LONGEST = 5_760

const opusSamples = (bytes: Buffer, from: number, end: number): number => {
  if (end === from) return LONGEST
  const config = bytes[from]! >> 3
  const frame = config < 12 ? SILK[config & 3]! : config < 16 ? HYBRID[config & 1]! : CELT[config & 3]!
  const code = bytes[from]! & 3
  const frames = code === 0 ? 1 : code < 3 ? 2 : end - from > 1 ? bytes[from + 1]! & 63 : 0
  return Math.min(LONGEST, frame * Math.max(1, frames))
}

const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte << 24
  for (let bit = 0; bit < 8; bit++) value = (value << 1) ^ (value < 0 ? 0x04c11db7 : 0)
  return value
})

/** Of a page, whose own four bytes of it count as 0. */
const crc = (bytes: Buffer, from: number, end: number): number => {
  let value = 0
  for (let at = from; at < end; at++) {
    const byte = at >= from + 22 && at < from + 26 ? 0 : bytes[at]!
    value = (value << 8) ^ TABLE[(value >>> 24) ^ byte]!
  }
  return value >>> 0
}
