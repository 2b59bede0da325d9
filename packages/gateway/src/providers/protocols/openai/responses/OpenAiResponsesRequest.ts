/**
 * A request as `POST /responses`. The caller speaks the same language, so the body passes through. The gateway keeps responses itself,
 * so the provider is told not to, and is never sent an id that only the gateway knows.
 */
import { Result } from "effect"
import type { JsonObject } from "../../../../core/domain/Json.ts"
import { Unsupported } from "../../../../core/domain/Failures.ts"
import type { UpstreamCall, WireRequest } from "../../../../core/pool/Protocol.ts"
import { removeMarks } from "../../shared/CacheMarks.ts"
import { isObject } from "../../../json/LooseJson.ts"
import { limitPrice } from "../request/OpenAiChatMaxPrice.ts"
import { completeTools } from "../request/OpenAiChatToolSchemas.ts"
import { adapted } from "../request/OpenAiChatVendorParameters.ts"
import { ownItems } from "./OpenAiResponsesItems.ts"
import { withItemIds } from "../request/OpenAiCallIds.ts"

/** The gateway's own business, and fields by which a body could choose its destination. */
const OWN_FIELDS = ["base_url", "api_base", "api_key", "previous_response_id", "conversation", "background"]

const ENCRYPTED = "reasoning.encrypted_content"
const LIMIT = "max_output_tokens"
const CANT_REASON = "this model does not reason: leave `reasoning` out, or choose another model"

export const lower = (call: UpstreamCall): Result.Result<WireRequest, Unsupported> => {
  const { deployment, request } = call
  const long = request.long?.whole === request.body ? request.long : undefined
  const body: Record<string, unknown> = { ...(long ?? request).body, model: deployment.model, store: false }
  for (const field of Object.keys(body)) if (body[field] === null || body[field] === "") delete body[field]
  for (const field of OWN_FIELDS) delete body[field]
  const dropped: Array<string> = []
  const canReason = deployment.supports.has("reasoning")
  if (!canReason && isObject(body["reasoning"])) {
    const effort = body["reasoning"]["effort"]
    const isAsked = effort !== undefined && effort !== null && effort !== "none"
    if (isAsked && call.strict) return Result.fail(new Unsupported({ message: CANT_REASON, param: "reasoning.effort" }))
    if (isAsked) dropped.push("reasoning.effort")
    delete body["reasoning"]
  }
  // Nothing is kept there, so a model can only go on with its thoughts if they are sent along.
  const included = Array.isArray(body["include"]) ? body["include"] : []
  if (!canReason && included.includes(ENCRYPTED)) body["include"] = included.filter((one) => one !== ENCRYPTED)
  else if (canReason && deployment.quirks?.isNative === true && !included.includes(ENCRYPTED)) {
    body["include"] = [...included, ENCRYPTED]
  }
  const items = ownItems(body["input"], request.body["input"], call)
  if (Result.isFailure(items)) return Result.fail(items.failure)
  body["input"] = withItemIds(items.success.input, deployment)
  const loosened = completeTools(body, call)
  if (Result.isFailure(loosened)) return Result.fail(loosened.failure)
  // Its names for parameters are those of its chat.
  const { renames: _, ...quirks } = deployment.quirks ?? {}
  const lost = adapted(body, call, quirks)
  if (Result.isFailure(lost)) return Result.fail(lost.failure)
  if (deployment.quirks?.cacheMarks === "refused") removeMarks(body, "input", "tools")
  if (call.serviceTier !== undefined) body["service_tier"] = call.serviceTier
  if (call.maxOutput !== undefined) body["max_output_tokens"] = call.maxOutput
  const raised = raiseOutput(body, deployment.quirks?.leastOutput, call.strict)
  if (raised instanceof Unsupported) return Result.fail(raised)
  if (deployment.quirks?.takesMaxPrice === true && call.hasBudget === true) limitPrice(body, call)
  if (request.stream) body["stream"] = true
  else delete body["stream_options"]
  return Result.succeed({
    path: "/responses",
    headers: { "content-type": "application/json", accept: request.stream ? "text/event-stream" : "application/json" },
    body: JSON.stringify(withoutUndefined(body)),
    ...(long === undefined ? undefined : { splice: (json: string) => long.splice(json) }),
    dropped: [...dropped, ...loosened.success, ...lost.success, ...items.success.dropped, ...raised]
  })
}

/** A limit below the least that the provider takes becomes that one. */
const raiseOutput = (
  body: Record<string, unknown>,
  least: number | undefined,
  strict: boolean
): ReadonlyArray<string> | Unsupported => {
  const limit = body[LIMIT]
  if (least === undefined || typeof limit !== "number" || limit >= least) return []
  if (strict) {
    const message = `the provider takes \`${LIMIT}\` from ${least} on, and got ${limit}: raise it, or choose another model`
    return new Unsupported({ message, param: LIMIT })
  }
  body[LIMIT] = least
  return [LIMIT]
}

const withoutUndefined = (body: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined))
