/** A prompt that was blocked has no candidates, but a reason. */
import type { JsonObject } from "../../../../core/domain/Json.ts"
import { ProviderFailure } from "../../../../core/domain/Failures.ts"
import { arrayOf, objectOf, textOf } from "../../../json/LooseJson.ts"
import { readUsage } from "./GeminiChatUsage.ts"

/** Undefined where there are candidates, or no reason why there are none. */
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
    type: null,
    code: "content_filter",
    param: null,
    ...(usage === undefined ? {} : { usage })
  })
}
