/**
 * The longest that a recording can last, in seconds, from its container. For an unknown container the size decides, at the lowest
 * rate of a codec.
 */
import type { Recording } from "./Contents.ts"
import { SparseFrames } from "./SparseFrames.ts"

/** The lowest rate of Opus is 6 kbit/s (RFC 6716, 2.1.1). */
const LEAST_BYTES_PER_SECOND = 750
/** Of a recording of so many bytes in any container. */
export const secondsInBytes = (bytes: number): number => bytes / LEAST_BYTES_PER_SECOND

export const mostSeconds = (bytes: Buffer): number => {
  const known = wave(bytes, bytes.length)
  if (known !== undefined) return known
  const frames = framesOf(bytes)
  for (const one of frames) one.push(bytes)
  return longest(frames, bytes.length)
}

interface Frames {
  readonly push: (piece: Buffer) => void
  /** 0: there are none. */
  readonly seconds: number
}

const framesOf = (head: Buffer): ReadonlyArray<Frames> => {
  const sparse = SparseFrames.of(head)
  return [...(isMp3(head) ? [new Mp3Frames()] : []), ...(sparse === undefined ? [] : [sparse])]
}

/** Only MPEG audio has a rate of its own in each frame. All else may be something that is not known here. */
const longest = (frames: ReadonlyArray<Frames>, size: number): number => {
  const seconds = Math.max(0, ...frames.map((one) => one.seconds))
  return seconds > 0 && frames.every((one) => one instanceof Mp3Frames)
    ? seconds
    : Math.max(seconds, secondsInBytes(size))
}

/** The same of a file that is read piece by piece. */
export const mostSecondsOf = async (recording: Recording): Promise<number> => {
  const { head, size } = recording
  const first = Buffer.from(head.buffer, head.byteOffset, head.byteLength)
  const known = wave(first, size)
  if (known !== undefined) return known
  const frames = framesOf(first)
  if (frames.length === 0) return secondsInBytes(size)
  for await (const piece of recording.pieces()) {
    for (const one of frames) one.push(Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength))
  }
  return longest(frames, size)
}

const UNCOMPRESSED = new Set([1, 3, 6, 7, 0xfffe])

/** `size`: of the whole file that begins with `bytes`. */
const wave = (bytes: Buffer, size: number): number | undefined => {
  if (bytes.length < 12 || bytes.toString("latin1", 0, 4) !== "RIFF" || bytes.toString("latin1", 8, 12) !== "WAVE") {
    return undefined
  }
  for (let at = 12; at + 24 <= bytes.length;) {
    const length = bytes.readUInt32LE(at + 4)
    if (bytes.toString("latin1", at, at + 4) === "fmt ") {
      const perSecond = bytes.readUInt32LE(at + 12) * bytes.readUInt16LE(at + 20)
      if (!UNCOMPRESSED.has(bytes.readUInt16LE(at + 8)) || perSecond === 0) return undefined
      // The whole file counts as sound, as a header may claim less than there is.
      return size / perSecond
    }
    at += 8 + length + (length & 1)
  }
  return undefined
}

/** kbit/s by index, for MPEG 1 layer III and for MPEG 2 and 2.5. */
const RATES_1 = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320]
const RATES_2 = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160]
const SAMPLES = [44_100, 48_000, 32_000]

const hasTag = (bytes: Buffer): boolean => bytes.length > 10 && bytes.toString("latin1", 0, 3) === "ID3"

const isMp3 = (bytes: Buffer): boolean => hasTag(bytes) || isFrame(bytes, 0)

/** Walks the frames as a decoder does. A header at the start proves nothing about what follows. */
class Mp3Frames {
  private frames = 0
  private skipped = 0
  /** Bytes until the next header. */
  private ahead: number | undefined
  /** The first bytes of a header whose others have not come. */
  private rest = Buffer.alloc(0)

  get seconds(): number {
    return this.frames + secondsInBytes(this.skipped)
  }

  push(piece: Buffer): void {
    const bytes = this.rest.length === 0 ? piece : Buffer.concat([this.rest, piece])
    this.ahead ??= hasTag(bytes) ? 10 + (bytes[6]! << 21) + (bytes[7]! << 14) + (bytes[8]! << 7) + bytes[9]! : 0
    let at = this.ahead
    while (at + 4 <= bytes.length) {
      if (!isFrame(bytes, at)) {
        at++
        this.skipped++
        continue
      }
      const version = (bytes[at + 1]! >> 3) & 3
      const rate = (version === 3 ? RATES_1 : RATES_2)[bytes[at + 2]! >> 4]! * 1000
      const samples = SAMPLES[(bytes[at + 2]! >> 2) & 3]! / (version === 3 ? 1 : version === 2 ? 2 : 4)
      const inFrame = version === 3 ? 1152 : 576
      this.frames += inFrame / samples
      at += Math.max(4, Math.floor((inFrame / 8) * (rate / samples)) + ((bytes[at + 2]! >> 1) & 1))
    }
    this.ahead = Math.max(0, at - bytes.length)
    this.rest = Buffer.from(bytes.subarray(Math.min(at, bytes.length)))
  }
}

/** Layer III with a valid rate. */
const isFrame = (bytes: Buffer, at: number): boolean => {
  if (at + 4 > bytes.length || bytes[at] !== 0xff) return false
  const [, second, third] = bytes.subarray(at, at + 3)
  const index = third! >> 4
  return (second! & 0xe6) === 0xe2 && (second! & 0x18) !== 0x08 && index > 0 && index < 15 && (third! & 0x0c) !== 0x0c
}
