/** A whole Anthropic message as a chat completion. */
import { Result } from "effect"
import type { JsonObject } from "../../../../core/domain/Json.ts"
import { type ProviderFailure, truncated } from "../../../../core/domain/Failures.ts"
import type { LiftedAnswer } from "../../../../core/operations/LiftedAnswer.ts"
import type { UpstreamCall } from "../../../../core/pool/Protocol.ts"
import { tierNamed } from "../../../../core/domain/pricing/ServiceTier.ts"
import { reportedFailure } from "../AnthropicErrors.ts"
import { annotations, finishReason, refusalText, servedTier } from "./AnthropicChatFinish.ts"
import { parseJson } from "../../../json/BoundedJson.ts"
import { arrayOf, encodeJson, isObject, objectOf, textOf } from "../../../json/LooseJson.ts"
import { readUsage, wireUsage } from "./AnthropicChatUsage.ts"
import { ownBlocks } from "./AnthropicOwnBlocks.ts"

export const lift = (text: string, call: UpstreamCall): Result.Result<LiftedAnswer, ProviderFailure> => {
  const message = parseJson(text)
  if (isObject(message) && message["type"] === "error") return Result.fail(reportedFailure(message))
  if (!isObject(message) || !Array.isArray(message["content"]) || !message["content"].every(isSound)) {
    return Result.fail(notAnAnswer)
  }
  const rawUsage = objectOf(message["usage"])
  const usage = readUsage(rawUsage)
  return Result.succeed({
    usage,
    serviceTier: tierNamed(rawUsage?.["service_tier"]),
    body: {
      id: answerId(message, call),
      object: "chat.completion",
      created: createdAt(call),
      model: textOf(message["model"]) ?? call.deployment.model,
      choices: [choice(message)],
      ...servedTier(rawUsage),
      ...(usage === undefined ? {} : { usage: wireUsage(usage) })
    }
  })
}

const notAnAnswer = truncated("the provider's response is not a message")

/** A tool call can be passed on. */
const isSound = (block: unknown): boolean =>
  isObject(block) &&
  (block["type"] !== "tool_use" ||
    (typeof block["id"] === "string" && typeof block["name"] === "string" && toolArguments(block) !== undefined))

/** JSON text; undefined when it can't be written. */
export const toolArguments = (block: JsonObject): string | undefined => encodeJson(block["input"] ?? {})

/** Seconds, as the chat API counts. */
export const createdAt = (call: UpstreamCall): number => Math.floor(call.now / 1_000)

export const answerId = (message: JsonObject | undefined, call: UpstreamCall): string =>
  textOf(message?.["id"]) ?? `chatcmpl-${call.deployment.id}-${call.now}`

/** What the blocks of a message add up to. Blocks of the provider's own tools are in `extra_content` alone. */
interface AnthropicContent {
  text: string
  reasoning: string
  readonly thinking: Array<JsonObject>
  readonly calls: Array<JsonObject>
  readonly annotations: Array<JsonObject>
}

const choice = (message: JsonObject): JsonObject => {
  const gathered: AnthropicContent = {
    text: "",
    reasoning: "",
    thinking: [],
    calls: [],
    annotations: []
  }
  for (const block of arrayOf(message["content"])) if (isObject(block)) gather(gathered, block)
  const { calls, reasoning, text: content, thinking } = gathered
  return {
    index: 0,
    finish_reason: finishReason(message["stop_reason"], calls.length),
    logprobs: null,
    message: {
      role: "assistant",
      content: content === "" && calls.length > 0 ? null : content,
      refusal: refusalText(message["stop_details"]) ?? null,
      ...(reasoning === "" ? {} : { reasoning_content: reasoning }),
      ...(thinking.length === 0 ? {} : { thinking_blocks: thinking }),
      ...(calls.length === 0 ? {} : { tool_calls: calls }),
      ...(gathered.annotations.length === 0 ? {} : { annotations: gathered.annotations }),
      ...ownBlocks(arrayOf(message["content"]).filter(isObject))
    }
  }
}

const gather = (gathered: AnthropicContent, block: JsonObject): void => {
  switch (block["type"]) {
    case "text": {
      const start = gathered.text.length
      gathered.text += textOf(block["text"]) ?? ""
      gathered.annotations.push(...annotations(arrayOf(block["citations"]), start, gathered.text.length))
      return
    }
    case "thinking":
      gathered.reasoning += textOf(block["thinking"]) ?? ""
      gathered.thinking.push(thinkingBlock(block["thinking"], block["signature"]))
      return
    case "redacted_thinking":
      gathered.thinking.push({ type: "redacted_thinking", data: textOf(block["data"]) ?? "" })
      return
    case "tool_use": {
      const input = toolArguments(block)!
      gathered.calls.push({ id: block["id"], type: "function", function: { name: block["name"], arguments: input } })
    }
  }
}

/** As it has to come back with the next turn. */
export const thinkingBlock = (thinking: unknown, signature: unknown): JsonObject => ({
  type: "thinking",
  thinking: typeof thinking === "string" ? thinking : "",
  signature: typeof signature === "string" ? signature : ""
})
