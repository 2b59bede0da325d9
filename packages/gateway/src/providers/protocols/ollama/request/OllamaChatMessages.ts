/**
 * The chat's messages as Ollama takes them: contents are one text, images stand beside it as base64, arguments are objects, and results name
 * their tool, as calls have no ids.
 */
import type { JsonObject } from "../../../../core/domain/Json.ts"
import type { UpstreamCall } from "../../../../core/pool/Protocol.ts"
import { arrayOf, objectOr, objectsIn, textOf } from "../../../json/LooseJson.ts"
import {
  callsIn,
  contentOf,
  eachMessage,
  inputOf,
  refusePart,
  roleOf,
  textIn,
  urlOf
} from "../../shared/ChatMessages.ts"
import type { Losses } from "../../shared/Losses.ts"

export const lowerMessages = ({ deployment, request }: UpstreamCall, losses: Losses): ReadonlyArray<JsonObject> => {
  const messages = request.body["messages"]
  const tools = toolNames(messages)
  const thinks = deployment.supports.has("reasoning")
  return eachMessage(messages, losses, (message, param) => {
    const role = roleOf(message, param, "Ollama", losses)
    if (role === undefined) return []
    const images: Array<string> = []
    const texts = contentOf(message, param, losses, (part, place) => {
      if (part["type"] !== "image_url") return textIn(part) ?? refusePart(part, place, losses)
      images.push(base64Of(part["image_url"], place, losses))
      return undefined
    })
    const lowered: Record<string, unknown> = { role, content: texts.join("\n") }
    if (images.length > 0 && role === "user") lowered["images"] = images
    if (role === "assistant") {
      const calls = callsIn(message, param, losses)
      lowered["thinking"] = thinks ? (textOf(message["reasoning_content"]) ?? textOf(message["reasoning"])) : undefined
      if (calls.length > 0) {
        lowered["tool_calls"] = calls.map((call) => ({
          function: { name: call.name, arguments: inputOf(call, losses) }
        }))
      }
    }
    if (role === "tool") lowered["tool_name"] = tools.get(message["tool_call_id"]) ?? textOf(message["name"])
    return [lowered]
  })
}

/** The name of each call's tool, by the call's id. */
const toolNames = (messages: unknown): ReadonlyMap<unknown, string> =>
  new Map(
    objectsIn(messages).flatMap((message) =>
      objectsIn(arrayOf(message["tool_calls"])).flatMap((call) => {
        const name = textOf(objectOr(call["function"])["name"])
        return name === undefined ? [] : [[call["id"], name] as const]
      })
    )
  )

/** Images by URL were fetched before. */
const base64Of = (image: unknown, param: string, losses: Losses): string => {
  const base64 = /^data:image\/[\w.+-]+;base64,(.+)$/s.exec(urlOf(image)?.trim() ?? "")?.[1]
  if (base64 === undefined) losses.refuse(`${param}.image_url`, "an image must be a base64 data: URL or an http(s) URL")
  return base64 ?? ""
}
