/** Images and documents: from the ways the chat API carries them to Anthropic's `source` objects. */
import type { JsonObject } from "../../../../core/domain/Json.ts"
import { isObject, textOf } from "../../../json/LooseJson.ts"
import type { Losses } from "../../shared/Losses.ts"

interface AnthropicDataUrl {
  readonly mediaType: string
  readonly base64: string
}

/** `image_url` as an object or, leniently, as the URL itself. Undefined when it was refused. */
export const imageBlock = (imageUrl: unknown, param: string, losses: Losses): JsonObject | undefined => {
  const url = textOf(isObject(imageUrl) ? imageUrl["url"] : imageUrl)
  const detail = isObject(imageUrl) ? (imageUrl["detail"] ?? "auto") : "auto"
  if (detail !== "auto" && detail !== "") losses.drop("image_url.detail", "Anthropic has no image detail setting")
  const source = url === undefined ? undefined : imageSource(url)
  if (source !== undefined) return { type: "image", source }
  losses.refuse(`${param}.image_url`, "an image must be a base64 data: URL or an http(s) URL at this provider")
  return undefined
}

const imageSource = (url: string): JsonObject | undefined => {
  const data = parseDataUrl(url)
  if (data !== undefined) return { type: "base64", media_type: imageType(data.mediaType), data: data.base64 }
  return isWebUrl(url) ? { type: "url", url } : undefined
}

/** `image/jpg` is no media type, but common. */
const imageType = (mediaType: string): string => (mediaType === "image/jpg" ? "image/jpeg" : mediaType)

/** `file`: PDF and plain text become documents, images become images. Undefined when it was refused. */
export const fileBlock = (file: unknown, param: string, losses: Losses): JsonObject | undefined => {
  const refuse = (message: string): undefined => {
    losses.refuse(`${param}.file`, message)
    return undefined
  }
  if (!isObject(file)) return refuse("`file` must be an object with `file_data`")
  const given = textOf(file["file_data"])
  if (given === undefined) return refuse("files kept at another provider can't be used here: send `file_data`")
  const title = textOf(file["filename"])
  const named = title === undefined ? {} : { title }
  if (isWebUrl(given)) return { type: "document", source: { type: "url", url: given }, ...named }
  const data = given.startsWith("data:") ? parseDataUrl(given) : { mediaType: "application/pdf", base64: given }
  if (data === undefined) return refuse("`file_data` must be a base64 data: URL")
  if (data.mediaType.startsWith("image/")) {
    return { type: "image", source: { type: "base64", media_type: imageType(data.mediaType), data: data.base64 } }
  }
  const source = documentSource(data)
  if (source === undefined) return refuse(`files of type ${data.mediaType} can't be read by this provider`)
  return { type: "document", source, ...named }
}

const documentSource = ({ base64, mediaType }: AnthropicDataUrl): JsonObject | undefined => {
  if (mediaType === "application/pdf") return { type: "base64", media_type: mediaType, data: base64 }
  if (!mediaType.startsWith("text/")) return undefined
  return { type: "text", media_type: "text/plain", data: Buffer.from(base64, "base64").toString("utf8") }
}

/** `data:<type>[;parameters];base64,<data>`; undefined for anything else. */
const parseDataUrl = (url: string): AnthropicDataUrl | undefined => {
  const comma = url.startsWith("data:") ? url.indexOf(",") : -1
  if (comma < 0) return undefined
  const [mediaType, ...parameters] = url.slice("data:".length, comma).split(";")
  const isBase64 = parameters.some((parameter) => parameter.trim().toLowerCase() === "base64")
  if (mediaType === undefined || mediaType === "" || !isBase64) return undefined
  return { mediaType: mediaType.trim().toLowerCase(), base64: url.slice(comma + 1) }
}

const isWebUrl = (url: string): boolean => /^https?:\/\//i.test(url)
