/**
 * The chat's messages as Ollama takes them: contents are one text, images stand beside it as base64, arguments are objects, and results name
 * their tool, as calls have no ids.
 */
import type { JsonObject } from "../../../../core/domain/Json.ts"
import type { UpstreamCall } from "../../../../core/pool/Protocol.ts"
import { parseArguments } from "../../../json/BoundedJson.ts"
import { argumentsText, arrayOf, isObject, textOf } from "../../../json/LooseJson.ts"
import type { Losses } from "../../shared/Losses.ts"

export const lowerMessages = ({ deployment, request }: UpstreamCall, losses: Losses): ReadonlyArray<JsonObject> => {
  const messages: unknown = request.body["messages"]
  if (!Array.isArray(messages)) {
    losses.refuse("messages", "`messages` must be a list")
    return []
  }
  const tools = toolNames(messages)
  const thinks = deployment.supports.has("reasoning")
  return messages.flatMap((message: unknown, index): ReadonlyArray<JsonObject> => {
    const param = `messages[${index}]`
    if (isObject(message)) return lowerMessage(message, param, tools, thinks, losses)
    losses.refuse(param, "a message must be an object")
    return []
  })
}

const lowerMessage = (
  message: JsonObject,
  param: string,
  tools: ReadonlyMap<unknown, string>,
  thinks: boolean,
  losses: Losses
): ReadonlyArray<JsonObject> => {
  const { role } = message
  if (textOf(message["name"]) !== undefined && role !== "tool") {
    losses.drop("messages.name", "Ollama has no names of participants")
  }
  const { images, text } = contentOf(message["content"], param, losses)
  switch (role) {
    case "system":
    case "developer":
      return [{ role: "system", content: text }]
    case "user":
      return [{ role, content: text, ...(images.length === 0 ? {} : { images }) }]
    case "assistant": {
      const calls = arrayOf(message["tool_calls"]).map((call, index) =>
        toolCall(call, `${param}.tool_calls[${index}]`, losses)
      )
      const thinking = textOf(message["reasoning_content"]) ?? textOf(message["reasoning"])
      return [
        {
          role,
          content: text,
          ...(thinks && thinking !== undefined ? { thinking } : {}),
          ...(calls.length === 0 ? {} : { tool_calls: calls })
        }
      ]
    }
    case "tool": {
      const name = tools.get(message["tool_call_id"]) ?? textOf(message["name"])
      return [{ role, content: text, ...(name === undefined ? {} : { tool_name: name }) }]
    }
    default:
      losses.refuse(`${param}.role`, "`role` must be system, developer, user, assistant or tool at this provider")
      return []
  }
}

/** The name of each call's tool, by the call's id. */
const toolNames = (messages: ReadonlyArray<unknown>): ReadonlyMap<unknown, string> =>
  new Map(
    messages.flatMap((message) =>
      arrayOf(isObject(message) ? message["tool_calls"] : undefined).flatMap((call) => {
        const called = isObject(call) ? call["function"] : undefined
        const name = isObject(called) ? textOf(called["name"]) : undefined
        return isObject(call) && name !== undefined ? [[call["id"], name] as const] : []
      })
    )
  )

const toolCall = (call: unknown, param: string, losses: Losses): JsonObject => {
  const called = isObject(call) ? call["function"] : undefined
  const given = isObject(called) ? called["arguments"] : undefined
  const written = argumentsText(given) === "" ? {} : typeof given === "string" ? parseArguments(given) : given
  if (!isObject(called)) losses.refuse(param, "only function calls can be sent to this provider")
  else if (!isObject(written)) losses.refuse(`${param}.function.arguments`, "`arguments` must be a JSON object")
  return { function: { name: isObject(called) ? called["name"] : "", arguments: written } }
}

interface OllamaMessageContent {
  readonly text: string
  readonly images: ReadonlyArray<string>
}

const contentOf = (content: unknown, param: string, losses: Losses): OllamaMessageContent => {
  if (content === undefined || content === null) return { text: "", images: [] }
  if (typeof content === "string") return { text: content, images: [] }
  const texts: Array<string> = []
  const images: Array<string> = []
  if (!Array.isArray(content)) losses.refuse(`${param}.content`, "`content` must be a string or a list of parts")
  for (const [index, part] of arrayOf(content).entries()) {
    const place = `${param}.content[${index}]`
    const type = isObject(part) ? part["type"] : undefined
    if (typeof part === "string") texts.push(part)
    else if (isObject(part) && type === "image_url") images.push(imageOf(part["image_url"], place, losses))
    else if (isObject(part) && typeof (part["text"] ?? part["refusal"]) === "string") {
      texts.push(String(part["text"] ?? part["refusal"]))
    } else
      losses.refuse(
        place,
        `content parts ${typeof type === "string" ? `of type ${type.slice(0, 40)}` : "without a type"} can't be sent here`
      )
  }
  return { text: texts.join("\n"), images }
}

/** Images by URL were fetched before. */
const imageOf = (image: unknown, param: string, losses: Losses): string => {
  const url = textOf(isObject(image) ? image["url"] : image)
  const base64 = /^data:image\/[\w.+-]+;base64,(.+)$/s.exec(url?.trim() ?? "")?.[1]
  if (base64 === undefined) losses.refuse(`${param}.image_url`, "an image must be a base64 data: URL or an http(s) URL")
  return base64 ?? ""
}
