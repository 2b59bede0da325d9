/** Measures the parts of a request as far as possible: sizes of images, pages of PDFs, seconds of recordings. */
import { isUtf8 } from "node:buffer"
import { Clock, Effect, Option } from "effect"
import { bytesOf, isWebUrl, type MediaPart, type PartKind, type Recording } from "./Contents.ts"
import { type ImageSize, imageSize, type PdfContents } from "@model-gateway/protocol/files"
import { isNoImage, isTextType } from "./MediaTypes.ts"
import { type Reading, readFile, UNKNOWN, type Unread } from "./ReadFile.ts"

export interface Measured {
  /** What it is, where its bytes are not of the kind that the request says. */
  readonly kind?: PartKind
  readonly image?: ImageSize | undefined
  readonly seconds?: number | undefined
  readonly pdf?: PdfContents | undefined
  readonly textBytes?: number
}

/** Keyed by the part's path. */
export type Measures = ReadonlyMap<string, Measured>

export const unmeasured: Measures = new Map()

/** The size of a part that is an image on the web. */
export type Look = (part: MediaPart) => Effect.Effect<ImageSize | undefined>

const MAX_REMOTE = 16

/** For all files of one request together: the bytes that may be inflated, and ms until what is not known yet is unknown. */
const MAX_INFLATED = 32 * 1024 * 1024
const MAX_MS = 3_000
/** For one file: in proportion to its size, so that small ones are read in next to no time. */
const MIN_INFLATED = 1024 * 1024
const MAX_RATIO = 40

/** `look`: undefined where no image on the web needs to be fetched. */
export const measure = Effect.fnUntraced(function* (media: ReadonlyArray<MediaPart>, look: Look | undefined) {
  const measures = new Map<string, Measured>()
  const remote: Array<MediaPart> = []
  const reader = new FileMeasurer(yield* Clock.currentTimeMillis)
  for (const part of media) {
    const { file, kind, names = [], path, source } = part
    if (file !== undefined) measures.set(path, { seconds: (yield* reader.sound(file, names)).seconds })
    if (source === undefined) continue
    if (isWebUrl(source)) {
      if (kind === "image") remote.push(part)
      continue
    }
    const bytes = kind === "video" || kind === "other" ? undefined : bytesOf(source)
    if (bytes === undefined) continue
    if (kind === "image") measures.set(path, isNoImage(bytes) ? OTHER : { image: imageSize(bytes, names[0]) })
    else if (kind === "audio") {
      measures.set(path, { seconds: (yield* reader.sound(inMemory(bytes), names)).seconds })
    } else if (isPdf(bytes)) {
      if (names.every((name) => name === "application/pdf")) measures.set(path, { pdf: (yield* reader.pdf(bytes)).pdf })
    } else if (isText(bytes, names)) {
      measures.set(path, { textBytes: bytes.length })
    }
  }
  if (look === undefined || remote.length === 0) return measures
  yield* Effect.forEach(
    remote.slice(0, MAX_REMOTE),
    (part) => Effect.map(look(part), (image) => measures.set(part.path, { image })),
    { concurrency: 4, discard: true }
  )
  return measures
})

const OTHER: Measured = { kind: "other" }

/** How long a recording is; undefined where it can't be told. */
export const secondsOf = (file: Recording, names: ReadonlyArray<string>): Effect.Effect<number | undefined> =>
  Effect.flatMap(Clock.currentTimeMillis, (now) =>
    Effect.map(new FileMeasurer(now).sound(file, names), ({ seconds }) => seconds)
  )

class FileMeasurer {
  private room = MAX_INFLATED
  private readonly until: number

  constructor(now: number) {
    this.until = now + MAX_MS
  }

  pdf(bytes: Buffer): Effect.Effect<Reading> {
    const room = Math.min(this.room, MIN_INFLATED + MAX_RATIO * bytes.length)
    return this.read({ ...inMemory(bytes), names: undefined, room })
  }

  sound(file: Pick<Unread, "size" | "pieces">, names: ReadonlyArray<string>): Effect.Effect<Reading> {
    return this.read({ size: file.size, pieces: () => file.pieces(), names, room: 0 })
  }

  private read(file: Unread): Effect.Effect<Reading> {
    return Effect.flatMap(Clock.currentTimeMillis, (now) =>
      Effect.map(Effect.timeoutOption(readFile(file), Math.max(0, this.until - now)), (found) => {
        const reading = Option.getOrElse(found, () => UNKNOWN)
        this.room -= reading.inflated
        return reading
      })
    )
  }
}

const inMemory = (bytes: Uint8Array) => ({ size: bytes.length, pieces: () => [bytes] })

const isPdf = (bytes: Buffer): boolean => bytes.subarray(0, 1024).includes("%PDF-")

/** A text that no reader takes for a PDF: some search the whole file for objects. What has no type is sent as a PDF by some protocols. */
const isText = (bytes: Buffer, names: ReadonlyArray<string>): boolean =>
  names.every(isTextType) &&
  !bytes.includes(0) &&
  isUtf8(bytes) &&
  !bytes.includes("%PDF-") &&
  (names.length > 0 || !bytes.includes(" obj"))
