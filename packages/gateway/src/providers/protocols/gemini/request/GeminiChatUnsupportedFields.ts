/** What of a chat request has no counterpart at Google. */
import type { JsonObject } from "../../../../core/domain/Json.ts"
import { isObject } from "../../../json/LooseJson.ts"
import type { Losses } from "../../shared/Losses.ts"

/** Fields that are translated, or that the gateway itself acts on. */
const handled = new Set(
  (
    "model messages stream stream_options max_tokens max_completion_tokens n temperature top_p top_k stop seed tools " +
    "tool_choice parallel_tool_calls response_format reasoning_effort thinking presence_penalty frequency_penalty logprobs " +
    "top_logprobs modalities extra_body safety_settings"
  ).split(" ")
)

/** Values that ask for nothing. */
const isNeutral = (name: string, value: unknown): boolean =>
  value === undefined ||
  value === null ||
  value === "" ||
  value === false ||
  value === 0 ||
  (name === "service_tier" && (value === "auto" || value === "default")) ||
  (Array.isArray(value) && value.length === 0) ||
  (isObject(value) && Object.keys(value).length === 0)

export const reportLeftovers = (body: JsonObject, losses: Losses): void => {
  for (const name of ["functions", "function_call"]) {
    if (!isNeutral(name, body[name]))
      losses.refuse(name, `\`${name}\` is not supported at this provider: use \`tools\``)
  }
  for (const name of Object.keys(body)) {
    if (handled.has(name) || isNeutral(name, body[name])) continue
    losses.drop(name, `\`${name}\` has no counterpart at Google`)
  }
}
