import { Unsupported } from "../../../core/domain/Failures.ts"
import { argumentsText, isObject, objectOr, objectsIn, type JsonObject } from "../../json/LooseJson.ts"
import { keptTurn } from "../../protocols/shared/OwnTurn.ts"
import { OWN_ITEMS } from "./ChatToResponsesOwnItems.ts"

/** Thoughts that only their provider can read: the shape that OpenRouter made common. */
export const ENCRYPTED = "reasoning.encrypted"

export const itemsOf = (messages: unknown): ReadonlyArray<JsonObject> | Unsupported => {
  const items: Array<JsonObject> = []
  /** Ids of the calls of custom tools, whose results are items of another kind. */
  const custom = new Set<unknown>()
  for (const [index, message] of objectsIn(messages).entries()) {
    const { role } = message
    if (role === "function") return unsupported(`messages[${index}].role`, "must be `tool` at this model")
    if (role === "assistant") assistant(message, items, custom)
    else {
      const content = contentOf(message["content"], `messages[${index}].content`)
      if (content instanceof Unsupported) return content
      if (role !== "tool") items.push({ role, content })
      else {
        const id = message["tool_call_id"]
        const type = custom.has(id) ? "custom_tool_call_output" : "function_call_output"
        items.push({ type, call_id: id, output: content })
      }
    }
  }
  return items
}

const assistant = (message: JsonObject, items: Array<JsonObject>, custom: Set<unknown>): void => {
  const calls = objectsIn(message["tool_calls"]).map(callItem)
  for (const { call_id: id, type } of calls) if (type === "custom_tool_call") custom.add(id)
  const own = keptTurn(OWN_ITEMS, message, calls)
  if (own !== undefined) {
    items.push(...own)
    return
  }
  for (const detail of objectsIn(message["reasoning_details"])) {
    if (detail["type"] !== ENCRYPTED) continue
    items.push({ type: "reasoning", summary: [], encrypted_content: detail["data"] })
  }
  const { content, refusal } = message
  const texts =
    typeof content === "string" ? [content] : objectsIn(content).map((part) => part["text"] ?? part["refusal"])
  const text = [...texts, refusal].filter((one) => typeof one === "string" && one !== "").join("\n")
  if (text !== "") items.push({ role: "assistant", content: text })
  items.push(...calls)
}

const callItem = (call: JsonObject): JsonObject => {
  if (call["type"] === "custom") {
    const { input, name } = objectOr(call["custom"])
    return { type: "custom_tool_call", call_id: call["id"], name, input }
  }
  const { arguments: args, name } = objectOr(call["function"])
  return { type: "function_call", call_id: call["id"], name, arguments: argumentsText(args) || "{}" }
}

const contentOf = (content: unknown, path: string): unknown => {
  if (!Array.isArray(content)) return typeof content === "string" ? content : ""
  const parts: Array<JsonObject> = []
  for (const [index, part] of content.entries()) {
    const own =
      typeof part === "string" ? { type: "input_text", text: part } : isObject(part) ? partOf(part) : undefined
    if (own === undefined) return unsupported(`${path}[${index}]`, "is of a type that this model does not take")
    parts.push(own)
  }
  return parts
}

const partOf = (part: JsonObject): JsonObject | undefined => {
  switch (part["type"]) {
    case "text":
      return { type: "input_text", text: part["text"] }
    case "image_url": {
      const image = isObject(part["image_url"]) ? part["image_url"] : { url: part["image_url"] }
      const { detail, url } = image
      return { type: "input_image", image_url: url, detail: detail ?? "auto" }
    }
    case "file": {
      const file = objectOr(part["file"])
      return { type: "input_file", ...Object.fromEntries(Object.entries(file).filter(([, value]) => value !== null)) }
    }
    case "input_text":
    case "input_image":
    case "input_file":
      return part
    default:
      return undefined
  }
}

const unsupported = (param: string, what: string): Unsupported =>
  new Unsupported({ param, message: `\`${param}\` ${what}` })
