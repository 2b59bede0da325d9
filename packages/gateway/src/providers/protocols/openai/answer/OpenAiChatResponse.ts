import { Result } from "effect"
import { type ProviderFailure, truncated } from "../../../../core/domain/Failures.ts"
import { tierNamed } from "../../../../core/domain/pricing/ServiceTier.ts"
import type { UpstreamCall, LiftedAnswer } from "../../../../core/pool/Protocol.ts"
import { answerBody } from "../OpenAiErrors.ts"
import { isKnownEnd, stoppedWith } from "./OpenAiChatFinish.ts"
import { isObject, objectOr, objectsIn, type JsonObject } from "../../../json/LooseJson.ts"
import { hasFailed, isAnswer, needsNoRepair, repairedCompletion } from "./OpenAiChatRepair.ts"
import { canonicalUsage, usageOf } from "./OpenAiChatUsage.ts"

export const isNative = (call: UpstreamCall): boolean => call.deployment.quirks?.isNative === true

export const lift = (text: string, call: UpstreamCall): Result.Result<LiftedAnswer, ProviderFailure> =>
  Result.flatMap(answerBody(text), (body) => liftBody(text, body, call))

const liftBody = (text: string, body: JsonObject, call: UpstreamCall): Result.Result<LiftedAnswer, ProviderFailure> => {
  const choices = objectsIn(body["choices"])
  if (choices.length === 0 || !choices.every(isAnswer)) return Result.fail(truncated("the response has no message"))
  const told = isObject(body["usage"]) ? body["usage"] : objectOr(body["x_groq"])["usage"]
  const usage = usageOf(told)
  const failed = choices.find(hasFailed)
  if (failed !== undefined) return Result.fail(stoppedWith(String(failed["finish_reason"]), usage))
  const serviceTier = tierNamed(body["service_tier"])
  const isOwn = isNative(call) && choices.every(({ message }) => isObject(message))
  if (isOwn || (usage !== undefined && needsNoRepair(body, usage)))
    return Result.succeed({ body, text, usage, serviceTier })
  const { usage: _, ...rest } = repairedCompletion(body, call.now)
  return Result.succeed({
    body: usage === undefined ? rest : { ...rest, usage: canonicalUsage(objectOr(told), usage) },
    usage,
    serviceTier,
    ...(choices.every(isKnownEnd) ? {} : { isEndGuessed: true })
  })
}
