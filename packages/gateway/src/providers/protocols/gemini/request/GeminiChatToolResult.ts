/** What a tool gave back, as a `functionResponse`. Its `response` has to be an object. */
import type { JsonObject } from "../../../../core/domain/Json.ts"
import { isObject, textOf } from "../../../json/LooseJson.ts"
import { parseJson } from "../../../json/BoundedJson.ts"
import type { Losses } from "../../shared/Losses.ts"
import type { GeminiTraits } from "../GeminiModels.ts"
import { contentParts } from "./GeminiChatContent.ts"

interface Answered {
  readonly id: string | undefined
  readonly name: string
  /** The message's place in the body. */
  readonly param: string
}

/** Images and files stand inside the result for models that take them there, else behind it. */
export const resultPart = (
  message: JsonObject,
  { id, name, param }: Answered,
  { mediaInResults }: GeminiTraits,
  losses: Losses
): Array<JsonObject> => {
  const parts = contentParts(message, param, losses, "with media")
  const texts = parts.flatMap((part) => textOf(part["text"]) ?? [])
  const media = parts.filter((part) => part["text"] === undefined)
  const response = {
    functionResponse: {
      ...(id === undefined ? {} : { id }),
      name,
      response: responseOf(texts.join("\n")),
      ...(mediaInResults && media.length > 0 ? { parts: media } : {})
    }
  }
  return mediaInResults ? [response] : [response, ...media]
}

/**
 * The JSON text of an object is that object. A `$ref` in it would be read as the name of a part of the result, and is refused where
 * there is none: https://github.com/vercel/ai/issues/14369 (2026-11-22).
 */
const responseOf = (text: string): JsonObject => {
  const value = text.startsWith("{") && !text.includes('"$ref"') ? parseJson(text) : undefined
  return isObject(value) ? value : { result: text }
}
