/** A whole answer of Cohere as a chat completion. The plan for tool calls is what the model thought. */
import { Result } from "effect"
import type { JsonObject } from "../../../../core/domain/Json.ts"
import { type ProviderFailure, truncated } from "../../../../core/domain/Failures.ts"
import type { LiftedAnswer } from "../../../../core/operations/LiftedAnswer.ts"
import type { UpstreamCall } from "../../../../core/pool/Protocol.ts"
import { argumentsText, arrayOf, isObject, textOf } from "../../../json/LooseJson.ts"
import { stoppedWith } from "../../openai/answer/OpenAiChatFinish.ts"
import { newId, seconds } from "../../openai/answer/OpenAiChatRepair.ts"
import { answerBody } from "../../openai/OpenAiAnswerBody.ts"
import { finishReason } from "./CohereChatFinish.ts"
import { toldUsage, usageOf } from "./CohereChatUsage.ts"

export const lift = (text: string, call: UpstreamCall): Result.Result<LiftedAnswer, ProviderFailure> => {
  const read = answerBody(text)
  // An answer has a `message` too: one that is an object.
  if (Result.isFailure(read)) return Result.fail(read.failure)
  const body = read.success
  const { message } = body
  if (!isObject(message)) return Result.fail(truncated("the response has no message"))
  const made = arrayOf(message["tool_calls"])
  const calls = made.flatMap(toolCall)
  if (calls.length < made.length) return Result.fail(truncated("a tool call of the response can't be read"))
  const usage = usageOf(body["usage"])
  const finish = finishReason(body["finish_reason"], calls.length)
  if (finish === undefined) return Result.fail(stoppedWith(String(body["finish_reason"]), usage))
  const parts = arrayOf(message["content"]).filter(isObject)
  const content = parts.map((part) => textOf(part["text"]) ?? "").join("")
  const thoughts = (textOf(message["tool_plan"]) ?? "") + parts.map((part) => textOf(part["thinking"]) ?? "").join("")
  const citations = arrayOf(message["citations"])
  return Result.succeed({
    usage,
    body: {
      id: textOf(body["id"]) ?? newId(call.now),
      object: "chat.completion",
      created: seconds(call.now),
      model: call.deployment.model,
      choices: [
        {
          index: 0,
          finish_reason: finish,
          logprobs: null,
          message: {
            role: "assistant",
            content: content === "" && calls.length > 0 ? null : content,
            refusal: null,
            ...(thoughts === "" ? {} : { reasoning_content: thoughts }),
            ...(calls.length === 0 ? {} : { tool_calls: calls }),
            ...(citations.length === 0 ? {} : { citations })
          }
        }
      ],
      ...(usage === undefined ? {} : { usage: toldUsage(usage, body["usage"]) })
    }
  })
}

/** A call without arguments has `{}`. */
const toolCall = (call: unknown): ReadonlyArray<JsonObject> => {
  const called = isObject(call) ? call["function"] : undefined
  const id = isObject(call) ? textOf(call["id"]) : undefined
  const name = isObject(called) ? textOf(called["name"]) : undefined
  if (!isObject(called) || id === undefined || name === undefined) return []
  return [{ id, type: "function", function: { name, arguments: argumentsText(called["arguments"]) || "{}" } }]
}
