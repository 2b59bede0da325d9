/** Anthropic's usage, whose cache tokens come on top of `input_tokens`, as disjoint classes and as the chat API's `usage`. */
import type { JsonObject } from "../../../../core/domain/Json.ts"
import { noUsage, plus, totalTokens, type Usage } from "../../../../core/domain/Usage.ts"
import { arrayOf, countOf, isGarbage, isObject } from "../../../json/LooseJson.ts"

/** Undefined if there are no counts, or a total is not a number of tokens: booking the rest would make that part free. */
export const readUsage = (raw: JsonObject | undefined): Usage | undefined => {
  if (raw === undefined || (raw["input_tokens"] === undefined && raw["output_tokens"] === undefined)) return undefined
  if (isGarbage(raw["input_tokens"]) || isGarbage(raw["output_tokens"])) return undefined
  const rounds = ownRounds(raw)
  const total = (rounds.length > 0 ? rounds : [raw]).map(oneRound).reduce(plus)
  if (totalTokens(total) === 0) return undefined
  const details = raw["output_tokens_details"]
  const reasoning = Math.min(total.output, isObject(details) ? countOf(details["thinking_tokens"]) : 0)
  const tools = raw["server_tool_use"]
  return {
    ...total,
    output: total.output - reasoning,
    reasoning,
    webSearches: isObject(tools) ? countOf(tools["web_search_requests"]) : 0
  }
}

/**
 * The rounds of an answer that compacted its context or asked an advisor, since the top level leaves compaction out. The advisor's rounds
 * belong to another model with other prices and are left out. After a fallback to another model the top level is correct as it is.
 */
const ownRounds = (raw: JsonObject): ReadonlyArray<JsonObject> => {
  const rounds = arrayOf(raw["iterations"]).filter(isObject)
  if (rounds.some((round) => round["type"] === "fallback_message")) return []
  return rounds.filter((round) => round["type"] === "message" || round["type"] === "compaction")
}

const oneRound = (round: JsonObject): Usage => {
  const written = isObject(round["cache_creation"]) ? round["cache_creation"] : {}
  const write1h = countOf(written["ephemeral_1h_input_tokens"])
  const write5m = countOf(written["ephemeral_5m_input_tokens"])
  // The total is authoritative: a stream's last usage has it without the split.
  const total = round["cache_creation_input_tokens"]
  const writes = typeof total === "number" ? countOf(total) : write5m + write1h
  const cacheWrite1h = Math.min(writes, write1h)
  return {
    ...noUsage,
    input: countOf(round["input_tokens"]),
    cachedInput: countOf(round["cache_read_input_tokens"]),
    cacheWrite: writes - cacheWrite1h,
    cacheWrite1h,
    output: countOf(round["output_tokens"])
  }
}

/** A later usage of a stream replaces earlier values; fields that it leaves out stay. */
export const mergeUsage = (earlier: JsonObject | undefined, later: JsonObject): JsonObject => ({
  ...earlier,
  ...Object.fromEntries(Object.entries(later).filter(([, value]) => value !== null))
})
