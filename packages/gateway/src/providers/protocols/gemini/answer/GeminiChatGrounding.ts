/** Where an answer got what it says from, as annotations; and how often it searched. */
import type { JsonObject } from "../../../../core/domain/Json.ts"
import type { ModelFacts } from "../../../../core/domain/models/ModelFacts.ts"
import { arrayOf, isObject, objectOf, textOf } from "../../../json/LooseJson.ts"
import { modelTraits } from "../GeminiModels.ts"

/** `text`: the content so far. Google counts bytes, the chat API characters. */
export const annotations = (candidate: JsonObject, text: string): ReadonlyArray<JsonObject> => {
  const grounding = objectOf(candidate["groundingMetadata"])
  const supports = arrayOf(grounding?.["groundingSupports"])
  if (supports.length === 0) return []
  const chunks = arrayOf(grounding?.["groundingChunks"])
  const bytes = Buffer.from(text)
  const place = (at: unknown) =>
    typeof at === "number" && at > 0 ? bytes.subarray(0, Math.min(at, bytes.length)).toString("utf8").length : 0
  return supports.flatMap((support) => {
    const segment = isObject(support) ? objectOf(support["segment"]) : undefined
    if (!isObject(support) || segment === undefined) return []
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

/**
 * Gemini 3 bills each search, those before it each answer that searched: https://ai.google.dev/gemini-api/docs/google-search
 * (2026-11-22).
 */
export const searchesIn = (candidates: ReadonlyArray<unknown>, facts: ModelFacts | undefined): number => {
  const counts = candidates.map((candidate) => {
    const grounding = isObject(candidate) ? objectOf(candidate["groundingMetadata"]) : undefined
    return arrayOf(grounding?.["webSearchQueries"]).filter((query) => query !== "").length
  })
  const most = counts.reduce((sum, count) => sum + count, 0)
  return modelTraits(facts).searchesOnce ? Math.min(1, most) : most
}
