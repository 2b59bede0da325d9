/** Converse's usage, whose cache tokens come on top of `inputTokens`, as disjoint classes. */
import type { JsonObject } from "../../../../core/domain/Json.ts"
import { noUsage, totalTokens, type Usage } from "../../../../core/domain/Usage.ts"
import { arrayOf, countOf, isGarbage, isObject } from "../../../json/LooseJson.ts"

/** Undefined if there are no counts, or a total is not a number of tokens: booking the rest would make that part free. */
export const readUsage = (raw: JsonObject | undefined): Usage | undefined => {
  if (raw === undefined || (raw["inputTokens"] === undefined && raw["outputTokens"] === undefined)) return undefined
  if (COUNTS.some((name) => isGarbage(raw[name]))) return undefined
  const writes = countOf(raw["cacheWriteInputTokens"] ?? raw["cacheWriteInputTokenCount"])
  const cacheWrite1h = Math.min(writes, hourly(raw["cacheDetails"]))
  const usage = {
    ...noUsage,
    input: countOf(raw["inputTokens"]),
    cachedInput: countOf(raw["cacheReadInputTokens"] ?? raw["cacheReadInputTokenCount"]),
    cacheWrite: writes - cacheWrite1h,
    cacheWrite1h,
    // Thoughts are among them, uncounted.
    output: countOf(raw["outputTokens"])
  }
  return totalTokens(usage) === 0 ? undefined : usage
}

const COUNTS = ["inputTokens", "outputTokens", "cacheReadInputTokens", "cacheWriteInputTokens"]

/** Of what was written to the cache, the part that stays for an hour. */
const hourly = (details: unknown): number =>
  arrayOf(details)
    .map((one) => (isObject(one) && one["ttl"] === "1h" ? countOf(one["inputTokens"]) : 0))
    .reduce((sum, count) => sum + count, 0)
