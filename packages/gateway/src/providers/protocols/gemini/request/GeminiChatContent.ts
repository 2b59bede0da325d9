/** Content of one message, string or parts, as Gemini's parts. */
import type { JsonObject } from "../../../../core/domain/Json.ts"
import { isObject, textOf } from "../../../json/LooseJson.ts"
import type { Losses } from "../../shared/Losses.ts"
import { mediaPart } from "./GeminiChatMedia.ts"

/** Empty text is left out, but where it is all that a user says. `param` names the message, for refusals. `media`: whether images and files make sense here. */
export const contentParts = (
  message: JsonObject,
  param: string,
  losses: Losses,
  media: "with media" | "text only"
): Array<JsonObject> => {
  const content = message["content"]
  if (typeof content === "string") return content === "" && message["role"] !== "user" ? [] : [{ text: content }]
  if (content === undefined || content === null) return []
  if (!Array.isArray(content)) {
    losses.refuse(`${param}.content`, "`content` must be a string or a list of parts")
    return []
  }
  return content.flatMap(
    (part: unknown, index): JsonObject | ReadonlyArray<JsonObject> =>
      onePart(part, `${param}.content[${index}]`, losses, media) ?? []
  )
}

const onePart = (part: unknown, param: string, losses: Losses, media: string): JsonObject | undefined => {
  if (typeof part === "string") return textPart(part)
  if (!isObject(part)) {
    losses.refuse(param, "a content part must be an object")
    return undefined
  }
  const type = part["type"]
  if (type === "text" || type === "input_text" || type === "output_text") return textPart(part["text"])
  if (type === "refusal") return textPart(part["refusal"])
  const made = media === "with media" ? mediaPart(part, param, losses) : undefined
  if (made === undefined) {
    const name = textOf(type) ?? "without a type"
    losses.refuse(
      param,
      `content parts ${type === undefined ? name : `of type ${name.slice(0, 40)}`} can't be sent here`
    )
  }
  return made
}

const textPart = (text: unknown): JsonObject | undefined =>
  typeof text === "string" && text !== "" ? { text } : undefined
