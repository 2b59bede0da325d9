/** Responses, natively: the same language in and out. */
import { Result } from "effect"
import { truncated } from "../../../../core/domain/Failures.ts"
import { tierNamed } from "../../../../core/domain/pricing/ServiceTier.ts"
import { responseEvents } from "../../../../core/operations/responses/ResponseEvents.ts"
import type { Dialect } from "../../../../core/pool/Protocol.ts"
import { parseJson } from "../../../json/BoundedJson.ts"
import { isObject } from "../../../json/LooseJson.ts"
import { OwnIds } from "../../../responses/LiftedIds.ts"
import { errorIn, failureOfErrorBody, noObject } from "../OpenAiErrors.ts"
import { OwnOutput } from "./OpenAiResponsesOutput.ts"
import { lower } from "./OpenAiResponsesRequest.ts"
import { stream } from "./OpenAiResponsesStream.ts"
import { failedResponse, responseUsage } from "./OpenAiResponsesUsage.ts"

const lift: Dialect["lift"] = (text, call) => {
  const raw = parseJson(text)
  if (!isObject(raw)) return Result.fail(noObject(text))
  const { status } = raw
  if (status === "failed" || status === "cancelled") return Result.fail(failedResponse(raw, call))
  const error = errorIn(raw)
  if (error !== undefined) return Result.fail(failureOfErrorBody(error, raw))
  if (status === "queued" || status === "in_progress") return Result.fail(truncated("the response is not complete"))
  if (!Array.isArray(raw["output"])) return Result.fail(truncated("the response has no output"))
  const body = new OwnOutput(call, new OwnIds()).response(raw)
  return Result.succeed({ body, usage: responseUsage(raw, call), serviceTier: tierNamed(raw["service_tier"]) })
}

export const OpenAiResponses: Dialect = { lower, lift, stream, replay: responseEvents }
