/** A whole answer of Cohere as a chat completion. The plan for tool calls is what the model thought. */
import { Result } from "effect"
import type { JsonObject } from "../../../../core/domain/Json.ts"
import { type ProviderFailure, truncated } from "../../../../core/domain/Failures.ts"
import { noUsage, totalTokens, type Usage } from "../../../../core/domain/Usage.ts"
import type { LiftedAnswer } from "../../../../core/operations/LiftedAnswer.ts"
import type { UpstreamCall } from "../../../../core/pool/Protocol.ts"
import { argumentsText, arrayOf, countOf, isGarbage, isObject, objectsIn, textOf } from "../../../json/LooseJson.ts"
import { finishReason as knownReason, stoppedWith } from "../../openai/answer/OpenAiChatFinish.ts"
import { newId } from "../../openai/answer/OpenAiChatRepair.ts"
import { answerBody } from "../../openai/OpenAiErrors.ts"
import { chatHead, completion, completionChoice, type FinishReason } from "../../shared/ChatCompletions.ts"

export const lift = (text: string, call: UpstreamCall): Result.Result<LiftedAnswer, ProviderFailure> =>
  Result.flatMap(answerBody(text), (body) => {
    const { message } = body
    if (!isObject(message)) return Result.fail(truncated("the response has no message"))
    const given = arrayOf(message["tool_calls"])
    const calls = given.flatMap((one) => calledIn(one) ?? [])
    if (calls.length < given.length) return Result.fail(truncated("a tool call of the response can't be read"))
    const usage = usageOf(body["usage"])
    const finish = finishReason(body["finish_reason"], calls.length)
    if (finish === undefined) return Result.fail(stoppedWith(String(body["finish_reason"]), usage))
    const parts = objectsIn(message["content"])
    const textsOf = (field: string) => parts.map((part) => textOf(part[field]) ?? "").join("")
    const choice = completionChoice(0, finish, {
      content: textsOf("text"),
      reasoning: (textOf(message["tool_plan"]) ?? "") + textsOf("thinking"),
      calls: calls.map(({ id, input, name }) => ({
        id,
        type: "function",
        function: { name, arguments: argumentsText(input) || "{}" }
      })),
      lists: { citations: arrayOf(message["citations"]) }
    })
    const head = chatHead(call, textOf(body["id"]) ?? newId(call.now))
    return Result.succeed({ usage, body: completion(head, [choice], usage, { usage: ownCounts(body["usage"]) }) })
  })

interface CohereCall {
  readonly id: string
  readonly name: string
  readonly input: unknown
}

/** A tool call that can be passed on. */
export const calledIn = (call: unknown): CohereCall | undefined => {
  const called = isObject(call) ? call["function"] : undefined
  const id = isObject(call) ? textOf(call["id"]) : undefined
  const name = isObject(called) ? textOf(called["name"]) : undefined
  if (!isObject(called) || id === undefined || name === undefined) return undefined
  return { id, name, input: called["arguments"] }
}

/** Undefined where the reason says that the provider failed: `ERROR`, `TIMEOUT`. */
export const finishReason = (reason: unknown, calls: number): FinishReason | undefined => {
  if (reason === "TIMEOUT") return undefined
  const known = knownReason(typeof reason === "string" ? reason : "", calls > 0)
  return known === "function_call" ? "tool_calls" : known
}

/**
 * What an answer is billed for: `billed_units`. `tokens` counts also what Cohere adds and the model writes unseen, which "you are not charged
 * for" (https://docs.cohere.com/v2/docs/how-does-cohere-pricing-work.md, read 2026-11-22; recorded: 119 billed of 1,549). Undefined where
 * neither is reported, or one of the two numbers is none.
 */
export const usageOf = (raw: unknown): Usage | undefined => {
  if (!isObject(raw)) return undefined
  const counts = isObject(raw["billed_units"]) ? raw["billed_units"] : raw["tokens"]
  if (!isObject(counts) || isGarbage(counts["input_tokens"]) || isGarbage(counts["output_tokens"])) return undefined
  const usage = { ...noUsage, input: countOf(counts["input_tokens"]), output: countOf(counts["output_tokens"]) }
  return totalTokens(usage) === 0 ? undefined : usage
}

/** Cohere's own counts, which are not what is billed. */
export const ownCounts = (raw: unknown): JsonObject => {
  if (!isObject(raw)) return {}
  const { cached_tokens: cached, tokens } = raw
  return {
    ...(isObject(tokens) ? { tokens } : {}),
    ...(typeof cached === "number" ? { cached_tokens: cached } : {})
  }
}
