/** Why an answer ended, and what else Anthropic and the chat API have different words for. */
import type { JsonObject } from "../../../../core/domain/Json.ts"
import { isObject, textOf } from "../../../json/LooseJson.ts"

export type AnthropicFinish = "stop" | "length" | "tool_calls" | "content_filter"

const reasons = new Map<unknown, AnthropicFinish>([
  ["max_tokens", "length"],
  ["model_context_window_exceeded", "length"],
  ["refusal", "content_filter"]
])

/** `calls`: how many tool calls the caller gets. The others (`end_turn`, `stop_sequence`, `pause_turn`, `tool_use` …) follow from it. */
export const finishReason = (stopReason: unknown, calls: number): AnthropicFinish =>
  reasons.get(stopReason) ?? (calls > 0 ? "tool_calls" : "stop")

/** Why the model refused, in its own words. */
export const refusalText = (stopDetails: unknown): string | undefined =>
  isObject(stopDetails) && stopDetails["type"] === "refusal" ? textOf(stopDetails["explanation"]) : undefined

/** The `service_tier` that served the answer; none for those the chat API has no word for. */
export const servedTier = (usage: JsonObject | undefined): JsonObject => {
  const tier = usage?.["service_tier"]
  if (tier === "standard") return { service_tier: "default" }
  return tier === "priority" ? { service_tier: tier } : {}
}

/** Web citations of one text block, which takes `start` to `end` (characters) of the content. */
export const annotations = (citations: ReadonlyArray<unknown>, start: number, end: number): ReadonlyArray<JsonObject> =>
  citations.flatMap((citation) => {
    const url = isObject(citation) ? textOf(citation["url"]) : undefined
    if (!isObject(citation) || url === undefined) return []
    const title = textOf(citation["title"]) ?? url
    return [{ type: "url_citation", url_citation: { start_index: start, end_index: end, url, title } }]
  })
