/** The legacy completions of OpenAI and of servers that speak like it. */
import { Result } from "effect"
import { type ProviderFailure, truncated, type Unsupported } from "../../../../core/domain/Failures.ts"
import type { JsonObject } from "../../../../core/domain/Json.ts"
import type { LiftedAnswer, StreamEvent } from "../../../../core/operations/LiftedAnswer.ts"
import type { Dialect, UpstreamCall, WireRequest } from "../../../../core/pool/Protocol.ts"
import { isNative } from "../answer/OpenAiChatResponse.ts"
import { stoppedWith } from "../answer/OpenAiChatFinish.ts"
import { canonicalUsage, usageOf } from "../answer/OpenAiChatUsage.ts"
import { answerBody } from "../OpenAiAnswerBody.ts"
import { forwarded } from "../OpenAiForwarded.ts"
import { limitPrice } from "../request/OpenAiChatMaxPrice.ts"
import { objectOr, objectsIn } from "../../../json/LooseJson.ts"
import { failedIn, repairedChoices, repairedHead } from "./OpenAiCompletionsRepair.ts"
import { stream } from "./OpenAiCompletionsStream.ts"

const lower = (call: UpstreamCall): Result.Result<WireRequest, Unsupported> => {
  const { maxOutput, request } = call
  const { body, splice } = forwarded(call)
  // Servers differ in what they write where no limit is named. The limit that was counted on is always sent.
  if (maxOutput !== undefined) body["max_tokens"] = maxOutput
  if (call.deployment.quirks?.takesMaxPrice === true && call.hasBudget === true) limitPrice(body, call)
  if (request.stream) body["stream_options"] = { ...objectOr(body["stream_options"]), include_usage: true }
  else delete body["stream_options"]
  return Result.succeed({
    path: "/completions",
    headers: { accept: request.stream ? "text/event-stream" : "application/json" },
    body: JSON.stringify(body),
    splice,
    dropped: []
  })
}

const lift = (text: string, call: UpstreamCall): Result.Result<LiftedAnswer, ProviderFailure> => {
  const read = answerBody(text)
  if (Result.isFailure(read)) return Result.fail(read.failure)
  const body = read.success
  const choices = objectsIn(body["choices"])
  if (choices.length === 0 || !choices.every(({ text: one }) => typeof one === "string")) {
    return Result.fail(truncated("the response has no text"))
  }
  const usage = usageOf(body["usage"])
  const failed = failedIn(choices)
  if (failed !== undefined) return Result.fail(stoppedWith(failed, usage))
  if (isNative(call)) return Result.succeed({ body, text, usage })
  const { usage: told, ...rest } = body
  const repaired = { ...rest, ...repairedHead(rest, call), choices: repairedChoices(choices, "stop") }
  return Result.succeed({
    body: usage === undefined ? repaired : { ...repaired, usage: canonicalUsage(objectOr(told), usage) },
    usage
  })
}

/** A whole answer to a stream request: the text of each choice and its end, the usage, the end mark. */
const replay = ({ body, usage }: LiftedAnswer, call: UpstreamCall): ReadonlyArray<StreamEvent> => {
  const { choices, usage: told, ...head } = body
  const silent = call.request.includeUsage ? { usage: null } : {}
  const data = (choice: JsonObject) => JSON.stringify({ ...head, choices: [choice], ...silent })
  const events = objectsIn(choices).flatMap((choice): ReadonlyArray<StreamEvent> => [
    { kind: "content", data: data({ ...choice, finish_reason: null }) },
    { kind: "finish", data: data({ ...choice, text: "", logprobs: null }) }
  ])
  const last: ReadonlyArray<StreamEvent> =
    usage === undefined ? [] : [{ kind: "usage", usage, data: JSON.stringify({ ...head, choices: [], usage: told }) }]
  return [...events, ...last, { kind: "done" }]
}

export const OpenAiCompletions: Dialect = { lower, lift, stream, replay, idPrefix: "cmpl-" }
