/** What of a chat request has no counterpart in Converse. */
import type { JsonObject } from "../../../../core/domain/Json.ts"
import { arrayOf } from "../../../json/LooseJson.ts"
import type { Losses } from "../../shared/Losses.ts"
import { isNeutral } from "../../anthropic/request/AnthropicChatUnsupportedFields.ts"

/** Fields that are translated, or that the gateway itself acts on. */
const handled = new Set(
  (
    "model messages stream stream_options max_tokens max_completion_tokens n temperature top_p top_k stop tools tool_choice " +
    "parallel_tool_calls response_format reasoning_effort thinking service_tier cache_control modalities functions function_call"
  ).split(" ")
)

/** What would cost or protect otherwise than the caller means: the operator decides about guardrails. */
const REFUSED = ["guardrailConfig", "guardrail_config"]

export const reportLeftovers = (body: JsonObject, choices: number, losses: Losses): void => {
  if (choices > 1) losses.refuse("n", "this provider returns one choice per request: `n` must be 1")
  const asked = arrayOf(body["modalities"]).find((modality) => modality !== "text")
  if (asked !== undefined) losses.refuse("modalities", "this provider responds in text only")
  for (const name of ["functions", "function_call"]) {
    if (!isNeutral(name, body[name]))
      losses.refuse(name, `\`${name}\` is not supported at this provider: use \`tools\``)
  }
  for (const name of REFUSED) {
    if (!isNeutral(name, body[name])) {
      losses.refuse(name, "guardrails are part of this gateway's configuration: leave them out of requests")
    }
  }
  for (const name of Object.keys(body)) {
    if (handled.has(name) || REFUSED.includes(name) || isNeutral(name, body[name])) continue
    losses.drop(name, `\`${name}\` has no counterpart at Bedrock`)
  }
}
