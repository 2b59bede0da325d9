/** A complete response of Converse as a chat completion. */
import { Result } from "effect"
import { ProviderFailure, truncated } from "../../../../core/domain/Failures.ts"
import type { JsonObject } from "../../../../core/domain/Json.ts"
import { noUsage, totalTokens, type Usage } from "../../../../core/domain/Usage.ts"
import { tierNamed } from "../../../../core/domain/pricing/ServiceTier.ts"
import type { UpstreamCall, LiftedAnswer } from "../../../../core/pool/Protocol.ts"
import { parseJson } from "../../../json/BoundedJson.ts"
import {
  arrayOf,
  countOf,
  encodeJson,
  isGarbage,
  isObject,
  objectOf,
  objectsIn,
  textOf
} from "../../../json/LooseJson.ts"
import { finishReason, notAMessage, thinkingBlock } from "../../anthropic/answer/AnthropicChatResponse.ts"
import { chatHead, completion, completionChoice } from "../../shared/ChatCompletions.ts"

/** Undefined if there are no counts, or a total is not a number of tokens: booking the rest would make that part free. */
export const readUsage = (raw: JsonObject | undefined): Usage | undefined => {
  if (raw === undefined || (raw["inputTokens"] === undefined && raw["outputTokens"] === undefined)) return undefined
  if (COUNTS.some((name) => isGarbage(raw[name]))) return undefined
  const writes = countOf(raw["cacheWriteInputTokens"] ?? raw["cacheWriteInputTokenCount"])
  const cacheWrite1h = Math.min(writes, hourly(raw["cacheDetails"]))
  const usage = {
    ...noUsage,
    input: countOf(raw["inputTokens"]),
    cachedInput: countOf(raw["cacheReadInputTokens"] ?? raw["cacheReadInputTokenCount"]),
    cacheWrite: writes - cacheWrite1h,
    cacheWrite1h,
    // Thoughts are among them, uncounted.
    output: countOf(raw["outputTokens"])
  }
  return totalTokens(usage) === 0 ? undefined : usage
}

const COUNTS = ["inputTokens", "outputTokens", "cacheReadInputTokens", "cacheWriteInputTokens"]

/** Of what was written to the cache, the part that stays for an hour. */
const hourly = (details: unknown): number =>
  arrayOf(details)
    .map((one) => (isObject(one) && one["ttl"] === "1h" ? countOf(one["inputTokens"]) : 0))
    .reduce((sum, count) => sum + count, 0)

export const lift = (text: string, call: UpstreamCall): Result.Result<LiftedAnswer, ProviderFailure> => {
  const answer = objectOf(parseJson(text))
  const content = objectOf(objectOf(answer?.["output"])?.["message"])?.["content"]
  if (answer === undefined || !Array.isArray(content) || !content.every(isSound)) return Result.fail(notAMessage)
  const usage = readUsage(objectOf(answer["usage"]))
  if (isMalformed(answer["stopReason"])) return Result.fail(malformed(answer["stopReason"], usage))
  const serviceTier = servedTier(answer)
  const fields = ["default", "flex", "priority"].includes(String(serviceTier)) ? { service_tier: serviceTier } : {}
  const choices = [choiceOf(content, answer["stopReason"])]
  return Result.succeed({ usage, serviceTier, body: completion(chatHead(call), choices, usage, { fields }) })
}

export const isMalformed = (stopReason: unknown): boolean =>
  stopReason === "malformed_model_output" || stopReason === "malformed_tool_use"

/** `usage`: it is billed all the same. */
export const malformed = (stopReason: unknown, usage: Usage | undefined): ProviderFailure => {
  const failure = truncated(`the model's response has an unknown stop reason (${String(stopReason)})`)
  return new ProviderFailure({ ...failure, message: failure.message, ...(usage === undefined ? {} : { usage }) })
}

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

const choiceOf = (blocks: ReadonlyArray<unknown>, stopReason: unknown): JsonObject => {
  let content = ""
  let reasoning = ""
  const thinking: Array<JsonObject> = []
  const calls: Array<JsonObject> = []
  for (const block of objectsIn(blocks)) {
    content += textOf(block["text"]) ?? citedText(block["citationsContent"])
    const { reasoningText: thought, redactedContent: redacted } = objectOf(block["reasoningContent"]) ?? {}
    if (redacted !== undefined) thinking.push(redactedBlock(redacted))
    if (isObject(thought)) {
      reasoning += textOf(thought["text"]) ?? ""
      // Unsigned thoughts can't be sent back.
      const { signature } = thought
      if (textOf(signature) !== undefined) thinking.push(thinkingBlock(thought["text"], signature))
    }
    const call = objectOf(block["toolUse"])
    if (call === undefined || isServers(call)) continue
    const called = { name: call["name"], arguments: encodeJson(call["input"] ?? {}) ?? "{}" }
    calls.push({ id: call["toolUseId"], type: "function", function: called })
  }
  const reason = finishReason(stopReason, calls.length)
  return completionChoice(0, reason, { content, reasoning, calls, lists: { thinking_blocks: thinking } })
}

export const isServers = (toolUse: JsonObject): boolean => toolUse["type"] === "server_tool_use"

/** The thoughts of a model, as they have to come back with the next turn. Bytes here, they are text for Anthropic. */
export const redactedBlock = (bytes: unknown): JsonObject => ({
  type: "redacted_thinking",
  data: Buffer.from(textOf(bytes) ?? "", "base64").toString("utf8")
})

const citedText = (citations: unknown): string =>
  objectsIn(objectOf(citations)?.["content"])
    .map(({ text }) => textOf(text) ?? "")
    .join("")

/** `serviceTier: { type }`, as the tier that decides the price. */
export const servedTier = (answer: JsonObject): string | undefined =>
  tierNamed(objectOf(answer["serviceTier"])?.["type"])
