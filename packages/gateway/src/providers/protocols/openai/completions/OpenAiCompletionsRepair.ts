/** Completions of compatible servers as OpenAI would have written them. */
import type { JsonObject } from "../../../../core/domain/Json.ts"
import type { UpstreamCall } from "../../../../core/pool/Protocol.ts"
import { finishReason } from "../answer/OpenAiChatFinish.ts"
import { newId, seconds } from "../answer/OpenAiChatRepair.ts"

/** The reason by which a choice says that the provider failed to make it. */
export const failedIn = (choices: ReadonlyArray<JsonObject>): string | undefined => {
  for (const { finish_reason: reason } of choices) {
    if (typeof reason === "string" && reason !== "" && finishReason(reason, false) === undefined) return reason
  }
  return undefined
}

export const repairedHead = ({ created, id, model }: JsonObject, { deployment, now }: UpstreamCall): JsonObject => ({
  id: typeof id === "string" && id !== "" ? id : newId(now).replace(/^chat/, ""),
  object: "text_completion",
  created: Number.isInteger(created) ? created : seconds(now),
  model: typeof model === "string" ? model : deployment.model
})

/** `unnamed`: the reason of a choice that has none. */
export const repairedChoices = (
  choices: ReadonlyArray<JsonObject>,
  unnamed: "stop" | null
): ReadonlyArray<JsonObject> =>
  choices.map((choice, at) => {
    const { finish_reason: reason, index, logprobs, text } = choice
    const isNamed = typeof reason === "string" && reason !== ""
    return {
      ...choice,
      text: typeof text === "string" ? text : "",
      index: Number.isInteger(index) ? index : at,
      logprobs: logprobs ?? null,
      finish_reason: isNamed ? completionReason(reason) : unnamed
    }
  })

/** A completion calls no tools. */
const completionReason = (reason: string): "stop" | "length" | "content_filter" => {
  const known = finishReason(reason, false)
  return known === "length" || known === "content_filter" ? known : "stop"
}
