/**
 * A chat request as `POST /chat/completions`. The caller speaks the same language, so the body passes through; what differs between
 * vendors is small and made good here.
 */
import { Result } from "effect"
import type { JsonObject } from "../../../../core/domain/Json.ts"
import type { Quirks } from "../../../../core/domain/Deployment.ts"
import { Unsupported } from "../../../../core/domain/Failures.ts"
import type { UpstreamCall, WireRequest } from "../../../../core/pool/Protocol.ts"
import { removeMarks } from "../../shared/CacheMarks.ts"
import { forwarded, jsonRequest } from "../OpenAiForwarded.ts"
import { isObject, objectOr } from "../../../json/LooseJson.ts"
import { limitPrice } from "./OpenAiChatMaxPrice.ts"
import { completeTools } from "./OpenAiChatToolSchemas.ts"
import { needsThoughts, withThoughts } from "./OpenAiChatThoughts.ts"
import { adapted } from "./OpenAiChatVendorParameters.ts"
import { withCallIds } from "./OpenAiCallIds.ts"

/** A wish, not a need: a model without reasoning can answer, but refuses a request that has the field. */
const EFFORT = "reasoning_effort"
const NO_EFFORT = "none"
const CANT_REASON = "this model does not reason: leave `reasoning_effort` out, or choose another model"
const NO_QUIRKS: Quirks = {}

export const lower = (call: UpstreamCall): Result.Result<WireRequest, Unsupported> => {
  const { deployment, request } = call
  const { body, splice } = forwarded(call)
  const effort = body[EFFORT]
  const isTooMuch = effort !== undefined && !deployment.supports.has("reasoning")
  if (isTooMuch) {
    delete body[EFFORT]
    if (call.strict && effort !== NO_EFFORT)
      return Result.fail(new Unsupported({ message: CANT_REASON, param: EFFORT }))
  }
  if (call.serviceTier !== undefined) body["service_tier"] = call.serviceTier
  limitOutput(body, call)
  if (needsThoughts(deployment)) body["messages"] = withThoughts(body["messages"], deployment)
  body["messages"] = withCallIds(body["messages"], deployment)
  const loosened = completeTools(body, call)
  if (Result.isFailure(loosened)) return Result.fail(loosened.failure)
  const { quirks = NO_QUIRKS } = deployment
  limitPrice(body, call)
  const lost = adapted(body, call, quirks)
  if (Result.isFailure(lost)) return Result.fail(lost.failure)
  if (request.stream) {
    body["stream"] = true
    if (quirks.tellsNoStreamUsage === true) delete body["stream_options"]
    else body["stream_options"] = { ...objectOr(body["stream_options"]), include_usage: true }
  } else if (body["stream_options"] !== undefined) delete body["stream_options"]
  if (quirks.cacheMarks === "refused") removeMarks(body, "messages", "tools")
  if (quirks.takesDevelopers !== true) body["messages"] = withoutDevelopers(body["messages"])
  const dropped = [...(isTooMuch && effort !== NO_EFFORT ? [EFFORT] : []), ...loosened.success, ...lost.success]
  return Result.succeed(jsonRequest("/chat/completions", body, { splice, streams: request.stream, dropped }))
}

/** One output limit, under the name that this model accepts: both names together are refused. */
const limitOutput = (body: Record<string, unknown>, call: UpstreamCall): void => {
  const limit = call.maxOutput ?? body["max_completion_tokens"] ?? body["max_tokens"]
  if (limit === undefined) return
  const name = outputLimitName(body, call)
  const other = name === "max_tokens" ? "max_completion_tokens" : "max_tokens"
  // A body whose fields were deleted takes longer to encode.
  if (body[other] !== undefined) delete body[other]
  body[name] = limit
}

const outputLimitName = (body: JsonObject, { deployment }: UpstreamCall): "max_tokens" | "max_completion_tokens" => {
  const { outputLimit = "max_tokens" } = deployment.quirks ?? {}
  if (outputLimit !== "either") return outputLimit
  return body["max_completion_tokens"] === undefined && body["max_tokens"] !== undefined
    ? "max_tokens"
    : "max_completion_tokens"
}

const isDeveloper = (message: unknown): message is JsonObject => isObject(message) && message["role"] === "developer"

/** `developer` is OpenAI's own name for `system`. */
const withoutDevelopers = (messages: unknown): unknown =>
  Array.isArray(messages) && messages.some(isDeveloper)
    ? messages.map((message) => (isDeveloper(message) ? { ...message, role: "system" } : message))
    : messages
