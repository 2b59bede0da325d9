/** A whole answer of Converse as a chat completion. */
import { Result } from "effect"
import type { JsonObject } from "../../../../core/domain/Json.ts"
import { ProviderFailure, truncated } from "../../../../core/domain/Failures.ts"
import type { LiftedAnswer } from "../../../../core/operations/LiftedAnswer.ts"
import type { UpstreamCall } from "../../../../core/pool/Protocol.ts"
import type { Usage } from "../../../../core/domain/Usage.ts"
import { createdAt, thinkingBlock } from "../../anthropic/answer/AnthropicChatResponse.ts"
import { wireUsage } from "../../shared/ChatUsage.ts"
import { parseJson } from "../../../json/BoundedJson.ts"
import { encodeJson, isObject, objectOf, textOf } from "../../../json/LooseJson.ts"
import { citedText, isServers, redactedBlock, servedTier, tierField } from "./BedrockChatBlocks.ts"
import { finishReason, isMalformed } from "./BedrockChatFinish.ts"
import { readUsage } from "./BedrockChatUsage.ts"

export const lift = (text: string, call: UpstreamCall): Result.Result<LiftedAnswer, ProviderFailure> => {
  const answer = objectOf(parseJson(text))
  const message = objectOf(objectOf(answer?.["output"])?.["message"])
  const content = message?.["content"]
  if (answer === undefined || !Array.isArray(content) || !content.every(isSound)) {
    return Result.fail(truncated("the provider's response is not a message"))
  }
  const usage = readUsage(objectOf(answer["usage"]))
  if (isMalformed(answer["stopReason"])) return Result.fail(malformed(answer["stopReason"], usage))
  const serviceTier = servedTier(answer)
  return Result.succeed({
    usage,
    serviceTier,
    body: {
      id: answerId(call),
      object: "chat.completion",
      created: createdAt(call),
      model: call.deployment.model,
      choices: [choice(content, answer["stopReason"])],
      ...tierField(serviceTier),
      ...(usage === undefined ? {} : { usage: wireUsage(usage) })
    }
  })
}

/** Converse gives its answers no id. */
export const answerId = ({ deployment, now }: UpstreamCall): string => `chatcmpl-${deployment.id}-${now}`

/** `usage`: it is billed all the same. */
export const malformed = (stopReason: unknown, usage: Usage | undefined): ProviderFailure => {
  const { message } = truncated(`the model's response has an unknown stop reason (${String(stopReason)})`)
  return new ProviderFailure({
    ...truncated(message),
    message,
    ...(usage === undefined ? {} : { usage })
  })
}

/** A tool call can be passed on. */
const isSound = (block: unknown): boolean => {
  if (!isObject(block)) return false
  const call = block["toolUse"]
  if (call === undefined) return true
  return (
    isObject(call) &&
    typeof call["toolUseId"] === "string" &&
    typeof call["name"] === "string" &&
    encodeJson(call["input"] ?? {}) !== undefined
  )
}

/** What the blocks of a message add up to. */
interface BedrockContent {
  text: string
  reasoning: string
  readonly thinking: Array<JsonObject>
  readonly calls: Array<JsonObject>
}

const choice = (blocks: ReadonlyArray<unknown>, stopReason: unknown): JsonObject => {
  const gathered: BedrockContent = { text: "", reasoning: "", thinking: [], calls: [] }
  for (const block of blocks) if (isObject(block)) gather(gathered, block)
  const { calls, reasoning, text: content, thinking } = gathered
  return {
    index: 0,
    finish_reason: finishReason(stopReason, calls.length),
    logprobs: null,
    message: {
      role: "assistant",
      content: content === "" && calls.length > 0 ? null : content,
      refusal: null,
      ...(reasoning === "" ? {} : { reasoning_content: reasoning }),
      ...(thinking.length === 0 ? {} : { thinking_blocks: thinking }),
      ...(calls.length === 0 ? {} : { tool_calls: calls })
    }
  }
}

const gather = (gathered: BedrockContent, block: JsonObject): void => {
  gathered.text += textOf(block["text"]) ?? citedText(block["citationsContent"])
  const reasoning = objectOf(block["reasoningContent"])
  if (reasoning !== undefined) gatherThoughts(gathered, reasoning)
  const call = objectOf(block["toolUse"])
  if (call === undefined || isServers(call)) return
  const input = encodeJson(call["input"] ?? {}) ?? "{}"
  const called = { name: call["name"], arguments: input }
  gathered.calls.push({ id: call["toolUseId"], type: "function", function: called })
}

const gatherThoughts = (gathered: BedrockContent, reasoning: JsonObject): void => {
  if (reasoning["redactedContent"] !== undefined) gathered.thinking.push(redactedBlock(reasoning["redactedContent"]))
  const said = objectOf(reasoning["reasoningText"])
  if (said === undefined) return
  gathered.reasoning += textOf(said["text"]) ?? ""
  // What nobody signed can't be sent back.
  if (textOf(said["signature"]) !== undefined) gathered.thinking.push(thinkingBlock(said["text"], said["signature"]))
}
