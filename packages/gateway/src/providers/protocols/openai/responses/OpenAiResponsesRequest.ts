/** A request as `POST /responses`: the caller's body. The provider stores nothing, and gets no id that only the gateway knows. */
import { Result } from "effect"
import { Unsupported } from "../../../../core/domain/Failures.ts"
import type { UpstreamCall, WireRequest } from "../../../../core/pool/Protocol.ts"
import { removeMarks } from "../../shared/CacheMarks.ts"
import { isObject, type JsonObject } from "../../../json/LooseJson.ts"
import { forwarded, jsonRequest } from "../OpenAiForwarded.ts"
import { limitPrice, completeTools, withItemIds } from "../request/OpenAiChatRequest.ts"
import { adapted } from "../request/OpenAiChatVendorParameters.ts"
import { isOwnId } from "../../../../core/operations/responses/OwnIds.ts"
import { THOUGHTS, unseal } from "../../../responses/Sealed.ts"

/** Fields that the gateway itself acts on. */
const OWN_FIELDS = ["previous_response_id", "conversation", "background"]

const ENCRYPTED = "reasoning.encrypted_content"
const LIMIT = "max_output_tokens"
const CANT_REASON = "this model does not reason: leave `reasoning` out, or choose another model"

export const lower = (call: UpstreamCall): Result.Result<WireRequest, Unsupported> => {
  const { deployment, request } = call
  const { body, splice } = forwarded(call)
  body["store"] = false
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
  limitPrice(body, call)
  if (request.stream) body["stream"] = true
  else delete body["stream_options"]
  const all = [...dropped, ...loosened.success, ...lost.success, ...items.success.dropped, ...raised]
  return Result.succeed(jsonRequest("/responses", body, { splice, streams: request.stream, dropped: all }))
}

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

/** `whole`: the input with its long strings in it. */
const ownItems = (
  input: unknown,
  whole: unknown,
  { deployment, strict }: UpstreamCall
): Result.Result<{ readonly input: unknown; readonly dropped: ReadonlyArray<string> }, Unsupported> => {
  if (!Array.isArray(input) || !Array.isArray(whole)) return Result.succeed({ input, dropped: [] })
  const items: Array<unknown> = []
  const dropped = new Set<string>()
  for (const [index, item] of input.entries()) {
    if (!isObject(item)) items.push(item)
    else if (item["type"] === "item_reference") return Result.fail(unresolved(index))
    else {
      const own = ownItem(item, whole[index], deployment.provider)
      if (own !== undefined) {
        items.push(own)
        continue
      }
      const isThought = item["type"] === "reasoning"
      if (strict || !isThought) return Result.fail(unreadable(index))
      dropped.add(THOUGHTS)
    }
  }
  return Result.succeed({ input: items, dropped: [...dropped] })
}

/** Undefined for what this provider can't read. */
const ownItem = (item: JsonObject, whole: unknown, provider: string): JsonObject | undefined => {
  const blob = isObject(whole) ? whole["encrypted_content"] : undefined
  const sealed = unseal(blob)
  if (sealed !== undefined) {
    if (sealed.provider !== provider) return undefined
    const { encrypted_content: _, id: __, ...rest } = item
    return {
      ...rest,
      ...(sealed.id === "" ? undefined : { id: sealed.id }),
      ...(sealed.content === "" ? undefined : { encrypted_content: sealed.content })
    }
  }
  if (!isOwnId(item["id"])) return item
  // It was kept by nobody, so its id says nothing; without one the item stands for itself.
  if (item["type"] === "reasoning" && (typeof blob !== "string" || blob === "")) return undefined
  if (!MAY_LACK_ID.has(String(item["type"] ?? "message"))) return item
  const { id: _, ...rest } = item
  return rest
}

const MAY_LACK_ID = new Set(
  `message reasoning function_call function_call_output custom_tool_call custom_tool_call_output`.split(" ")
)

const unresolved = (index: number): Unsupported =>
  new Unsupported({
    param: `input[${index}].id`,
    message: "this `item_reference` names no item that the gateway has kept: send the item itself"
  })

const unreadable = (index: number): Unsupported =>
  new Unsupported({
    param: `input[${index}].encrypted_content`,
    message:
      "only the provider that wrote this item can read it, and the request goes to another one: leave the item out"
  })
