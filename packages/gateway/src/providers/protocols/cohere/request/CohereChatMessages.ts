/** The chat's messages as Cohere takes them. What is said beside tool calls is the plan for them. */
import type { JsonObject } from "../../../../core/domain/Json.ts"
import type { UpstreamCall } from "../../../../core/pool/Protocol.ts"
import { isBlank, objectsIn, textOf } from "../../../json/LooseJson.ts"
import {
  callsIn,
  contentOf,
  eachMessage,
  functionCall,
  imagePart,
  refusePart,
  roleOf,
  textContent,
  textIn
} from "../../shared/ChatMessages.ts"
import type { Losses } from "../../shared/Losses.ts"

export const lowerMessages = ({ deployment, request }: UpstreamCall, losses: Losses): ReadonlyArray<JsonObject> => {
  const thinks = deployment.supports.has("reasoning")
  return eachMessage(request.body["messages"], losses, (message, param) => {
    const role = roleOf(message, param, "Cohere", losses)
    switch (role) {
      case "system":
        return [{ role, content: textContent(message, param, losses) }]
      case "user":
        return [{ role, content: userContent(message, param, losses) }]
      case "assistant":
        return assistantMessage(message, param, thinks, losses)
      case "tool":
        return [{ role, tool_call_id: message["tool_call_id"], content: textContent(message, param, losses) }]
      default:
        return []
    }
  })
}

const assistantMessage = (
  message: JsonObject,
  param: string,
  thinks: boolean,
  losses: Losses
): ReadonlyArray<JsonObject> => {
  const text = textContent(message, param, losses) || (textOf(message["refusal"]) ?? "")
  const thoughts = thoughtsOf(message)
  const calls = callsIn(message, param, losses).map((call) => functionCall(call.own["id"], call))
  if (calls.length > 0) {
    const plan = [thoughts ?? "", text].filter((one) => !isBlank(one)).join("\n")
    return [{ role: "assistant", tool_calls: calls, ...(plan === "" ? {} : { tool_plan: plan }) }]
  }
  if (thoughts !== undefined && thinks) {
    const parts = [
      { type: "thinking", thinking: thoughts },
      { type: "text", text }
    ]
    return [{ role: "assistant", content: parts }]
  }
  return isBlank(text) ? [] : [{ role: "assistant", content: text }]
}

/** In OpenAI-compatible fields, or as Cohere's own parts. */
const thoughtsOf = (message: JsonObject): string | undefined =>
  ["reasoning_content", "reasoning", "tool_plan"].map((field) => textOf(message[field])).find((text) => text) ??
  textOf(
    objectsIn(message["content"])
      .map(({ thinking }) => textOf(thinking) ?? "")
      .join("")
  )

const userContent = (message: JsonObject, param: string, losses: Losses): string | ReadonlyArray<JsonObject> => {
  const parts = contentOf<JsonObject>(message, param, losses, (part, place) => {
    if (part["type"] === "image_url") return imagePart(part["image_url"], place, losses)
    const text = part["type"] === "thinking" ? "" : textIn(part)
    if (text === undefined) return refusePart(part, place, losses)
    return text === "" ? undefined : { type: "text", text }
  })
  return parts.some((part) => part["type"] === "image_url") ? parts : parts.map(({ text }) => text).join("")
}
