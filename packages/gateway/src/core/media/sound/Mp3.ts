/** The length of an MP3 file that is a tag, frames without a gap, and tags. */
import { isMpegStream, mpegFrame } from "./Frames.ts"

/** Fewer are too few for readers to be sure of what it is. */
const LEAST_FRAMES = 8
const LAYER_3 = 2
const LONGEST_ID3_1 = 128

/** Bytes of the ID3v2 tag in front; 0: there is none; undefined: readers may disagree about its end. */
export const tagLength = (bytes: Buffer): number | undefined => {
  if (bytes.toString("latin1", 0, 3) !== "ID3") return 0
  if (bytes.length < 10 || bytes[3]! < 2 || bytes[3]! > 4 || bytes[4] === 0xff || (bytes[5]! & 0x1f) !== 0)
    return undefined
  const size = bytes.subarray(6, 10)
  return size.some((byte) => byte >= 0x80) ? undefined : 10 + size.reduce((sum, byte) => sum * 128 + byte, 0)
}

/** Undefined where readers may come to different results. */
export const mp3Seconds = (bytes: Buffer): number | undefined => {
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
