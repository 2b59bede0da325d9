/** What one candidate of a response says: its parts, why there are none, where it looked, and how likely its tokens were. */
import { ProviderFailure } from "../../../../core/domain/Failures.ts"
import type { JsonObject } from "../../../../core/domain/Json.ts"
import type { ModelFacts } from "../../../../core/domain/models/ModelFacts.ts"
import { arrayOf, encodeJson, isObject, objectOf, objectOr, objectsIn, textOf } from "../../../json/LooseJson.ts"
import type { ChatHead } from "../../shared/ChatCompletions.ts"
import { modelTraits } from "../GeminiModels.ts"
import { readUsage } from "./GeminiChatUsage.ts"

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

/** As OpenRouter's clients know them: https://openrouter.ai/docs/features/multimodal/image-generation (2026-11-22). */
export const imageOf = (url: string, index: number): JsonObject => ({ type: "image_url", index, image_url: { url } })

/** Ids of the tool calls of one response. Most calls come without one (215 of 237 recorded), and no two may share theirs. */
export class CallIds {
  private readonly answer: string
  private readonly given = new Set<string>()

  /** The id of the response makes those of its calls unique in a conversation. */
  constructor({ id }: ChatHead) {
    this.answer = id
      .slice("chatcmpl-".length)
      .replaceAll(/[^\w-]/g, "_")
      .slice(0, 48)
  }

  next(own: string | undefined): string {
    const id = own === undefined || this.given.has(own) ? `call_${this.answer}_${this.given.size}` : own
    this.given.add(id)
    return id
  }
}

/** A prompt that was blocked has no candidates, but a reason. */
export const blocked = (response: JsonObject): ProviderFailure | undefined => {
  if (arrayOf(response["candidates"]).length > 0) return undefined
  const feedback = objectOf(response["promptFeedback"])
  const reason = textOf(feedback?.["blockReason"])
  if (reason === undefined) return undefined
  const usage = readUsage(objectOf(response["usageMetadata"]))
  const why = textOf(feedback?.["blockReasonMessage"])
  return new ProviderFailure({
    class: "content_filter",
    status: 400,
    message: `Gemini blocked the prompt: ${reason}${why === undefined ? "" : `, ${why}`}`,
    code: "content_filter",
    ...(usage === undefined ? {} : { usage })
  })
}

/** `text`: the content so far. Google counts bytes, the chat API characters. */
export const annotations = (candidate: JsonObject, text: string): ReadonlyArray<JsonObject> => {
  const grounding = objectOf(candidate["groundingMetadata"])
  const supports = arrayOf(grounding?.["groundingSupports"])
  if (supports.length === 0) return []
  const chunks = arrayOf(grounding?.["groundingChunks"])
  const bytes = Buffer.from(text)
  const place = (at: unknown) =>
    typeof at === "number" && at > 0 ? bytes.subarray(0, Math.min(at, bytes.length)).toString("utf8").length : 0
  return objectsIn(supports).flatMap((support) => {
    const { segment } = support
    if (!isObject(segment)) return []
    const range = { start_index: place(segment["startIndex"]), end_index: place(segment["endIndex"]) }
    return arrayOf(support["groundingChunkIndices"]).flatMap((index) => {
      const chunk = typeof index === "number" ? objectOf(chunks[index]) : undefined
      const web = objectOf(chunk?.["web"]) ?? objectOf(chunk?.["maps"])
      const url = textOf(web?.["uri"])
      if (url === undefined) return []
      return [{ type: "url_citation", url_citation: { ...range, url, title: textOf(web?.["title"]) ?? url } }]
    })
  })
}

/** Gemini 3 bills each search, those before it each response that searched: https://ai.google.dev/gemini-api/docs/google-search (2026-11-22). */
export const searchesIn = (candidates: ReadonlyArray<unknown>, facts: ModelFacts | undefined): number => {
  const counts = candidates.map((candidate) => {
    const { webSearchQueries: queries } = objectOr(objectOr(candidate)["groundingMetadata"])
    return arrayOf(queries).filter((query) => query !== "").length
  })
  const most = counts.reduce((sum, count) => sum + count, 0)
  return modelTraits(facts).searchesOnce ? Math.min(1, most) : most
}

export const logprobsOf = (candidate: JsonObject): JsonObject | null => {
  const result = objectOf(candidate["logprobsResult"])
  const chosen = arrayOf(result?.["chosenCandidates"])
  if (chosen.length === 0) return null
  const top = arrayOf(result?.["topCandidates"])
  const content = chosen.flatMap((one, index) => {
    const token = tokenOf(one)
    if (token === undefined) return []
    const others = objectOf(top[index])
    return [{ ...token, top_logprobs: arrayOf(others?.["candidates"]).flatMap((other) => tokenOf(other) ?? []) }]
  })
  return content.length === 0 ? null : { content, refusal: null }
}

const tokenOf = (value: unknown): JsonObject | undefined => {
  if (!isObject(value) || typeof value["token"] !== "string") return undefined
  const logprob = value["logProbability"]
  // A probability of 1 is a logarithm of 0, which is left out.
  return {
    token: value["token"],
    logprob: typeof logprob === "number" ? logprob : 0,
    bytes: [...Buffer.from(value["token"])]
  }
}
