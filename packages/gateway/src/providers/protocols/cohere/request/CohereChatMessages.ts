/** The chat's messages as Cohere takes them: nearly as they are. What is said beside calls is the plan for them. */
import type { JsonObject } from "../../../../core/domain/Json.ts"
import type { UpstreamCall } from "../../../../core/pool/Protocol.ts"
import { argumentsText, arrayOf, isBlank, isObject, textOf } from "../../../json/LooseJson.ts"
import type { Losses } from "../../shared/Losses.ts"

export const lowerMessages = ({ deployment, request }: UpstreamCall, losses: Losses): ReadonlyArray<JsonObject> => {
  const messages: unknown = request.body["messages"]
  if (!Array.isArray(messages)) {
    losses.refuse("messages", "`messages` must be a list")
    return []
  }
  const thinks = deployment.supports.has("reasoning")
  return messages.flatMap((message: unknown, index): ReadonlyArray<JsonObject> => {
    const param = `messages[${index}]`
    if (isObject(message)) return lowerMessage(message, param, thinks, losses)
    losses.refuse(param, "a message must be an object")
    return []
  })
}

const lowerMessage = (
  message: JsonObject,
  param: string,
  thinks: boolean,
  losses: Losses
): ReadonlyArray<JsonObject> => {
  const { content, role } = message
  if (textOf(message["name"]) !== undefined && role !== "tool") {
    losses.drop("messages.name", "Cohere has no names of participants")
  }
  switch (role) {
    case "system":
    case "developer":
      return [{ role: "system", content: textContent(content, param, losses) }]
    case "user":
      return [{ role, content: userContent(content, param, losses) }]
    case "assistant":
      return assistantMessage(message, param, thinks, losses)
    case "tool":
      return [{ role, tool_call_id: message["tool_call_id"], content: textContent(content, param, losses) }]
    default:
      losses.refuse(`${param}.role`, "`role` must be system, developer, user, assistant or tool at this provider")
      return []
  }
}

const assistantMessage = (
  message: JsonObject,
  param: string,
  thinks: boolean,
  losses: Losses
): ReadonlyArray<JsonObject> => {
  if (isObject(message["function_call"])) {
    losses.refuse(`${param}.function_call`, "`function_call` is not supported at this provider: use `tool_calls`")
  }
  const said = textContent(message["content"], param, losses) || (textOf(message["refusal"]) ?? "")
  const thoughts = thoughtsOf(message)
  const calls = arrayOf(message["tool_calls"]).map((call, index) =>
    toolCall(call, `${param}.tool_calls[${index}]`, losses)
  )
  if (calls.length > 0) {
    const plan = [thoughts ?? "", said].filter((text) => !isBlank(text)).join("\n")
    return [{ role: "assistant", tool_calls: calls, ...(plan === "" ? {} : { tool_plan: plan }) }]
  }
  if (thoughts !== undefined && thinks) {
    const parts = [
      { type: "thinking", thinking: thoughts },
      { type: "text", text: said }
    ]
    return [{ role: "assistant", content: parts }]
  }
  return isBlank(said) ? [] : [{ role: "assistant", content: said }]
}

/** In OpenAI-compatible fields, or as Cohere's own parts. */
const thoughtsOf = ({
  content,
  reasoning,
  reasoning_content: thoughts,
  tool_plan: plan
}: JsonObject): string | undefined => {
  const own = arrayOf(content).map((part) => (isObject(part) ? (textOf(part["thinking"]) ?? "") : ""))
  return textOf(thoughts) ?? textOf(reasoning) ?? textOf(plan) ?? textOf(own.join(""))
}

const toolCall = (call: unknown, param: string, losses: Losses): JsonObject => {
  const called = isObject(call) ? call["function"] : undefined
  if (!isObject(call) || !isObject(called)) {
    losses.refuse(param, "only function calls can be sent to this provider")
    return {}
  }
  return {
    id: call["id"],
    type: "function",
    function: { name: called["name"], arguments: argumentsText(called["arguments"]) || "{}" }
  }
}

type CohereMessageContent = string | ReadonlyArray<JsonObject>

const userContent = (content: unknown, param: string, losses: Losses): CohereMessageContent => {
  const parts = partsOf(content, param, losses)
  return parts.some((part) => part["type"] === "image_url") ? parts : textsIn(parts)
}

const textContent = (content: unknown, param: string, losses: Losses): string => {
  const parts = partsOf(content, param, losses)
  if (parts.some((part) => part["type"] !== "text"))
    losses.refuse(`${param}.content`, "this message can hold text only")
  return textsIn(parts)
}

const textsIn = (parts: ReadonlyArray<JsonObject>): string => parts.map((part) => textOf(part["text"]) ?? "").join("")

const partsOf = (content: unknown, param: string, losses: Losses): ReadonlyArray<JsonObject> => {
  if (content === undefined || content === null) return []
  if (typeof content === "string") return [{ type: "text", text: content }]
  if (!Array.isArray(content)) losses.refuse(`${param}.content`, "`content` must be a string or a list of parts")
  return arrayOf(content).flatMap((part, index): ReadonlyArray<JsonObject> => {
    if (typeof part === "string") return [{ type: "text", text: part }]
    const type = isObject(part) ? part["type"] : undefined
    // Told apart by `thoughtsOf`.
    if (type === "thinking") return []
    const text = isObject(part) ? (part["text"] ?? part["refusal"]) : undefined
    if (typeof text === "string") return text === "" ? [] : [{ type: "text", text }]
    const image = isObject(part) && type === "image_url" ? part["image_url"] : undefined
    const url = textOf(isObject(image) ? image["url"] : image)
    if (url !== undefined) {
      const detail = isObject(image) ? textOf(image["detail"]) : undefined
      return [{ type: "image_url", image_url: { url, ...(detail === undefined ? {} : { detail }) } }]
    }
    const name = typeof type === "string" ? `of type ${type.slice(0, 40)}` : "without a type"
    losses.refuse(`${param}.content[${index}]`, `content parts ${name} can't be sent here`)
    return []
  })
}
