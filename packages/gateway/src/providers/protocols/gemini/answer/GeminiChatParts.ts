/** What one part of an answer says. */
import type { JsonObject } from "../../../../core/domain/Json.ts"
import { encodeJson, isObject, objectOf, textOf } from "../../../json/LooseJson.ts"

export type GeminiPiece =
  | { readonly kind: "text" | "thought"; readonly text: string; readonly signature: unknown }
  | { readonly kind: "image"; readonly url: string; readonly signature: unknown }
  | {
      readonly kind: "call"
      readonly id: string | undefined
      readonly name: string
      /** JSON. */
      readonly args: string
      readonly signature: unknown
    }
  /** What Google's own tools did has no place in a chat completion. */
  | { readonly kind: "none" }

const NONE: GeminiPiece = { kind: "none" }

/** Undefined where the part makes no sense. */
export const pieceOf = (part: unknown): GeminiPiece | undefined => {
  if (!isObject(part)) return undefined
  const signature = part["thoughtSignature"] ?? part["thought_signature"]
  const call = part["functionCall"]
  if (call !== undefined) return callOf(objectOf(call), signature)
  const { text } = part
  const isThought = part["thought"] === true
  if (typeof text === "string") return { kind: isThought ? "thought" : "text", text, signature }
  if (text !== undefined && text !== null) return undefined
  const data = objectOf(part["inlineData"])
  // An image among the thoughts is a draft.
  if (data === undefined || isThought) return NONE
  const { data: base64, mimeType } = data
  if (textOf(base64) === undefined || typeof mimeType !== "string") return undefined
  return mimeType.startsWith("image/") ? { kind: "image", url: `data:${mimeType};base64,${base64}`, signature } : NONE
}

const callOf = (call: JsonObject | undefined, signature: unknown): GeminiPiece | undefined => {
  const name = textOf(call?.["name"])
  const args = call?.["args"] ?? {}
  const json = isObject(args) ? encodeJson(args) : undefined
  if (name === undefined || json === undefined) return undefined
  return { kind: "call", id: textOf(call?.["id"]), name, args: json, signature }
}

/** As OpenRouter's clients know images in answers of chat: https://openrouter.ai/docs/features/multimodal/image-generation (2026-11-22). */
export const imageOf = (url: string, index: number): JsonObject => ({
  type: "image_url",
  index,
  image_url: { url }
})
