/** Content of one message, string or parts, as Anthropic's content blocks. */
import type { JsonObject } from "../../../../core/domain/Json.ts"
import { isBlank, isObject, textOf } from "../../../json/LooseJson.ts"
import type { Losses } from "../../shared/Losses.ts"
import { fileBlock, imageBlock } from "./AnthropicChatMedia.ts"

/** Blank text is left out. `param` names the message, for refusals. `media`: whether images and files make sense here. */
export const contentBlocks = (
  message: JsonObject,
  param: string,
  losses: Losses,
  media: "with media" | "text only"
): Array<JsonObject> => {
  const content = message["content"]
  const blocks: Array<JsonObject> = []
  if (typeof content === "string") {
    if (!isBlank(content)) blocks.push({ type: "text", text: content })
  } else if (Array.isArray(content)) {
    for (let index = 0; index < content.length; index++) {
      const block = partBlock(content[index], `${param}.content[${index}]`, losses, media)
      if (block !== undefined) blocks.push(block)
    }
  } else if (content !== undefined && content !== null) {
    losses.refuse(`${param}.content`, "`content` must be a string or a list of parts")
  }
  return withCacheControl(blocks, message["cache_control"])
}

/** A cache mark on a whole message belongs to its last block. */
export const withCacheControl = (blocks: Array<JsonObject>, cacheControl: unknown): Array<JsonObject> => {
  const last = blocks.at(-1)
  if (isObject(cacheControl) && last !== undefined) blocks[blocks.length - 1] = { ...last, cache_control: cacheControl }
  return blocks
}

const partBlock = (part: unknown, param: string, losses: Losses, media: string): JsonObject | undefined => {
  if (typeof part === "string") return textBlock(part)
  if (!isObject(part)) {
    losses.refuse(param, "a content part must be an object")
    return undefined
  }
  const block = bareBlock(part, param, losses, media)
  if (block === undefined || !isObject(part["cache_control"])) return block
  return { ...block, cache_control: part["cache_control"] }
}

const bareBlock = (part: JsonObject, param: string, losses: Losses, media: string): JsonObject | undefined => {
  const type = part["type"]
  if (type === "text" || type === "input_text" || type === "output_text") return textBlock(part["text"])
  if (type === "refusal") return textBlock(part["refusal"])
  if (media === "with media") {
    if (type === "image_url") return imageBlock(part["image_url"], param, losses)
    if (type === "file") return fileBlock(part["file"], param, losses)
  }
  const name = textOf(type) ?? "without a type"
  losses.refuse(param, `content parts ${type === undefined ? name : `of type ${name.slice(0, 40)}`} can't be sent here`)
  return undefined
}

const textBlock = (text: unknown): JsonObject | undefined =>
  typeof text === "string" && !isBlank(text) ? { type: "text", text } : undefined
