/** Media types as callers write them, and what they make of a part: the type that is sent decides what a provider reads. */
import type { PartKind } from "./Contents.ts"

const BY_ENDING: ReadonlyMap<string, string> = new Map([
  ["pdf", "application/pdf"],
  ["png", "image/png"],
  ["jpg", "image/jpeg"],
  ["jpeg", "image/jpeg"],
  ["webp", "image/webp"],
  ["gif", "image/gif"],
  ["heic", "image/heic"],
  ["mp3", "audio/mpeg"],
  ["wav", "audio/wav"],
  ["flac", "audio/flac"],
  ["ogg", "audio/ogg"],
  ["mp4", "video/mp4"],
  ["mov", "video/quicktime"],
  ["webm", "video/webm"],
  ["txt", "text/plain"],
  ["csv", "text/csv"],
  ["html", "text/html"],
  ["md", "text/markdown"]
])

/** By what an address ends in. YouTube's end in nothing, and need none. */
export const typeByName = (url: string): string | undefined =>
  BY_ENDING.get(/\.(\w{2,4})(?:[?#]|$)/.exec(url)?.[1]?.toLowerCase() ?? "")

export const isMediaType = (type: string): boolean => /^[\w.+-]+\/[\w.+-]+$/.test(type)

/** The media type in a data URL, in lower case. */
export const typeInUrl = (url: string): string | undefined => {
  const type = /^\s*data:([^;,]{0,200})/i.exec(url)?.[1]?.trim().toLowerCase()
  return type === "" ? undefined : type
}

/** Addresses whose contents have a type of their own, whatever is said: videos, and files that were uploaded to Google. */
const HAS_OWN_TYPE = /^\s*https?:\/\/(?:[\w-]+\.)*(?:youtube\.com|youtu\.be|generativelanguage\.googleapis\.com)[/:]/i

/** What a part of that kind is to a provider that is sent these types; `other`: providers may disagree. */
export const sentKind = (kind: PartKind, types: ReadonlyArray<string>, address: string | undefined): PartKind => {
  if (address !== undefined && HAS_OWN_TYPE.test(address)) return kind === "image" ? "other" : kind
  const [first, ...others] = types.map(kindOfType)
  if (first === undefined || kind === "other") return kind
  // Some protocols send the type, others the kind of the part alone.
  const isClear = others.every((one) => one === first) && (kind === "image" || kind === "file" || kind === first)
  return isClear ? first : "other"
}

const kindOfType = (type: string): PartKind => {
  const [family] = type.toLowerCase().split("/")
  return family === "image" || family === "audio" || family === "video" ? family : "file"
}

/** Beginnings of files that are no images, in hex: RIFF (WAVE, AVI), ID3, FLAC, Ogg, Matroska, MPEG, FLV, ASF, zip, and MP4 but HEIF. */
const OTHERS =
  /^(?:52494646.{8}(?:57415645|41564920)|494433|664c6143|4f676753|1a45dfa3|ff[ef]|000001b[3a]|464c56|3026b275|504b0304|.{8}66747970(?!686569|686576|617669|6d6966|6d7366))/i

/** Whether bytes that are said to be an image are a document, a recording or a video. */
export const isNoImage = (bytes: Buffer): boolean =>
  bytes.subarray(0, 1024).includes("%PDF-") || OTHERS.test(bytes.toString("hex", 0, 16))

/** Types of files that models read as the text that they are. */
export const isTextType = (type: string): boolean =>
  /^(?:text\/|application\/(?:[\w.-]+\+)?(?:json|xml|csv|yaml|javascript|typescript|sql|octet-stream|x-[\w-]+)$)/.test(
    type
  )
