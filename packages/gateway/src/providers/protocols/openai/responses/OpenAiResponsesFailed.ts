import { ProviderFailure } from "../../../../core/domain/Failures.ts"
import type { JsonObject } from "../../../../core/domain/Json.ts"
import type { UpstreamCall } from "../../../../core/pool/Protocol.ts"
import { failureOfErrorObject } from "../OpenAiErrors.ts"
import { responseUsage } from "./OpenAiResponsesUsage.ts"

/** Codes that say what is wrong with the request. The others are the provider's own trouble. */
const OF_REQUEST = /^(?:invalid_|empty_image|image_|unsupported_image|failed_to_download|bio_policy)/

/** The failure in a response with `status: "failed"`. What it used all the same is billed. */
export const failedResponse = (response: JsonObject, call: UpstreamCall): ProviderFailure => {
  const error = response["error"] as JsonObject | null | undefined
  const isOfRequest = typeof error?.["code"] === "string" && OF_REQUEST.test(error["code"])
  const failure = failureOfErrorObject(error, isOfRequest ? "bad_request" : "unavailable")
  const usage = responseUsage(response, call)
  return usage === undefined ? failure : new ProviderFailure({ ...failure, message: failure.message, usage })
}
