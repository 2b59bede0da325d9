/**
 * Images, documents and videos as bytes with a format; images by address were fetched before.
 * https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_DocumentBlock.html (2026-11-22).
 */
import { isObject, textOf, type JsonObject } from "../../../json/LooseJson.ts"
import { dropDetail, fileDataOf, parseDataUrl, parseFile, urlOf } from "../../shared/ChatMessages.ts"
import type { Losses } from "../../shared/Losses.ts"

const images = new Map([
  ["image/png", "png"],
  ["image/jpeg", "jpeg"],
  ["image/gif", "gif"],
  ["image/webp", "webp"]
])

const documents = new Map([
  ["application/pdf", "pdf"],
  ["text/csv", "csv"],
  ["application/csv", "csv"],
  ["application/msword", "doc"],
  ["application/vnd.openxmlformats-officedocument.wordprocessingml.document", "docx"],
  ["application/vnd.ms-excel", "xls"],
  ["application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", "xlsx"],
  ["text/html", "html"],
  ["text/markdown", "md"],
  ["text/x-markdown", "md"],
  ["text/plain", "txt"]
])

const videos = new Map([
  ["video/mp4", "mp4"],
  ["video/quicktime", "mov"],
  ["video/x-matroska", "mkv"],
  ["video/webm", "webm"],
  ["video/x-flv", "flv"],
  ["video/mpeg", "mpeg"],
  ["video/x-ms-wmv", "wmv"],
  ["video/3gpp", "three_gp"]
])

export const imageBlock = (image: unknown, param: string, losses: Losses): JsonObject | undefined => {
  dropDetail(image, "Bedrock", losses)
  const data = parseDataUrl(urlOf(image) ?? "")
  const format = data && images.get(data.mediaType)
  if (data !== undefined && format !== undefined) return { image: { format, source: { bytes: data.base64 } } }
  const why =
    data === undefined
      ? "an image must be a base64 data: URL or an http(s) URL at this provider"
      : `images of type ${data.mediaType} can't be read by this provider: png, jpeg, gif and webp can`
  losses.refuse(`${param}.image_url`, why)
  return undefined
}

export const videoBlock = (video: unknown, param: string, losses: Losses): JsonObject | undefined => {
  const data = parseDataUrl(urlOf(video) ?? "")
  const format = data && videos.get(data.mediaType)
  if (data !== undefined && format !== undefined) return { video: { format, source: { bytes: data.base64 } } }
  const why = "a video must be a base64 data: URL of mp4, mov, mkv, webm, flv, mpeg, wmv or 3gp"
  losses.refuse(`${param}.video_url`, why)
  return undefined
}

export const fileBlock = (
  file: unknown,
  param: string,
  names: DocumentNames,
  losses: Losses
): JsonObject | undefined => {
  const given = fileDataOf(file, param, losses)
  if (given === undefined) return undefined
  const data = /^https?:/i.test(given) ? undefined : parseFile(given)
  if (data === undefined) {
    losses.refuse(`${param}.file`, "`file_data` must be a base64 data: URL")
    return undefined
  }
  const source = { bytes: data.base64 }
  const image = images.get(data.mediaType)
  if (image !== undefined) return { image: { format: image, source } }
  const video = videos.get(data.mediaType)
  if (video !== undefined) return { video: { format: video, source } }
  const format = documents.get(data.mediaType)
  if (format !== undefined) {
    return { document: { format, name: names.nameOf(isObject(file) ? textOf(file["filename"]) : undefined), source } }
  }
  losses.refuse(`${param}.file`, `files of type ${data.mediaType} can't be read by this provider`)
  return undefined
}

const LONGEST_NAME = 200

/** Names of documents: letters of few kinds only, and no two alike in a request. */
export class DocumentNames {
  private readonly taken = new Set<string>()

  nameOf(filename: string | undefined): string {
    const plain = (filename ?? "")
      .replace(/\.[A-Za-z0-9]{1,5}$/, "")
      .replaceAll(/[^A-Za-z0-9\s()[\]-]+/g, " ")
      .replaceAll(/\s+/g, " ")
      .trim()
    const name = plain === "" ? "Document" : plain.slice(0, LONGEST_NAME - 8).trim()
    for (let copy = 1; ; copy++) {
      const candidate = copy === 1 ? name : `${name} (${copy})`
      if (this.taken.has(candidate)) continue
      this.taken.add(candidate)
      return candidate
    }
  }
}
