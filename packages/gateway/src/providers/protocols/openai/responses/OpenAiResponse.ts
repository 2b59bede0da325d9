/** A whole response. */
import { Result } from "effect"
import { type ProviderFailure, truncated } from "../../../../core/domain/Failures.ts"
import { tierNamed } from "../../../../core/domain/pricing/ServiceTier.ts"
import type { JsonObject } from "../../../../core/domain/Json.ts"
import type { LiftedAnswer } from "../../../../core/operations/LiftedAnswer.ts"
import type { UpstreamCall } from "../../../../core/pool/Protocol.ts"
import { OwnIds } from "../../../responses/LiftedIds.ts"
import { noObject } from "../OpenAiAnswerBody.ts"
import { errorIn, failureOfErrorBody } from "../OpenAiErrors.ts"
import { parseJson } from "../../../json/BoundedJson.ts"
import { isObject } from "../../../json/LooseJson.ts"
import { OwnOutput } from "./OpenAiResponsesOutput.ts"
import { failedResponse } from "./OpenAiResponsesFailed.ts"
import { responseUsage } from "./OpenAiResponsesUsage.ts"

export const lift = (text: string, call: UpstreamCall): Result.Result<LiftedAnswer, ProviderFailure> => {
  const body = parseJson(text)
  if (!isObject(body)) return Result.fail(noObject(text))
  if (body["status"] === "failed" || body["status"] === "cancelled") return Result.fail(failedResponse(body, call))
  const error = errorIn(body)
  if (error !== undefined) return Result.fail(failureOfErrorBody(error, body))
  if (body["status"] === "queued" || body["status"] === "in_progress") {
    return Result.fail(truncated("the response is not complete"))
  }
  if (!Array.isArray(body["output"])) return Result.fail(truncated("the response has no output"))
  return Result.succeed(lifted(new OwnOutput(call, new OwnIds()).response(body), body, call))
}

/** `told`: as the provider wrote it. */
const lifted = (body: JsonObject, told: JsonObject, call: UpstreamCall): LiftedAnswer => ({
  body,
  usage: responseUsage(told, call),
  serviceTier: tierNamed(told["service_tier"])
})
