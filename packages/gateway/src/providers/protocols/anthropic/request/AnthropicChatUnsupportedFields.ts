/** What of a chat request has no counterpart at Anthropic. */
import type { JsonObject } from "../../../../core/domain/Json.ts"
import { arrayOf, isObject } from "../../../json/LooseJson.ts"
import type { Losses } from "../../shared/Losses.ts"

/** Fields that are translated, or that the gateway itself acts on. */
const handled = new Set(
  (
    "model messages stream stream_options max_tokens max_completion_tokens n temperature top_p top_k stop tools tool_choice " +
    "parallel_tool_calls response_format reasoning_effort thinking service_tier user safety_identifier cache_control"
  ).split(" ")
)

/** Values that ask for nothing. */
export const isNeutral = (name: string, value: unknown): boolean =>
  value === undefined ||
  value === null ||
  value === "" ||
  value === false ||
  (value === 0 && name !== "seed") ||
  (Array.isArray(value) && value.length === 0) ||
  (isObject(value) && Object.keys(value).length === 0)

export const reportLeftovers = (body: JsonObject, choices: number, losses: Losses): void => {
  if (choices > 1) losses.refuse("n", "this provider returns one choice per request: `n` must be 1")
  const asked = arrayOf(body["modalities"]).find((modality) => modality !== "text")
  if (asked !== undefined) losses.refuse("modalities", "this provider responds in text only")
  for (const name of ["functions", "function_call"]) {
    if (!isNeutral(name, body[name]))
      losses.refuse(name, `\`${name}\` is not supported at this provider: use \`tools\``)
  }
  for (const name of Object.keys(body)) {
    if (handled.has(name) || name === "modalities" || isNeutral(name, body[name])) continue
    losses.drop(name, `\`${name}\` has no counterpart at Anthropic`)
  }
}
