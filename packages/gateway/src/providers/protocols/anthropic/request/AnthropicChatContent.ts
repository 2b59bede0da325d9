/** Content of one message, string or parts, as Anthropic's content blocks. */
import type { JsonObject } from "../../../../core/domain/Json.ts"
import { isBlank, isObject, textOf } from "../../../json/LooseJson.ts"
import {
  contentOf,
  dropDetail,
  fileDataOf,
  parseDataUrl,
  parseFile,
  refusePart,
  textIn,
  urlOf
} from "../../shared/ChatMessages.ts"
import type { Losses } from "../../shared/Losses.ts"

/** Blank text is left out. `media`: whether images and files make sense here. */
export const contentBlocks = (
  message: JsonObject,
  param: string,
  losses: Losses,
  media: "with media" | "text only"
): Array<JsonObject> => {
  const blocks = contentOf(message, param, losses, (part, place) => {
    const block = blockOf(part, place, losses, media)
    return block === undefined ? undefined : withCacheControl([block], part["cache_control"])[0]
  })
  return withCacheControl(blocks, message["cache_control"])
}

/** A cache mark on a whole message belongs to its last block. */
export const withCacheControl = (blocks: Array<JsonObject>, cacheControl: unknown): Array<JsonObject> => {
  const last = blocks.at(-1)
  if (isObject(cacheControl) && last !== undefined) blocks[blocks.length - 1] = { ...last, cache_control: cacheControl }
  return blocks
}

const blockOf = (part: JsonObject, param: string, losses: Losses, media: string): JsonObject | undefined => {
  const text = textIn(part)
  if (text !== undefined) return isBlank(text) ? undefined : { type: "text", text }
  if (media === "with media") {
    if (part["type"] === "image_url") return imageBlock(part["image_url"], param, losses)
    if (part["type"] === "file") return fileBlock(part["file"], param, losses)
  }
  return refusePart(part, param, losses)
}

const imageBlock = (image: unknown, param: string, losses: Losses): JsonObject | undefined => {
  const url = urlOf(image) ?? ""
  dropDetail(image, "Anthropic", losses)
  const data = parseDataUrl(url)
  if (data !== undefined) return base64Block("image", data.mediaType, data.base64)
  if (isWebUrl(url)) return { type: "image", source: { type: "url", url } }
  losses.refuse(`${param}.image_url`, "an image must be a base64 data: URL or an http(s) URL at this provider")
  return undefined
}

const base64Block = (type: "image" | "document", mediaType: string, data: string): JsonObject => ({
  type,
  source: { type: "base64", media_type: mediaType, data }
})

/** PDF and plain text become documents, images become images. Undefined when it was refused. */
const fileBlock = (file: unknown, param: string, losses: Losses): JsonObject | undefined => {
  const given = fileDataOf(file, param, losses)
  if (given === undefined) return undefined
  const title = isObject(file) ? textOf(file["filename"]) : undefined
  const named = title === undefined ? {} : { title }
  if (isWebUrl(given)) return { type: "document", source: { type: "url", url: given }, ...named }
  const data = parseFile(given)
  if (data?.mediaType.startsWith("image/")) return base64Block("image", data.mediaType, data.base64)
  if (data?.mediaType === "application/pdf")
    return { ...base64Block("document", data.mediaType, data.base64), ...named }
  if (data?.mediaType.startsWith("text/")) {
    const text = Buffer.from(data.base64, "base64").toString("utf8")
    return { type: "document", source: { type: "text", media_type: "text/plain", data: text }, ...named }
  }
  const why =
    data === undefined
      ? "`file_data` must be a base64 data: URL"
      : `files of type ${data.mediaType} can't be read by this provider`
  losses.refuse(`${param}.file`, why)
  return undefined
}

const isWebUrl = (url: string): boolean => /^https?:\/\//i.test(url)
