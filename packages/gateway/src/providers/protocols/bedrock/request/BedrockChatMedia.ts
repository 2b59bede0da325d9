/**
 * Images, documents and videos: from the ways the chat API carries them to bytes with a format. Converse fetches no address: images by
 * address were fetched before (`InlineImages.ts`).
 *
 * Formats and names: https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_DocumentBlock.html (2026-11-22).
 */
import type { JsonObject } from "../../../../core/domain/Json.ts"
import { isObject, textOf } from "../../../json/LooseJson.ts"
import type { Losses } from "../../shared/Losses.ts"

interface BedrockDataUrl {
  /** Lower case, without parameters. */
  readonly mediaType: string
  readonly base64: string
}

const images = new Map([
  ["image/png", "png"],
  ["image/jpeg", "jpeg"],
  ["image/jpg", "jpeg"],
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

/** `image_url` as an object or, leniently, as the URL itself. Undefined when it was refused. */
export const imageBlock = (imageUrl: unknown, param: string, losses: Losses): JsonObject | undefined => {
  const url = textOf(isObject(imageUrl) ? imageUrl["url"] : imageUrl)
  const detail = isObject(imageUrl) ? (imageUrl["detail"] ?? "auto") : "auto"
  if (detail !== "auto" && detail !== "") losses.drop("image_url.detail", "Bedrock has no image detail setting")
  const data = url === undefined ? undefined : parseDataUrl(url)
  const format = data === undefined ? undefined : images.get(data.mediaType)
  if (data !== undefined && format !== undefined) return { image: { format, source: { bytes: data.base64 } } }
  const why =
    data === undefined
      ? "an image must be a base64 data: URL or an http(s) URL at this provider"
      : `images of type ${data.mediaType} can't be read by this provider: png, jpeg, gif and webp can`
  losses.refuse(`${param}.image_url`, why)
  return undefined
}

/** `video_url`, as some servers have it. Undefined when it was refused. */
export const videoBlock = (videoUrl: unknown, param: string, losses: Losses): JsonObject | undefined => {
  const url = textOf(isObject(videoUrl) ? videoUrl["url"] : videoUrl)
  const data = url === undefined ? undefined : parseDataUrl(url)
  const format = data === undefined ? undefined : videos.get(data.mediaType)
  if (data !== undefined && format !== undefined) return { video: { format, source: { bytes: data.base64 } } }
  losses.refuse(
    `${param}.video_url`,
    "a video must be a base64 data: URL of mp4, mov, mkv, webm, flv, mpeg, wmv or 3gp"
  )
  return undefined
}

/** `file`: an image, a video or a document, as its media type says. Undefined when it was refused. */
export const fileBlock = (
  file: unknown,
  param: string,
  names: DocumentNames,
  losses: Losses
): JsonObject | undefined => {
  const refuse = (message: string): undefined => {
    losses.refuse(`${param}.file`, message)
    return undefined
  }
  if (!isObject(file)) return refuse("`file` must be an object with `file_data`")
  const given = textOf(file["file_data"])
  if (given === undefined) return refuse("files kept at another provider can't be used here: send `file_data`")
  const data = given.startsWith("data:") ? parseDataUrl(given) : { mediaType: "application/pdf", base64: given }
  if (data === undefined || /^https?:/i.test(given)) return refuse("`file_data` must be a base64 data: URL")
  const source = { bytes: data.base64 }
  const image = images.get(data.mediaType)
  if (image !== undefined) return { image: { format: image, source } }
  const video = videos.get(data.mediaType)
  if (video !== undefined) return { video: { format: video, source } }
  const format = documents.get(data.mediaType)
  if (format === undefined) return refuse(`files of type ${data.mediaType} can't be read by this provider`)
  return { document: { format, name: names.nameOf(textOf(file["filename"])), source } }
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

/** `data:<type>[;parameters];base64,<data>`; undefined for anything else. */
const parseDataUrl = (url: string): BedrockDataUrl | undefined => {
  const comma = url.startsWith("data:") ? url.indexOf(",") : -1
  if (comma < 0) return undefined
  const [mediaType, ...parameters] = url.slice("data:".length, comma).split(";")
  const isBase64 = parameters.some((parameter) => parameter.trim().toLowerCase() === "base64")
  if (mediaType === undefined || mediaType === "" || !isBase64) return undefined
  return { mediaType: mediaType.trim().toLowerCase(), base64: url.slice(comma + 1) }
}
