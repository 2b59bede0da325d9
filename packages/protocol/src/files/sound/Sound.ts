/**
 * How long a recording is, as every reader of it says: WAV, MP3, FLAC and Ogg with Opus or Vorbis. Undefined for other kinds, and where
 * readers may come to different results.
 */
import { isMpegStream, mpegFrame } from "./Frames.ts"
import { oggSeconds } from "./Ogg.ts"
import { isWave, waveSeconds } from "./Wave.ts"

// The length of a FLAC file (RFC 9639). Silence takes next to no bytes, so its frames are counted. What looks like a frame counts as one:
// nothing that a decoder takes for one is left out.

const STREAM_INFO = 34

/** `start`: where the file begins behind a tag. Undefined where readers may come to different results. */
const flacSeconds = (bytes: Buffer, start: number): number | undefined => {
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

// The length of an MP3 file that is a tag, frames without a gap, and tags.

/** Fewer are too few for readers to be sure of what it is. */
const LEAST_FRAMES = 8
const LAYER_3 = 2
const LONGEST_ID3_1 = 128

/** Bytes of the ID3v2 tag in front; 0: there is none; undefined: readers may disagree about its end. */
const tagLength = (bytes: Buffer): number | undefined => {
  if (bytes.toString("latin1", 0, 3) !== "ID3") return 0
  if (bytes.length < 10 || bytes[3]! < 2 || bytes[3]! > 4 || bytes[4] === 0xff || (bytes[5]! & 0x1f) !== 0)
    return undefined
  const size = bytes.subarray(6, 10)
  return size.some((byte) => byte >= 0x80) ? undefined : 10 + size.reduce((sum, byte) => sum * 128 + byte, 0)
}

/** Undefined where readers may come to different results. */
const mp3Seconds = (bytes: Buffer): number | undefined => {
  const start = tagLength(bytes)
  const first = start === undefined ? undefined : mpegFrame(bytes, start)
  if (start === undefined || first === undefined || ((first.kind >> 3) & 3) !== 3 - LAYER_3) return undefined
  if (isMpegStream(bytes.subarray(start))) return undefined
  const end = endOfFrames(bytes)
  let [at, frames, slowest] = [start, 0, first.bitrate]
  while (at < end) {
    const frame = mpegFrame(bytes, at)
    if (frame?.kind !== first.kind) return undefined
    frames++
    slowest = Math.min(slowest, frame.bitrate)
    at += frame.length
  }
  const head = bytes.subarray(start, start + first.length)
  if (frames < LEAST_FRAMES || claimedFrames(head) > frames) return undefined
  const counted = (frames * first.samples) / first.rate
  // Without a count in front some readers divide the size of the file by the rate of some frame.
  return isCounted(head, end - start) ? counted : Math.max(counted, (bytes.length * 8) / slowest)
}

/** Where the tags behind the frames begin. */
const endOfFrames = (bytes: Buffer): number => {
  const id3 = bytes.length - LONGEST_ID3_1
  const end = id3 > 0 && bytes.toString("latin1", id3, id3 + 3) === "TAG" ? id3 : bytes.length
  // APEv2: a footer of 32 bytes names the length of the tag without its header.
  if (end < 32 || bytes.toString("latin1", end - 32, end - 24) !== "APETAGEX") return end
  const begin = end - bytes.readUInt32LE(end - 20) - 32
  return begin > 0 && bytes.toString("latin1", begin, begin + 8) === "APETAGEX" ? begin : end
}

/** The most frames that the first may say that there are, wherever it may say so (`Xing`, `Info` or `VBRI`). */
const claimedFrames = (frame: Buffer): number => {
  let most = 0
  for (const name of ["Xing", "Info", "VBRI"]) {
    const at = frame.indexOf(name, 4, "latin1")
    if (at < 0 || at + 18 > frame.length) continue
    const hasCount = name === "VBRI" || (frame[at + 7]! & 1) === 1
    if (hasCount) most = Math.max(most, frame.readUInt32BE(at + (name === "VBRI" ? 14 : 8)))
  }
  return most
}

/** Whether all readers take the first frame for one that counts: at its place, behind nothing but zeros, with the true size. */
const isCounted = (frame: Buffer, size: number): boolean => {
  const [isFirstVersion, isMono] = [((frame[1]! >> 3) & 3) === 3, frame[3]! >> 6 === 3]
  const at = 4 + (isFirstVersion ? (isMono ? 17 : 32) : isMono ? 9 : 17)
  const isXing = /^(?:Xing|Info)$/.test(frame.toString("latin1", at, at + 4))
  const place = isXing ? at : 36
  if (frame.length < place + 120 || frame.subarray(4, place).some((byte) => byte !== 0)) return false
  if (isXing) return (frame[place + 7]! & 3) === 3 && isNearly(frame.readUInt32BE(place + 12), size)
  return frame.toString("latin1", place, place + 4) === "VBRI" && isNearly(frame.readUInt32BE(place + 10), size)
}

const isNearly = (told: number, size: number): boolean => Math.abs(told - size) * 32 < size

/** Names of each kind, in media types, formats of the chat API and file names. */
const KINDS = {
  wav: /^(?:x-|vnd\.)?wave?$/,
  mp3: /^(?:x-)?(?:mp3|mpeg3?|mpga|mpg)$/,
  flac: /^(?:x-)?flac$/,
  ogg: /^(?:x-)?(?:ogg|oga|opus|vorbis)$/
}

/** `names`: what the request says of its kind, such as `audio/wav`, `mp3` or `talk.flac`; those that say nothing are left out. */
export const soundSeconds = (bytes: Buffer, names: ReadonlyArray<string>): number | undefined => {
  try {
    const seconds = secondsIn(bytes, names)
    return Number.isFinite(seconds) ? seconds : undefined
  } catch {
    // It breaks off where a field should be.
    return undefined
  }
}

const secondsIn = (bytes: Buffer, names: ReadonlyArray<string>): number | undefined => {
  const start = tagLength(bytes)
  if (start === undefined || bytes.length < start + 64) return undefined
  const mark = bytes.toString("latin1", start, start + 4)
  const kind = start === 0 && isWave(bytes) ? "wav" : mark === "fLaC" ? "flac" : mark === "OggS" ? "ogg" : "mp3"
  if (names.some((name) => !KINDS[kind].test(name.slice(name.search(/[^/.]+$/)).toLowerCase()))) return undefined
  if (kind === "ogg" && start > 0) return undefined
  switch (kind) {
    case "wav":
      return waveSeconds(bytes)
    case "mp3":
      return mp3Seconds(bytes)
    case "flac":
      return flacSeconds(bytes, start)
    case "ogg":
      return oggSeconds(bytes)
  }
}
