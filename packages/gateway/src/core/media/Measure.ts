/** Measures the parts of a request as far as possible: sizes of images, pages of PDFs, seconds of recordings. */
import { Effect } from "effect"
import { bytesOf, isWebUrl, type MediaPart } from "./Contents.ts"
import { type ImageSize, imageSize } from "./ImageSize.ts"
import { mostSeconds, mostSecondsOf } from "./MediaLength.ts"
import { isPdf, type PdfContents, pdfContents } from "./PdfContents.ts"

export interface Measured {
  readonly image?: ImageSize | undefined
  readonly seconds?: number
  readonly pdf?: PdfContents | undefined
  /** The bytes of a text file. */
  readonly textBytes?: number
}

/** Keyed by the part's path. */
export type Measures = ReadonlyMap<string, Measured>

export const unmeasured: Measures = new Map()

/** The size of a part that is an image on the web. */
export type Look = (part: MediaPart) => Effect.Effect<ImageSize | undefined>

/** Nearly every image has its size within these bytes. Only a large profile in front moves it further on. */
const HEAD_BYTES = 256 * 1024
const MAX_REMOTE = 16

/** `look`: undefined where no image on the web needs to be fetched. */
export const measure = Effect.fnUntraced(function* (media: ReadonlyArray<MediaPart>, look: Look | undefined) {
  const measures = new Map<string, Measured>()
  const remote: Array<MediaPart> = []
  for (const part of media) {
    const { file, kind, path, source } = part
    if (file !== undefined) measures.set(path, { seconds: yield* Effect.promise(() => mostSecondsOf(file)) })
    if (source === undefined) continue
    if (isWebUrl(source)) {
      if (kind === "image") remote.push(part)
      continue
    }
    if (kind === "image") measures.set(path, { image: sizeOf(source) })
    const bytes = kind === "audio" || kind === "file" ? bytesOf(source) : undefined
    if (bytes === undefined) continue
    if (kind === "audio") measures.set(path, { seconds: mostSeconds(bytes) })
    else if (isPdf(bytes)) measures.set(path, { pdf: yield* pdfContents(bytes) })
    else if (isImageUrl(source)) measures.set(path, { image: sizeOf(source) })
    else if (!bytes.includes(0) && !isRecording(source)) measures.set(path, { textBytes: bytes.length })
  }
  if (look === undefined || remote.length === 0) return measures
  yield* Effect.forEach(
    remote.slice(0, MAX_REMOTE),
    (part) => Effect.map(look(part), (image) => measures.set(part.path, { image })),
    { concurrency: 4, discard: true }
  )
  return measures
})

/** No text, whatever its bytes are. */
const isRecording = (source: string): boolean => /^data:(?:audio|video)\//i.test(source)

const isImageUrl = (source: string): boolean => /^data:image\//i.test(source)

const sizeOf = (source: string): ImageSize | undefined => {
  const head = bytesOf(source, HEAD_BYTES)
  if (head === undefined) return undefined
  return imageSize(head) ?? (head.length < HEAD_BYTES ? undefined : imageSize(bytesOf(source)!))
}
