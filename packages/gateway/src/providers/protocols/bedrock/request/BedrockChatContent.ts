/** Content of one message, string or parts, as Converse's content blocks. */
import type { JsonObject } from "../../../../core/domain/Json.ts"
import { isBlank, isObject, textOf } from "../../../json/LooseJson.ts"
import type { Losses } from "../../shared/Losses.ts"
import type { ConverseTraits } from "../BedrockModels.ts"
import { cachePoint } from "./BedrockChatCaching.ts"
import { type DocumentNames, fileBlock, imageBlock, videoBlock } from "./BedrockChatMedia.ts"

/** What the blocks of one request share. */
export interface Writing {
  readonly traits: ConverseTraits
  readonly losses: Losses
  readonly names: DocumentNames
}

/** Blank text is left out. `param` names the message, for refusals. `media`: whether images and files make sense here. */
export const contentBlocks = (
  message: JsonObject,
  param: string,
  writing: Writing,
  media: "with media" | "text only"
): Array<JsonObject> => {
  const { losses, traits } = writing
  const content = message["content"]
  const blocks: Array<JsonObject> = []
  if (typeof content === "string") {
    blocks.push(...textBlock(content))
  } else if (Array.isArray(content)) {
    for (const [index, part] of content.entries()) {
      const block = partBlock(part, `${param}.content[${index}]`, writing, media)
      if (block === undefined) continue
      blocks.push(block)
      if (isObject(part)) blocks.push(...cachePoint(part["cache_control"], "messages", traits, losses))
    }
  } else if (content !== undefined && content !== null) {
    losses.refuse(`${param}.content`, "`content` must be a string or a list of parts")
  }
  if (blocks.length > 0) blocks.push(...cachePoint(message["cache_control"], "messages", traits, losses))
  return blocks
}

const partBlock = (part: unknown, param: string, writing: Writing, media: string): JsonObject | undefined => {
  const { losses, names } = writing
  if (typeof part === "string") return textBlock(part)[0]
  if (!isObject(part)) {
    losses.refuse(param, "a content part must be an object")
    return undefined
  }
  const type = part["type"]
  if (type === "text" || type === "input_text" || type === "output_text") return textBlock(part["text"])[0]
  if (type === "refusal") return textBlock(part["refusal"])[0]
  if (media === "with media") {
    if (type === "image_url") return imageBlock(part["image_url"], param, losses)
    if (type === "video_url") return videoBlock(part["video_url"], param, losses)
    if (type === "file") return fileBlock(part["file"], param, names, losses)
  }
  const name = textOf(type)
  losses.refuse(
    param,
    `content parts ${name === undefined ? "without a type" : `of type ${name.slice(0, 40)}`} can't be sent here`
  )
  return undefined
}

/** Blank text is refused there. */
const textBlock = (text: unknown): ReadonlyArray<JsonObject> =>
  typeof text === "string" && !isBlank(text) ? [{ text }] : []
