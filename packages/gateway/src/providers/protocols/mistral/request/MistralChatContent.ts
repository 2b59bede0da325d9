/** Contents of a message: a text, or parts of the kinds that Mistral knows. */
import type { JsonObject } from "../../../../core/domain/Json.ts"
import { arrayOf, isObject, textOf } from "../../../json/LooseJson.ts"
import type { Losses } from "../../shared/Losses.ts"

type MistralMessageContent = string | ReadonlyArray<JsonObject>

/** `param` names the message, for refusals. */
export const contentOf = (content: unknown, param: string, losses: Losses): MistralMessageContent => {
  if (content === undefined || content === null) return ""
  if (typeof content === "string") return content
  if (!Array.isArray(content)) {
    losses.refuse(`${param}.content`, "`content` must be a string or a list of parts")
    return ""
  }
  return content.flatMap((part: unknown, index): ReadonlyArray<JsonObject> => {
    const lowered = partOf(part, `${param}.content[${index}]`, losses)
    return lowered === undefined ? [] : [lowered]
  })
}

/** Of messages that hold nothing but text. */
export const textContent = (content: unknown, param: string, losses: Losses): string => {
  const parts = contentOf(content, param, losses)
  if (typeof parts === "string") return parts
  return parts
    .map((part) => {
      if (part["type"] !== "text") losses.refuse(`${param}.content`, "this message can hold text only")
      return textOf(part["text"]) ?? ""
    })
    .join("")
}

/** What an earlier answer thought, in OpenAI-compatible fields or as Mistral's own parts. */
export const thoughtsOf = ({ content, reasoning, reasoning_content: thoughts }: JsonObject): string | undefined => {
  const parts = arrayOf(content).flatMap((part) => (isObject(part) ? arrayOf(part["thinking"]) : []))
  const own = parts.map((part) => (isObject(part) ? (textOf(part["text"]) ?? "") : "")).join("")
  return textOf(thoughts) ?? textOf(reasoning) ?? textOf(own)
}

const partOf = (part: unknown, param: string, losses: Losses): JsonObject | undefined => {
  if (typeof part === "string") return { type: "text", text: part }
  const type = isObject(part) ? part["type"] : undefined
  if (isObject(part)) {
    switch (type) {
      case "text":
      case "input_text":
      case "output_text":
        return textPart(part["text"])
      case "refusal":
        return textPart(part["refusal"])
      case "image_url":
        return imagePart(part["image_url"], param, losses)
      case "input_audio":
        return audioPart(part["input_audio"], param, losses)
      case "file":
        return documentPart(part["file"], param, losses)
      // Told apart by `thoughtsOf`.
      case "thinking":
        return undefined
      // Mistral's own way to send a document.
      case "document_url":
        return {
          type,
          document_url: part["document_url"],
          ...(textOf(part["document_name"]) === undefined ? {} : { document_name: part["document_name"] })
        }
    }
  }
  const name = textOf(type)
  losses.refuse(
    param,
    `content parts ${name === undefined ? "without a type" : `of type ${name.slice(0, 40)}`} can't be sent here`
  )
  return undefined
}

const textPart = (text: unknown): JsonObject | undefined =>
  typeof text === "string" && text !== "" ? { type: "text", text } : undefined

const imagePart = (image: unknown, param: string, losses: Losses): JsonObject | undefined => {
  const url = textOf(isObject(image) ? image["url"] : image)
  if (url === undefined) {
    losses.refuse(`${param}.image_url`, "an image must be a base64 data: URL or an http(s) URL")
    return undefined
  }
  const detail = isObject(image) ? textOf(image["detail"]) : undefined
  return { type: "image_url", image_url: { url, ...(detail === undefined ? {} : { detail }) } }
}

/** `AudioChunk` of `@mistralai/mistralai` 2.7.0 (2026-11-22): base64, or an address. */
const audioPart = (audio: unknown, param: string, losses: Losses): JsonObject | undefined => {
  const data = textOf(isObject(audio) ? (audio["data"] ?? audio["url"]) : audio)
  if (data !== undefined) return { type: "input_audio", input_audio: data }
  losses.refuse(`${param}.input_audio`, "a recording must be base64 in `input_audio.data`")
  return undefined
}

/** `DocumentURLChunk` of `@mistralai/mistralai` 2.7.0 (2026-11-22). Base64 without a type is taken for a PDF. */
const documentPart = (file: unknown, param: string, losses: Losses): JsonObject | undefined => {
  const data = isObject(file) ? textOf(file["file_data"]) : undefined
  if (!isObject(file) || data === undefined) {
    losses.refuse(`${param}.file`, "files kept at another provider can't be used here: send `file_data`")
    return undefined
  }
  const isTyped = /^(?:https?:\/\/|data:)/i.test(data)
  const name = textOf(file["filename"])
  return {
    type: "document_url",
    document_url: isTyped ? data : `data:application/pdf;base64,${data}`,
    ...(name === undefined ? {} : { document_name: name })
  }
}
