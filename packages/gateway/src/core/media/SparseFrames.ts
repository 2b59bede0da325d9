/**
 * Frames of codecs that write silence in next to no bytes: FLAC, and what comes in Ogg pages. An hour of it may be a few kilobytes, so
 * its frames are counted. What looks like a frame counts as one.
 *
 * FLAC: RFC 9639, section 9.1. Ogg: RFC 3533, section 6. A packet of Opus lasts at most 120 ms (RFC 6716, 3.2.5), one of Vorbis at most
 * half of 8,192 samples (https://xiph.org/vorbis/doc/Vorbis_I_spec.html, 2026-11-22).
 */

/** Of an Ogg page, which begins with the lengths of up to 255 segments. */
const LONGEST_HEADER = 27 + 255
const OPUS_PACKET_SECONDS = 0.12
const VORBIS_PACKET_SAMPLES = 4_096
const FLAC_BLOCK_SAMPLES = 65_535

export class SparseFrames {
  private found = 0
  private rest = Buffer.alloc(0)
  /** Of FLAC frames that name none. */
  private readonly rate: number
  /** Of an Ogg packet; 0: there are none. */
  private readonly packetSeconds: number

  /** `head`: the first bytes. */
  private constructor(head: Buffer, flac: number) {
    this.rate = flac < 0 ? 0 : flacRate(head, flac)
    this.packetSeconds = head.includes("OggS", 0, "latin1") ? packetSeconds(head, this.rate) : 0
  }

  /** Undefined for recordings of other kinds. */
  static of(head: Buffer): SparseFrames | undefined {
    const flac = head.indexOf("fLaC", 0, "latin1")
    return flac < 0 && !head.includes("OggS", 0, "latin1") ? undefined : new SparseFrames(head, flac)
  }

  get seconds(): number {
    const padded = Buffer.concat([this.rest, Buffer.alloc(LONGEST_HEADER)])
    return this.found + this.secondsIn(padded, this.rest.length)
  }

  push(piece: Buffer): void {
    const bytes = Buffer.concat([this.rest, piece])
    const end = Math.max(0, bytes.length - LONGEST_HEADER)
    this.found += this.secondsIn(bytes, end)
    this.rest = bytes.subarray(end)
  }

  /** Of the frames that begin before `end`. */
  private secondsIn(bytes: Buffer, end: number): number {
    let seconds = 0
    for (let at = 0; at < end; at++) {
      if (bytes[at] === 0xff) seconds += this.rate === 0 ? 0 : flacSeconds(bytes, at, this.rate)
      else if (bytes[at] === 0x4f && this.packetSeconds > 0) seconds += packetsIn(bytes, at) * this.packetSeconds
    }
    return seconds
  }
}

/** From the first block, whose place is `at`. */
const flacRate = (head: Buffer, at: number): number =>
  at + 21 > head.length ? 1 : Math.max(1, head.readUIntBE(at + 18, 3) >> 4)

const packetSeconds = (head: Buffer, flacRate: number): number => {
  if (flacRate > 0) return FLAC_BLOCK_SAMPLES / flacRate
  const vorbis = head.indexOf("\x01vorbis", 0, "latin1")
  if (vorbis < 0 || vorbis + 16 > head.length) return OPUS_PACKET_SECONDS
  return Math.max(OPUS_PACKET_SECONDS, VORBIS_PACKET_SAMPLES / Math.max(1, head.readUInt32LE(vorbis + 12)))
}

/** Packets that end in the Ogg page at that place: each segment of less than 255 bytes ends one. */
const packetsIn = (bytes: Buffer, at: number): number => {
  if (bytes.toString("latin1", at, at + 4) !== "OggS") return 0
  const lengths = bytes.subarray(at + 27, at + 27 + bytes[at + 26]!)
  return lengths.reduce((count, length) => (length < 255 ? count + 1 : count), 0)
}

const RATES = [0, 88_200, 176_400, 192_000, 8_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000, 96_000]

/** 0 where no frame begins. */
const flacSeconds = (bytes: Buffer, at: number, usual: number): number => {
  const [, second = 0, sizes = 0, channels = 0, number = 0] = bytes.subarray(at, at + 5)
  const [size, rate] = [sizes >> 4, sizes & 15]
  if ((second & 0xfe) !== 0xf8 || size === 0 || rate === 15 || channels >> 4 > 10 || (channels & 1) === 1) return 0
  // The frame's number is written as in UTF-8.
  const more = number < 0x80 ? 0 : Math.clz32(~(number << 24)) - 1
  let next = at + 5 + more
  let samples = size === 1 ? 192 : size < 6 ? 576 << (size - 2) : size < 8 ? 0 : 256 << (size - 8)
  if (samples === 0) {
    samples = 1 + (size === 6 ? bytes.readUInt8(next) : bytes.readUInt16BE(next))
    next += size - 5
  }
  const told = rate < 12 ? RATES[rate]! : rate === 12 ? bytes.readUInt8(next) * 1000 : bytes.readUInt16BE(next)
  const after = next + (rate < 12 ? 0 : rate === 12 ? 1 : 2)
  if (crc8(bytes.subarray(at, after)) !== bytes[after]) return 0
  return samples / (rate === 0 ? usual : Math.max(1, rate === 14 ? told * 10 : told))
}

const crc8 = (bytes: Uint8Array): number => {
  let crc = 0
  for (const byte of bytes) {
    crc ^= byte
    for (let bit = 0; bit < 8; bit++) crc = ((crc << 1) ^ (crc & 0x80 ? 0x07 : 0)) & 0xff
  }
  return crc
}
