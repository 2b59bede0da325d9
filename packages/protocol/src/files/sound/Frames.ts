/** Frames of compressed sound, and where readers may find them in a file that seems to be something else. */

/** Of MPEG audio (ISO 11172-3 and 13818-3, 2.4.1.3). */
export interface MpegFrame {
  /** Bytes. */
  readonly length: number
  readonly samples: number
  readonly rate: number
  /** Bits a second. */
  readonly bitrate: number
  /** Version, layer and sample rate, which are the same throughout a file. */
  readonly kind: number
}

/** kbit/s by version (1, and 2 with 2.5), layer and index. */
const BITRATES: ReadonlyArray<ReadonlyArray<ReadonlyArray<number>>> = [
  [
    [32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448],
    [32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384],
    [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320]
  ],
  [
    [32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256],
    [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
    [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160]
  ]
]
const RATES = [44_100, 48_000, 32_000]
const SAMPLES = [384, 1_152, 1_152]

/** Undefined where no frame with a known length begins. */
export const mpegFrame = (bytes: Buffer, at: number): MpegFrame | undefined => {
  if (bytes[at] !== 0xff || at + 4 > bytes.length) return undefined
  const [second, third] = [bytes[at + 1]!, bytes[at + 2]!]
  const [version, layer] = [(second >> 3) & 3, 3 - ((second >> 1) & 3)]
  const [index, rateIndex] = [third >> 4, (third >> 2) & 3]
  if ((second & 0xe0) !== 0xe0 || version === 1 || layer === 3 || index === 0 || index === 15 || rateIndex === 3) {
    return undefined
  }
  const rate = RATES[rateIndex]! / (version === 3 ? 1 : version === 2 ? 2 : 4)
  const bitrate = BITRATES[version === 3 ? 0 : 1]![layer]![index - 1]! * 1_000
  const samples = layer === 2 && version !== 3 ? 576 : SAMPLES[layer]!
  const padding = (third >> 1) & 1
  const length =
    layer === 0
      ? (Math.floor((12 * bitrate) / rate) + padding) * 4
      : Math.floor((samples / 8) * (bitrate / rate)) + padding
  return { length, samples, rate, bitrate, kind: (second & 0xfe) * 4 + rateIndex }
}

/** Bytes of a frame; 0 where none begins. */
type FrameLength = (bytes: Buffer, at: number) => number

/** AAC (ISO 13818-7, 6.2, and ISO 14496-3, 1.7). */
const adts: FrameLength = (bytes, at) => {
  if (bytes[at] !== 0xff || (bytes[at + 1]! & 0xf6) !== 0xf0 || at + 6 > bytes.length) return 0
  const length = ((bytes[at + 3]! & 3) << 11) | (bytes[at + 4]! << 3) | (bytes[at + 5]! >> 5)
  return ((bytes[at + 2]! >> 2) & 15) > 12 || length < 7 ? 0 : length
}
const loas: FrameLength = (bytes, at) =>
  bytes[at] === 0x56 && (bytes[at + 1]! & 0xe0) === 0xe0 && at + 3 <= bytes.length
    ? 3 + (((bytes[at + 1]! & 31) << 8) | bytes[at + 2]!)
    : 0

const AC3 = [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384, 448, 512, 576, 640]

/** AC-3 and E-AC-3 (ETSI TS 102 366), in either order of bytes. */
const ac3: FrameLength = (bytes, at) => {
  if (at + 6 > bytes.length) return 0
  const swap = bytes[at] === 0x77 && bytes[at + 1] === 0x0b ? 1 : 0
  if (bytes[at + swap] !== 0x0b || bytes[at + 1 - swap] !== 0x77) return 0
  const [third, fourth, fifth, sixth] = [2, 3, 4, 5].map((byte) => bytes[at + (byte ^ swap)]!)
  if (sixth! >> 3 > 10) return (((third! & 7) << 8) | fourth!) * 2 + 2
  const [rate, code] = [fifth! >> 6, fifth! & 63]
  const kilobits = AC3[code >> 1]
  if (rate === 3 || kilobits === undefined) return 0
  return rate === 0
    ? kilobits * 4
    : rate === 2
      ? kilobits * 6
      : (Math.floor((kilobits * 96_000) / 44_100) + (code & 1)) * 2
}

const KINDS: ReadonlyArray<FrameLength> = [(bytes, at) => mpegFrame(bytes, at)?.length ?? 0, adts, loas, ac3]

/** Marks of S/PDIF, DTS, TrueHD and MLP. */
const MARKS = [
  "72f81f4e",
  "f8724e1f",
  "7ffe8001",
  "fe7f0180",
  "1fffe800",
  "ff1f00e8",
  "64582025",
  "f8726fba",
  "f8726fbb"
]
const BYTES_OF_MARKS = MARKS.map((mark) => Buffer.from(mark, "hex"))
/** Fewer may be there by chance. */
const LEAST_MARKS = 3

/** As far as readers look (libavformat, `wavdec.c`: 32 packets). */
const SEARCHED = 256 * 1024
const LONG_CHAIN = 16

/** Whether what a header calls samples may be frames of compressed sound, which readers would take it for. */
export const isCompressed = (samples: Buffer): boolean => {
  const data = samples.subarray(0, SEARCHED)
  if (BYTES_OF_MARKS.some((mark) => isRepeated(data, mark))) return true
  const start = data.findIndex((byte) => byte !== 0)
  for (let at = 0; at < data.length; at++) {
    const needed = at === 0 || at === start ? 3 : LONG_CHAIN
    if (KINDS.some((lengthAt) => isChain(data, at, lengthAt, needed))) return true
  }
  return false
}

/** At even places, as readers search. */
const isRepeated = (data: Buffer, mark: Buffer): boolean => {
  let count = 0
  for (let at = data.indexOf(mark); at >= 0; at = data.indexOf(mark, at + 1)) if (at % 2 === 0) count++
  return count >= LEAST_MARKS
}

const isChain = (bytes: Buffer, start: number, lengthAt: FrameLength, needed: number): boolean => {
  let at = start
  for (let count = 0; count < needed; count++) {
    const length = lengthAt(bytes, at)
    if (length === 0) return false
    at += length
  }
  return true
}

/** How much readers look at, again and again, until they are sure that it is MP3 (libavformat, `format.c` and `mp3dec.c`). */
const PROBED = [2_048, 4_096, 8_192, 16_384, 32_768, 65_536]
const PACKETS = [188, 192, 204]
const PROGRAM_STREAM = Buffer.from("000001ba", "hex")

/** Whether readers may take MP3 frames for an MPEG stream, which they recognise by marks anywhere in it. */
export const isMpegStream = (bytes: Buffer): boolean =>
  bytes.subarray(0, PROBED.at(-1)).includes(PROGRAM_STREAM) ||
  PROBED.some((length) => PACKETS.some((size) => isTransport(bytes.subarray(0, length), size)))

/** More than half of the packets would begin with the mark of a transport stream (ISO 13818-1, 2.4.3.2). */
const isTransport = (data: Buffer, size: number): boolean => {
  const hits = new Uint16Array(size)
  for (let at = data.indexOf(0x47); at >= 0; at = data.indexOf(0x47, at + 1)) hits[at % size]!++
  return Math.max(...hits) > Math.max(5, data.length / size / 2)
}
