/** A chat request as `POST /api/chat`. `options` are `ModelOptions` in https://docs.ollama.com/openapi.yaml (2026-11-22). */
import type { Result } from "effect"
import type { Unsupported } from "../../../../core/domain/Failures.ts"
import type { JsonObject } from "../../../../core/domain/Json.ts"
import type { UpstreamCall, WireRequest } from "../../../../core/pool/Protocol.ts"
import { arrayOf, isObject, objectOr, objectsIn, textOf } from "../../../json/LooseJson.ts"
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
import {
  chatFields,
  dropUnknown,
  isGiven,
  lowerChat,
  numberIn,
  offeredFunctions,
  refuseFormat,
  refuseOutputs,
  stopsIn
} from "../../shared/LowerChat.ts"

/**
 * The chat's messages as Ollama takes them: contents are one text, images stand beside it as base64, arguments are objects, and results name
 * their tool, as calls have no ids.
 */
const lowerMessages = ({ deployment, request }: UpstreamCall, losses: Losses): ReadonlyArray<JsonObject> => {
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

/** Of the chat API and of Ollama's own options, by the same name. How the server uses its machine is the operator's to say. */
const SAMPLING = "temperature top_p top_k min_p seed frequency_penalty presence_penalty repeat_penalty".split(" ")
const OPTIONS = new Set([...SAMPLING, "stop", "num_predict", "num_ctx"])

const KNOWN = chatFields(
  `${SAMPLING.join(" ")} stop num_ctx options tools tool_choice response_format format reasoning_effort think keep_alive`
)

export const lower = (call: UpstreamCall): Result.Result<WireRequest, Unsupported> =>
  lowerChat(call, "/api/chat", "application/x-ndjson", chatRequest)

const chatRequest = (call: UpstreamCall, losses: Losses): JsonObject => {
  const { deployment, request } = call
  const { body } = request
  refuseOutputs(request, losses)
  if (body["parallel_tool_calls"] === false) {
    losses.drop("parallel_tool_calls", "a model can't be kept to one call at a time here")
  }
  dropUnknown(body, KNOWN, "Ollama", losses)
  const options = lowerOptions(call, losses)
  return {
    model: deployment.model,
    messages: lowerMessages(call, losses),
    // Left out, it would be a stream.
    stream: request.stream,
    tools: lowerTools(body, losses),
    format: formatOf(body, losses),
    think: thinkOf(call, losses),
    keep_alive: isGiven(body["keep_alive"]) ? body["keep_alive"] : undefined,
    options: Object.keys(options).length === 0 ? undefined : options
  }
}

/** A JSON schema itself, or `json`. */
const formatOf = (body: JsonObject, losses: Losses): unknown => {
  const asked = body["response_format"]
  if (!isGiven(asked)) return isGiven(body["format"]) ? body["format"] : undefined
  const type = isObject(asked) ? asked["type"] : undefined
  if (type === "text") return undefined
  if (type === "json_object") return "json"
  const described = isObject(asked) ? asked["json_schema"] : undefined
  if (type === "json_schema" && isObject(described) && isObject(described["schema"])) return described["schema"]
  refuseFormat(losses)
  return undefined
}

/** A model that can't think answers 400 to the field, and so it gets none. */
const thinkOf = ({ deployment, request }: UpstreamCall, losses: Losses): boolean | string | undefined => {
  const { reasoning_effort: effort, think } = request.body
  const asked = isGiven(think) ? think : effort
  if (!isGiven(asked)) return undefined
  const isOff = asked === false || asked === "none"
  if (!deployment.supports.has("reasoning")) {
    if (!isOff) losses.drop(isGiven(think) ? "think" : "reasoning_effort", "this model does not think")
    return undefined
  }
  if (deployment.facts?.protocol?.["thinkLevels"] !== true) return !isOff
  const level = LEVELS.get(asked)
  if (level === undefined) losses.drop(isGiven(think) ? "think" : "reasoning_effort", "this model always thinks")
  return level ?? "low"
}

const LEVELS: ReadonlyMap<unknown, string> = new Map<unknown, string>([
  ["minimal", "low"],
  ["low", "low"],
  ["medium", "medium"],
  [true, "medium"],
  ["high", "high"],
  ["xhigh", "high"],
  ["max", "high"]
])

/** There is no `tool_choice`: what it leaves out is left out here. */
const lowerTools = (body: JsonObject, losses: Losses): ReadonlyArray<JsonObject> | undefined => {
  const { mode, offered } = offeredFunctions(body, losses)
  if (mode === "required") losses.drop("tool_choice", "a model can't be made to call a tool at this provider")
  if (mode === "none" || offered.length === 0) return undefined
  return offered.map(({ declared }) => ({ type: "function", function: declared }))
}

const lowerOptions = (call: UpstreamCall, losses: Losses): JsonObject => {
  const { body } = call.request
  const own = objectOr(body["options"])
  const out: Record<string, unknown> = {}
  for (const name of SAMPLING) {
    const value = numberIn({ [name]: body[name] ?? own[name] }, name, losses)
    if (value !== undefined) out[name] = value
  }
  for (const name of Object.keys(own)) {
    if (!OPTIONS.has(name)) losses.drop(`options.${name}`, "how the server runs is its operator's to say")
  }
  const stops = stopsIn(body["stop"] ?? own["stop"])
  if (stops.length > 0) out["stop"] = stops
  const limit = call.maxOutput ?? body["max_completion_tokens"] ?? body["max_tokens"] ?? count(own["num_predict"])
  if (isGiven(limit)) out["num_predict"] = limit
  const window = contextOf(call)
  if (window !== undefined) out["num_ctx"] = window
  return out
}

/**
 * The configured window, or a smaller one that the caller asks for. A server that gets another one with each request loads the model
 * anew each time, so it does not follow the size of the request.
 */
export const contextOf = ({ deployment, request }: UpstreamCall): number | undefined => {
  const own = request.body["options"]
  const asked = count(request.body["num_ctx"]) ?? (isObject(own) ? count(own["num_ctx"]) : undefined)
  const { contextWindow } = deployment
  if (asked === undefined) return contextWindow
  return contextWindow === undefined ? asked : Math.min(asked, contextWindow)
}

const count = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isSafeInteger(value) && value > 0 ? value : undefined
