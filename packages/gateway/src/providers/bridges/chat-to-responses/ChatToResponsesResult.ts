import { randomUUID } from "node:crypto"
import type { Usage } from "../../../core/domain/Usage.ts"
import { wireUsage } from "../../../core/operations/chat/ChatAnswerText.ts"
import { objectOr, objectsIn, type JsonObject } from "../../json/LooseJson.ts"
import { ENCRYPTED } from "./ChatToResponsesMessages.ts"
import { ownItems } from "./ChatToResponsesOwnItems.ts"

/** Says which providers may understand it: others leave it out. */
const FORMAT = "openai-responses-v1"

export const completionId = (): string => `chatcmpl-${randomUUID().replaceAll("-", "")}`

export const chatCompletion = (response: JsonObject, usage: Usage | undefined): JsonObject => {
  const output = objectsIn(response["output"])
  const parts = output.filter((item) => item["type"] === "message").flatMap((item) => objectsIn(item["content"]))
  const calls = output.flatMap((item) => callOf(item) ?? [])
  const text = joined(parts, "text")
  const refusal = joined(parts, "refusal")
  const thoughts = output
    .filter((item) => item["type"] === "reasoning")
    .map((item) => joined([...objectsIn(item["summary"]), ...objectsIn(item["content"])], "text", "\n\n"))
    .filter((one) => one !== "")
  const annotations = parts.flatMap((part) => objectsIn(part["annotations"])).flatMap((one) => citation(one) ?? [])
  const details = output.flatMap((item) => detailOf(item) ?? [])
  const logprobs = parts.flatMap((part) => objectsIn(part["logprobs"]))
  return {
    id: completionId(),
    object: "chat.completion",
    created: response["created_at"],
    model: response["model"],
    choices: [
      {
        index: 0,
        message: {
          role: "assistant",
          content: text === "" && (calls.length > 0 || refusal !== "") ? null : text,
          refusal: refusal === "" ? null : refusal,
          ...(thoughts.length === 0 ? undefined : { reasoning_content: thoughts.join("\n\n") }),
          ...(details.length === 0 ? undefined : { reasoning_details: details }),
          ...(annotations.length === 0 ? undefined : { annotations }),
          ...(calls.length === 0 ? undefined : { tool_calls: calls }),
          ...ownItems(output)
        },
        logprobs: logprobs.length === 0 ? null : { content: logprobs, refusal: null },
        finish_reason: finishOf(response, calls.length > 0)
      }
    ],
    ...(usage === undefined ? undefined : { usage: wireUsage(usage) }),
    ...(typeof response["service_tier"] === "string" ? { service_tier: response["service_tier"] } : undefined)
  }
}

export const finishOf = (response: JsonObject, hasCalls: boolean): string => {
  const { reason } = objectOr(response["incomplete_details"])
  if (response["status"] === "incomplete") return reason === "content_filter" ? "content_filter" : "length"
  return hasCalls ? "tool_calls" : "stop"
}

export const callOf = ({ arguments: args, call_id: id, input, name, type }: JsonObject): JsonObject | undefined => {
  if (type === "function_call") return { id, type: "function", function: { name, arguments: args } }
  return type === "custom_tool_call" ? { id, type: "custom", custom: { name, input } } : undefined
}

/** For the next turn. */
export const detailOf = ({ encrypted_content: data, type }: JsonObject): JsonObject | undefined =>
  type === "reasoning" && typeof data === "string" ? { type: ENCRYPTED, format: FORMAT, data } : undefined

/** Chat knows citations of pages alone. */
export const citation = ({ end_index, start_index, title, type, url }: JsonObject): JsonObject | undefined =>
  type === "url_citation" ? { type, url_citation: { end_index, start_index, title, url } } : undefined

const joined = (parts: ReadonlyArray<JsonObject>, field: string, between = ""): string =>
  parts
    .map((part) => part[field])
    .filter((one) => typeof one === "string")
    .join(between)
