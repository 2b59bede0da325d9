/**
 * A chat request as Mistral takes it. It answers 422 to every field that it does not know, in the body and in a message, so only those
 * of its own description are sent: `ChatCompletionRequest` of `@mistralai/mistralai` 2.7.0, and
 * https://github.com/mistralai/platform-docs-public/issues/7, https://github.com/charmbracelet/crush/issues/1590 (read 2026-11-22).
 */
import type { Result } from "effect"
import type { Unsupported } from "../../../../core/domain/Failures.ts"
import type { UpstreamCall, WireRequest } from "../../../../core/pool/Protocol.ts"
import { isBlank, isObject, objectsIn, textOf, type JsonObject } from "../../../json/LooseJson.ts"
import {
  callIds,
  callsIn,
  contentOf,
  eachMessage,
  fileDataOf,
  functionCall,
  idOf,
  imagePart,
  refusePart,
  roleOf,
  textContent,
  textIn
} from "../../shared/ChatMessages.ts"
import { nearestEffort } from "../../shared/Efforts.ts"
import type { Losses } from "../../shared/Losses.ts"
import { chatFields, dropUnknown, isGiven, lowerChat, offeredFunctions, refuseMedia } from "../../shared/LowerChat.ts"
import { reminder } from "../../shared/Reminders.ts"
import { lettersOnly, ToolIds } from "../../shared/ToolIds.ts"

// The chat's messages as Mistral takes them. The rules are those of `src/mistral_common/protocol/instruct/validator.py` in
// https://github.com/mistralai/mistral-common (039465d, read 2026-11-22): ids of calls have nine letters and digits, results are followed by
// the assistant, instructions stand at the beginning or before a user's message, and the last message is the assistant's only as a
// prefix of the response.

const toolIdForm = lettersOnly(9)

/** Between the results of tools and what the user says next. */
const ACKNOWLEDGED: JsonObject = { role: "assistant", content: "OK." }

const lowerMessages = ({ deployment, request }: UpstreamCall, losses: Losses): ReadonlyArray<JsonObject> => {
  const messages = request.body["messages"]
  const ids = new ToolIds(toolIdForm, callIds(messages))
  const reasons = deployment.supports.has("reasoning")
  const lowered = eachMessage(messages, losses, (message, param) => {
    const role = roleOf(message, param, "Mistral", losses)
    switch (role) {
      case "system":
        return [{ role, content: textContent(message, param, losses) }]
      case "user":
        return [{ role, content: partsOf(message, param, losses) }]
      case "assistant":
        return assistantMessage(message, param, ids, reasons, losses)
      case "tool": {
        const id = ids.answered(idOf(message["tool_call_id"]))
        return [{ role, tool_call_id: id, content: partsOf(message, param, losses) }]
      }
      default:
        return []
    }
  })
  if (lowered.length === 0) losses.refuse("messages", "at least one message with contents is needed")
  return prefixed(ordered(lowered))
}

/** One that says nothing is refused, so it is left out. */
const assistantMessage = (
  message: JsonObject,
  param: string,
  ids: ToolIds,
  reasons: boolean,
  losses: Losses
): ReadonlyArray<JsonObject> => {
  const text = textContent(message, param, losses) || (textOf(message["refusal"]) ?? "")
  const thoughts = reasons ? thoughtsOf(message) : undefined
  const calls = callsIn(message, param, losses).map((call) => functionCall(ids.open(call.id), call))
  if (isBlank(text) && thoughts === undefined && calls.length === 0) return []
  const content = thoughts === undefined ? text : thinking(thoughts, text)
  return [{ role: "assistant", content, ...(calls.length === 0 ? {} : { tool_calls: calls }) }]
}

const thoughtsOf = ({ content, reasoning, reasoning_content: thoughts }: JsonObject): string | undefined => {
  const own = objectsIn(content).flatMap((part) => objectsIn(part["thinking"]))
  return textOf(thoughts) ?? textOf(reasoning) ?? textOf(own.map((part) => textOf(part["text"]) ?? "").join(""))
}

const thinking = (thoughts: string, text: string): ReadonlyArray<JsonObject> => [
  { type: "thinking", thinking: [{ type: "text", text: thoughts }], closed: true },
  ...(text === "" ? [] : [{ type: "text", text }])
]

const partsOf = (message: JsonObject, param: string, losses: Losses): unknown =>
  Array.isArray(message["content"])
    ? contentOf(message, param, losses, (part, place) => partOf(part, place, losses))
    : textContent(message, param, losses)

const partOf = (part: JsonObject, param: string, losses: Losses): JsonObject | undefined => {
  const { document_name: name, document_url: url, type } = part
  switch (type) {
    case "image_url":
      return imagePart(part["image_url"], param, losses)
    case "input_audio":
      return audioPart(part["input_audio"], param, losses)
    case "file":
      return documentPart(part["file"], param, losses)
    // Read by `thoughtsOf`.
    case "thinking":
      return undefined
    // Mistral's own way to send a document.
    case "document_url":
      return { type, document_url: url, ...(textOf(name) === undefined ? {} : { document_name: name }) }
    default: {
      const text = textIn(part)
      if (text === undefined) return refusePart(part, param, losses)
      return text === "" ? undefined : { type: "text", text }
    }
  }
}

/** `AudioChunk` of `@mistralai/mistralai` 2.7.0 (2026-11-22): base64, or an address. */
const audioPart = (audio: unknown, param: string, losses: Losses): JsonObject | undefined => {
  const data = textOf(isObject(audio) ? (audio["data"] ?? audio["url"]) : audio)
  if (data !== undefined) return { type: "input_audio", input_audio: data }
  losses.refuse(`${param}.input_audio`, "a recording must be base64 in `input_audio.data`")
  return undefined
}

/** `DocumentURLChunk` of `@mistralai/mistralai` 2.7.0 (2026-11-22). Base64 without a type is taken for a PDF. */
const documentPart = (file: unknown, param: string, losses: Losses): JsonObject | undefined => {
  const data = fileDataOf(file, param, losses)
  if (data === undefined) return undefined
  const url = /^(?:https?:\/\/|data:)/i.test(data) ? data : `data:application/pdf;base64,${data}`
  const name = isObject(file) ? textOf(file["filename"]) : undefined
  return { type: "document_url", document_url: url, ...(name === undefined ? {} : { document_name: name }) }
}

/** Within a conversation instructions may only follow the user; elsewhere the user says them. */
const ordered = (messages: ReadonlyArray<JsonObject>): ReadonlyArray<JsonObject> => {
  const all: Array<JsonObject> = []
  for (const message of messages) {
    const last = all.at(-1)?.["role"]
    const isLate = message["role"] === "system" && (last === "assistant" || last === "tool")
    const said = isLate ? { role: "user", content: reminder(String(message["content"])) } : message
    if (said["role"] === "user" && last === "tool") all.push(ACKNOWLEDGED)
    all.push(said)
  }
  return all
}

/** The response goes on from a last message of the assistant. */
const prefixed = (messages: ReadonlyArray<JsonObject>): ReadonlyArray<JsonObject> => {
  const last = messages.at(-1)
  if (last === undefined || last["role"] !== "assistant" || "tool_calls" in last) return messages
  return [...messages.slice(0, -1), { ...last, prefix: true }]
}

const SAME =
  "temperature top_p stop metadata response_format presence_penalty frequency_penalty n prediction prompt_cache_key safe_prompt".split(
    " "
  )

const KNOWN = chatFields(`${SAME.join(" ")} service_tier seed random_seed tools tool_choice reasoning_effort audio`)

export const lower = (call: UpstreamCall): Result.Result<WireRequest, Unsupported> =>
  lowerChat(call, "/chat/completions", "text/event-stream", chatRequest)

const chatRequest = (call: UpstreamCall, losses: Losses): JsonObject => {
  const { deployment, request } = call
  const { body } = request
  const fields = {
    ...Object.fromEntries(SAME.map((name) => [name, body[name]])),
    model: deployment.model,
    messages: lowerMessages(call, losses),
    service_tier: call.serviceTier ?? body["service_tier"],
    max_tokens: call.maxOutput ?? body["max_completion_tokens"] ?? body["max_tokens"],
    random_seed: body["random_seed"] ?? body["seed"],
    stream: request.stream || undefined,
    ...lowerTools(body, losses),
    ...lowerEffort(call, losses)
  }
  refuseMedia(request, losses)
  if (isGiven(body["audio"])) losses.refuse("audio", "this provider responds in text only")
  dropUnknown(body, KNOWN, "Mistral", losses)
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => isGiven(value)))
}

/** A wish, not a need: a model without reasoning answers too. */
const lowerEffort = ({ deployment, request }: UpstreamCall, losses: Losses): JsonObject => {
  const effort = request.body["reasoning_effort"]
  if (!isGiven(effort)) return {}
  if (deployment.supports.has("reasoning")) {
    const sent = typeof effort === "string" ? nearestEffort(effort, deployment.facts?.reasoning?.efforts) : effort
    if (sent !== effort) losses.drop("reasoning_effort", `the nearest effort that this model has is "${String(sent)}"`)
    return { reasoning_effort: sent }
  }
  if (effort !== "none") losses.drop("reasoning_effort", "this model does not reason: leave `reasoning_effort` out")
  return {}
}

/**
 * Mistral says `any` where OpenAI says `required`. Tools that Mistral runs itself are refused: they have fees of their own. An empty list
 * is refused there: https://github.com/partITech/php-mistral/issues/76 (read 2026-11-22).
 */
const lowerTools = (body: JsonObject, losses: Losses): JsonObject => {
  const { mode, offered } = offeredFunctions(body, losses)
  if (offered.length === 0) return {}
  const parallel = body["parallel_tool_calls"]
  return {
    tools: offered.map(({ declared, isStrict: strict }) => ({ type: "function", function: { ...declared, strict } })),
    tool_choice: mode === "required" ? "any" : mode,
    parallel_tool_calls: typeof parallel === "boolean" ? parallel : undefined
  }
}
