/** A whole answer of `POST /api/chat` as a chat completion. */
import { Result } from "effect"
import type { JsonObject } from "../../../../core/domain/Json.ts"
import { type ProviderFailure, truncated } from "../../../../core/domain/Failures.ts"
import type { LiftedAnswer } from "../../../../core/operations/LiftedAnswer.ts"
import type { UpstreamCall } from "../../../../core/pool/Protocol.ts"
import { wireUsage } from "../../shared/ChatUsage.ts"
import { isObject, textOf } from "../../../json/LooseJson.ts"
import { newId, seconds } from "../../openai/answer/OpenAiChatRepair.ts"
import { answerBody } from "../../openai/OpenAiAnswerBody.ts"
import { type OllamaCall, finishIn, saidIn, usageIn } from "./OllamaChatRead.ts"

export const lift = (text: string, call: UpstreamCall): Result.Result<LiftedAnswer, ProviderFailure> => {
  const read = answerBody(text)
  if (Result.isFailure(read)) return Result.fail(read.failure)
  const body = read.success
  const { message } = body
  if (!isObject(message) || body["done"] !== true)
    return Result.fail(truncated("the response has no message, or no end"))
  const { calls, text: content, thoughts } = saidIn(message)
  if (calls === undefined) return Result.fail(truncated("a tool call of the response can't be read"))
  const finish = finishIn(body, calls.length)
  if (finish === undefined) return Result.fail(truncated("the provider loaded the model, and said nothing"))
  const usage = usageIn(body)
  const id = newId(call.now)
  return Result.succeed({
    usage,
    body: {
      id,
      object: "chat.completion",
      created: seconds(call.now),
      model: textOf(body["model"]) ?? call.deployment.model,
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
            ...(calls.length === 0 ? {} : { tool_calls: calls.map((called, index) => toolCall(called, id, index)) })
          }
        }
      ],
      ...(usage === undefined ? {} : { usage: wireUsage(usage) })
    }
  })
}

/** Most versions give calls no ids. */
export const callId = ({ id }: OllamaCall, answer: string, index: number): string => id ?? `call_${answer}_${index}`

const toolCall = (called: OllamaCall, answer: string, index: number): JsonObject => ({
  id: callId(called, answer, index),
  type: "function",
  function: { name: called.name, arguments: called.input }
})
