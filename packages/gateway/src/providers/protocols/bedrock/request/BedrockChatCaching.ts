/** Prompt-cache marks of the chat API's callers (`cache_control`, as Anthropic has it) as Converse's `cachePoint` blocks. */
import type { JsonObject } from "../../../../core/domain/Json.ts"
import { isObject } from "../../../json/LooseJson.ts"
import type { Losses } from "../../shared/Losses.ts"
import type { ConverseTraits } from "../BedrockModels.ts"

/** The block that follows what is to be cached; none where nothing is marked, or the model caches nothing there. */
export const cachePoint = (
  mark: unknown,
  place: "tools" | "messages",
  { caches }: ConverseTraits,
  losses: Losses
): ReadonlyArray<JsonObject> => {
  if (!isObject(mark)) return []
  if (caches === "nowhere" || (caches === "not in tools" && place === "tools")) {
    losses.drop("cache_control", "the model caches nothing here")
    return []
  }
  // Five minutes is what a point without a time has.
  return [{ cachePoint: mark["ttl"] === "1h" ? { type: "default", ttl: "1h" } : { type: "default" } }]
}
