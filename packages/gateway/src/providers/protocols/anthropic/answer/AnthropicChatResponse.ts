/** A whole Anthropic message as a chat completion. */
import { Result } from "effect"
import type { JsonObject } from "../../../../core/domain/Json.ts"
import { type ProviderFailure, truncated } from "../../../../core/domain/Failures.ts"
import type { LiftedAnswer } from "../../../../core/operations/LiftedAnswer.ts"
import type { UpstreamCall } from "../../../../core/pool/Protocol.ts"
import { tierNamed } from "../../../../core/domain/pricing/ServiceTier.ts"
import { parseJson } from "../../../json/BoundedJson.ts"
import { arrayOf, encodeJson, isObject, objectOf, objectsIn, textOf } from "../../../json/LooseJson.ts"
import { chatHead, completion, completionChoice, type FinishReason } from "../../shared/ChatCompletions.ts"
import { reportedFailure } from "../AnthropicErrors.ts"
import { readUsage } from "./AnthropicChatUsage.ts"
import { ownBlocks } from "./AnthropicOwnBlocks.ts"

export const lift = (text: string, call: UpstreamCall): Result.Result<LiftedAnswer, ProviderFailure> => {
  const message = parseJson(text)
  if (isObject(message) && message["type"] === "error") return Result.fail(reportedFailure(message))
  if (!isObject(message) || !Array.isArray(message["content"]) || !message["content"].every(isSound)) {
    return Result.fail(notAMessage)
  }
  const raw = objectOf(message["usage"])
  const usage = readUsage(raw)
  return Result.succeed({
    usage,
    serviceTier: tierNamed(raw?.["service_tier"]),
    body: completion(chatHead(call, message["id"], message["model"]), [choiceOf(message)], usage, {
      fields: servedTier(raw)
    })
  })
}

export const notAMessage = truncated("the provider's response is not a message")

/** A tool call can be passed on. */
const isSound = (block: unknown): boolean =>
  isObject(block) &&
  (block["type"] !== "tool_use" ||
    (typeof block["id"] === "string" && typeof block["name"] === "string" && toolArguments(block) !== undefined))

/** JSON text; undefined when it can't be written. */
export const toolArguments = (block: JsonObject): string | undefined => encodeJson(block["input"] ?? {})

const choiceOf = (message: JsonObject): JsonObject => {
  const blocks = objectsIn(message["content"])
  let content = ""
  let reasoning = ""
  const thinking: Array<JsonObject> = []
  const calls: Array<JsonObject> = []
  const cited: Array<JsonObject> = []
  for (const block of blocks) {
    switch (block["type"]) {
      case "text": {
        const start = content.length
        content += textOf(block["text"]) ?? ""
        cited.push(...annotations(arrayOf(block["citations"]), start, content.length))
        break
      }
      case "thinking":
        reasoning += textOf(block["thinking"]) ?? ""
        thinking.push(thinkingBlock(block["thinking"], block["signature"]))
        break
      case "redacted_thinking":
        thinking.push({ type: "redacted_thinking", data: textOf(block["data"]) ?? "" })
        break
      case "tool_use": {
        const called = { name: block["name"], arguments: toolArguments(block)! }
        calls.push({ id: block["id"], type: "function", function: called })
      }
    }
  }
  return completionChoice(0, finishReason(message["stop_reason"], calls.length), {
    content,
    refusal: refusalText(message["stop_details"]),
    reasoning,
    calls,
    lists: { thinking_blocks: thinking, annotations: cited },
    // Blocks of the provider's own tools are in `extra_content` alone.
    more: ownBlocks(blocks)
  })
}

/** As it has to come back with the next turn. */
export const thinkingBlock = (thinking: unknown, signature: unknown): JsonObject => ({
  type: "thinking",
  thinking: typeof thinking === "string" ? thinking : "",
  signature: typeof signature === "string" ? signature : ""
})

const REASONS: ReadonlyMap<unknown, FinishReason> = new Map<unknown, FinishReason>([
  ["max_tokens", "length"],
  ["model_context_window_exceeded", "length"],
  ["refusal", "content_filter"],
  // Bedrock's own.
  ["content_filtered", "content_filter"],
  ["guardrail_intervened", "content_filter"]
])

/** `calls`: how many tool calls the caller gets. The other reasons (`end_turn`, `stop_sequence`, `pause_turn`, `tool_use` …) follow from it. */
export const finishReason = (stopReason: unknown, calls: number): FinishReason =>
  REASONS.get(stopReason) ?? (calls > 0 ? "tool_calls" : "stop")

/** Why the model refused, in its own words. */
export const refusalText = (stopDetails: unknown): string | undefined =>
  isObject(stopDetails) && stopDetails["type"] === "refusal" ? textOf(stopDetails["explanation"]) : undefined

/** The `service_tier` that served the answer; none for those the chat API has no word for. */
export const servedTier = (usage: JsonObject | undefined): JsonObject => {
  const tier = usage?.["service_tier"]
  if (tier === "standard") return { service_tier: "default" }
  return tier === "priority" ? { service_tier: tier } : {}
}

/** Web citations of one text block, which takes `start` to `end` (characters) of the content. */
export const annotations = (citations: ReadonlyArray<unknown>, start: number, end: number): ReadonlyArray<JsonObject> =>
  objectsIn(citations).flatMap((citation) => {
    const url = textOf(citation["url"])
    if (url === undefined) return []
    const title = textOf(citation["title"]) ?? url
    return [{ type: "url_citation", url_citation: { start_index: start, end_index: end, url, title } }]
  })
