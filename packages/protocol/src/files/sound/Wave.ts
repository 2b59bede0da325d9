/** The length of a WAV file whose header leaves one reading: uncompressed samples, and sizes that agree with each other. */
import { isCompressed } from "./Frames.ts"

const PCM = 1
/** The bits of a sample, by format. 3: floating point; 6 and 7: A-law and µ-law. */
const BITS: ReadonlyMap<number, ReadonlyArray<number>> = new Map([
  [PCM, [8, 16, 24, 32]],
  [3, [32, 64]],
  [6, [8]],
  [7, [8]]
])
const EXTENSIBLE = 0xfffe
/** What follows the format in the identifier of an extensible one. */
const GUID = Buffer.from("000000001000800000aa00389b71", "hex")

/** Chunks that hold no sound and change no reading of it. */
const NOTES = new Set(
  "LIST JUNK PAD  FLLR bext iXML id3  ID3  cue  smpl inst PEAK afsp _PMX minf elm1 regn umid DGDA fact".match(
    /.{4}(?= |$)/g
  )
)

export const isWave = (bytes: Buffer): boolean => /^RIFF[^]{4}WAVE/.test(bytes.toString("latin1", 0, 12))

/** Undefined where readers may come to different results. */
export const waveSeconds = (bytes: Buffer): number | undefined => {
  let format: WaveFormat | undefined
  let samples: Buffer | undefined
  let told = 0
  for (let at = 12; at + 8 <= bytes.length;) {
    const name = bytes.toString("latin1", at, at + 4)
    const from = at + 8
    const size = bytes.readUInt32LE(at + 4)
    // What was written to a pipe has no size.
    const isOpen = name === "data" && (size === 0 || size >= bytes.length - from)
    const chunk = bytes.subarray(from, isOpen ? undefined : from + size)
    if (!isOpen && chunk.length < size) return undefined
    if (name === "fmt " && format === undefined) format = formatOf(chunk)
    else if (name === "data" && format !== undefined && samples === undefined) samples = chunk
    else if (!NOTES.has(name)) return undefined
    if (name === "fact" && size >= 4) told = chunk.readUInt32LE(0)
    at = from + chunk.length + (chunk.length & 1)
  }
  if (format === undefined || samples === undefined) return undefined
  const { align, rate, tag } = format
  if (told > samples.length / align && told !== 0xffffffff) return undefined
  if (isAct(bytes) || (tag === PCM && isCompressed(samples))) return undefined
  // All that follows counts as sound.
  return Math.ceil((bytes.length + bytes.byteOffset - samples.byteOffset) / align) / rate
}

interface WaveFormat {
  readonly tag: number
  readonly rate: number
  /** Bytes of a sample of all channels. */
  readonly align: number
}

const formatOf = (chunk: Buffer): WaveFormat | undefined => {
  if (chunk.length < 16) return undefined
  const [given, channels, align, bits] = [0, 2, 12, 14].map((at) => chunk.readUInt16LE(at)) as [
    number,
    number,
    number,
    number
  ]
  const rate = chunk.readUInt32LE(4)
  const isExtensible = given === EXTENSIBLE
  if (isExtensible && (chunk.length < 40 || !chunk.subarray(26, 40).equals(GUID))) return undefined
  const tag = isExtensible ? chunk.readUInt16LE(24) : given
  if (BITS.get(tag)?.includes(bits) !== true || channels === 0 || rate === 0) return undefined
  return align === (channels * bits) / 8 && chunk.readUInt32LE(8) === rate * align ? { tag, rate, align } : undefined
}

/** Another format whose header is that of a WAV file (libavformat, `act.c`). */
const isAct = (bytes: Buffer): boolean => bytes[256] === 0x84 && bytes.subarray(44, 256).every((byte) => byte === 0)
