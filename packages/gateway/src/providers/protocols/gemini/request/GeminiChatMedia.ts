/** Media: bytes as `inlineData`, addresses (of the Files API, `gs://…`, YouTube, on Vertex any public one) as `fileData`. */
import { isMediaType, typeByName } from "../../../../core/media/MediaTypes.ts"
import { isObject, textOf, type JsonObject } from "../../../json/LooseJson.ts"
import { parseDataUrl, parseFile, urlOf } from "../../shared/ChatMessages.ts"
import type { Losses } from "../../shared/Losses.ts"

/** What a part of a message holds, as a part of Gemini's; undefined when it was refused or is no such part. */
export const mediaPart = (part: JsonObject, param: string, losses: Losses): JsonObject | undefined => {
  switch (part["type"]) {
    case "image_url":
    case "input_image":
      return imagePart(part["image_url"], param, losses)
    case "input_audio":
      return audioPart(part["input_audio"], param, losses)
    case "audio_url":
    case "video_url":
    case "input_video":
      return addressedPart(part[String(part["type"])], String(part["type"]), param, losses)
    case "file":
    case "input_file":
      return filePart(isObject(part["file"]) ? part["file"] : part, param, losses)
    default:
      return undefined
  }
}

const imagePart = (image: unknown, param: string, losses: Losses): JsonObject | undefined => {
  const url = urlOf(image)
  const detail = isObject(image) ? (image["detail"] ?? "auto") : "auto"
  if (detail === "low") losses.drop("image_url.detail", "the gateway leaves the resolution of images to Gemini")
  const data = url === undefined ? undefined : parseDataUrl(url)
  if (data !== undefined && data.mediaType.startsWith("image/")) return inline(data.mediaType, data.base64)
  if (url !== undefined && isAddress(url)) return fileData(url, told(image) ?? typeByName(url) ?? "image/jpeg")
  const what = data === undefined ? "an image must be a base64 data: URL or an address" : "this is no image"
  losses.refuse(`${param}.image_url`, `${what}; other media are sent as \`file\`, \`input_audio\` or \`video_url\``)
  return undefined
}

/** The names that the chat API and its clients have for formats, where they are not a media type's own. */
const AUDIO: ReadonlyMap<string, string> = new Map([
  ["mp3", "audio/mpeg"],
  ["m4a", "audio/mp4"]
])

const audioPart = (audio: unknown, param: string, losses: Losses): JsonObject | undefined => {
  const fields = isObject(audio) ? audio : {}
  const data = textOf(fields["data"])
  const parsed = data === undefined ? undefined : parseDataUrl(data)
  if (parsed !== undefined && parsed.mediaType.startsWith("audio/")) return inline(parsed.mediaType, parsed.base64)
  const format = textOf(fields["format"])?.toLowerCase()
  if (data !== undefined && parsed === undefined && format !== undefined && /^[\w.+-]{1,20}$/.test(format)) {
    return inline(AUDIO.get(format) ?? `audio/${format}`, data)
  }
  losses.refuse(`${param}.input_audio`, "`input_audio` must have base64 `data` and a `format` such as wav or mp3")
  return undefined
}

const addressedPart = (given: unknown, name: string, param: string, losses: Losses): JsonObject | undefined => {
  const url = textOf(isObject(given) ? (given["url"] ?? given["data"]) : given)
  const kind = name.includes("audio") ? "audio/" : "video/"
  const data = url === undefined ? undefined : parseDataUrl(url)
  if (data !== undefined && data.mediaType.startsWith(kind)) return inline(data.mediaType, data.base64)
  if (url !== undefined && isAddress(url)) return fileData(url, told(given) ?? typeByName(url))
  losses.refuse(`${param}.${name}`, `\`${name}\` must be an address or a base64 data: URL of ${kind}*`)
  return undefined
}

const filePart = (file: JsonObject, param: string, losses: Losses): JsonObject | undefined => {
  const given = textOf(file["file_data"]) ?? textOf(file["file_url"]) ?? textOf(file["file_id"])
  if (given === undefined) {
    losses.refuse(`${param}.file`, "`file` must have `file_data`, or the address of a file as `file_id`")
    return undefined
  }
  if (isAddress(given)) return fileData(given, told(file) ?? typeByName(given))
  if (given === textOf(file["file_id"])) {
    losses.refuse(`${param}.file.file_id`, "files kept at another provider can't be used here: send `file_data`")
    return undefined
  }
  const data = parseFile(given)
  if (data !== undefined) return inline(data.mediaType, data.base64)
  losses.refuse(`${param}.file.file_data`, "`file_data` must be a base64 data: URL")
  return undefined
}

/** The media type that callers name beside an address, as other gateways take it. */
const told = (fields: unknown): string | undefined => {
  const type = isObject(fields) ? (textOf(fields["format"]) ?? textOf(fields["mime_type"])) : undefined
  return type !== undefined && isMediaType(type) ? type : undefined
}

const inline = (mimeType: string, data: string): JsonObject => ({ inlineData: { mimeType, data } })

const fileData = (fileUri: string, mimeType: string | undefined): JsonObject => ({
  fileData: { fileUri, ...(mimeType === undefined ? {} : { mimeType }) }
})

const isAddress = (url: string): boolean => /^(?:https?|gs):\/\//i.test(url)
