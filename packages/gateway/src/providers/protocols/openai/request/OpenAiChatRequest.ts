/** A chat request as `POST /chat/completions`. The caller's body passes through; what differs between vendors is made good here. */
import { Result } from "effect"
import type { Deployment, Quirks } from "../../../../core/domain/Deployment.ts"
import { Unsupported } from "../../../../core/domain/Failures.ts"
import type { UpstreamCall, WireRequest } from "../../../../core/pool/Protocol.ts"
import { isObject, objectOr, objectsIn, textOf, type JsonObject } from "../../../json/LooseJson.ts"
import { removeMarks } from "../../shared/CacheMarks.ts"
import { idsUpTo, namedIds, ToolIds } from "../../shared/ToolIds.ts"
import { topLevelObject } from "../../shared/TopLevelObject.ts"
import { forwarded, jsonRequest } from "../OpenAiForwarded.ts"
import { needsThoughts, withThoughts } from "./OpenAiChatThoughts.ts"
import { adapted } from "./OpenAiChatVendorParameters.ts"

// OpenAI's API refuses schemas of tools without `properties`; OpenAI itself and Azure also those whose top is no object.
/** Named as dropped where a schema says less than the caller's. */
const LOOSENED = "tools.parameters"
const NO_OBJECT =
  "OpenAI takes schemas of tools that are an object at the top, without anyOf, oneOf, allOf, enum, not or $ref: write one, or choose another model"

/** Gives `body` tools with whole schemas. Returns what was weakened for that. */
export const completeTools = (
  body: Record<string, unknown>,
  { deployment, strict }: Pick<UpstreamCall, "deployment" | "strict">
): Result.Result<ReadonlyArray<string>, Unsupported> => {
  const { tools } = body
  if (!Array.isArray(tools)) return Result.succeed([])
  const takesObjects = deployment.quirks?.topLevelObjects === true
  let isLoosened = false
  const fitted = (schema: JsonObject): JsonObject => {
    const object = takesObjects ? topLevelObject(schema) : schema
    isLoosened ||= object !== schema
    return objectSchema(object)
  }
  const whole = withSchemas(tools, fitted)
  if (isLoosened && strict) return Result.fail(new Unsupported({ message: NO_OBJECT, param: LOOSENED }))
  if (whole !== tools) body["tools"] = whole
  return Result.succeed(isLoosened ? [LOOSENED] : [])
}

type Fit = (schema: JsonObject) => JsonObject

const withSchemas = (tools: ReadonlyArray<unknown>, fit: Fit): ReadonlyArray<unknown> => {
  const all = tools.map((tool) => withSchema(tool, fit))
  return all.some((tool, index) => tool !== tools[index]) ? all : tools
}

const withSchema = (tool: unknown, fit: Fit): unknown => {
  if (!isObject(tool)) return tool
  if (isObject(tool["function"])) return changed(tool, "function", declared(tool["function"], fit))
  // A namespace of Responses holds tools.
  if (Array.isArray(tool["tools"])) return changed(tool, "tools", withSchemas(tool["tools"], fit))
  return tool["type"] === "function" ? declared(tool, fit) : tool
}

const declared = (tool: JsonObject, fit: Fit): JsonObject =>
  isObject(tool["parameters"]) ? changed(tool, "parameters", fit(tool["parameters"])) : tool

const changed = (item: JsonObject, name: string, value: unknown): JsonObject =>
  item[name] === value ? item : { ...item, [name]: value }

const objectSchema = (schema: JsonObject): JsonObject => {
  const { properties, type } = schema
  const isBare = type === undefined && !COMBINED.some((name) => schema[name] !== undefined)
  if (type !== "object" && !isBare) return schema
  if (type === "object" && isObject(properties)) return schema
  return { ...schema, type: "object", properties: properties ?? {} }
}

/** What says by itself which values fit. */
const COMBINED = ["anyOf", "oneOf", "allOf", "$ref", "enum", "const", "not"]

// OpenRouter sends a model to servers of several prices. `provider.max_price` (USD per million tokens) leaves out those that cost more than
// the caller's budget was checked against: https://openrouter.ai/docs/client-sdks/typescript/models/maxprice.md (2026-11-22).

/**
 * Models that can't read PDFs get their text, by default from a service that is billed by the page. This one is free:
 * https://openrouter.ai/docs/projects/docs/guides/overview/multimodal/pdfs (2026-11-22).
 */
const FREE_PARSER = [{ id: "file-parser", pdf: { engine: "cloudflare-ai" } }]

/** Pico-USD per token are micro-USD per million tokens. */
const PICO_PER_MILLION = 1_000_000

/** A caller's own limit stands where it is lower. */
export const limitPrice = (body: Record<string, unknown>, call: UpstreamCall): void => {
  const { deployment, now, request } = call
  if (deployment.quirks?.takesMaxPrice !== true || call.hasBudget !== true) return
  if (body["plugins"] === undefined && request.media.some(({ kind }) => kind === "file")) body["plugins"] = FREE_PARSER
  const rates = deployment.price?.ratesAt(now)
  if (rates === undefined) return
  const provider = objectOr(body["provider"])
  const limits: Record<string, unknown> = isObject(provider["max_price"]) ? { ...provider["max_price"] } : {}
  for (const [theirs, name] of [["prompt", "input"] as const, ["completion", "output"] as const]) {
    // Of a price by tiers the highest may hold: the tokens decide which.
    const most = Math.max(rates.base[name], ...rates.tiers.map((tier) => tier.rates[name])) / PICO_PER_MILLION
    if (Number.isFinite(most)) limits[theirs] = least(limits[theirs], most)
  }
  body["provider"] = { ...provider, max_price: limits }
}

const least = (own: unknown, most: number): number => {
  const given = typeof own === "string" && own.trim() !== "" ? Number(own) : own
  return typeof given === "number" && given >= 0 && given < most ? given : most
}

// Kimi's models stop acting where the calls of a history have other ids than `functions.NAME:N`
// (https://github.com/MoonshotAI/Kimi-K2/blob/main/docs/tool_call_guidance.md, https://github.com/getkimchi/kimchi/issues/1063, 2026-11-27).
// OpenAI takes at most 40 characters in chat and 64 at Responses.

const LONGEST_IN_CHAT = 40
const LONGEST_IN_RESPONSES = 64

/** `messages` itself where every id is taken as it is. */
const withCallIds = (messages: unknown, { facts, quirks }: Pick<Deployment, "facts" | "quirks">): unknown => {
  const isNamed = facts?.protocol?.["toolIds"] === "named"
  const form = isNamed ? namedIds : quirks?.isNative === true ? idsUpTo(LONGEST_IN_CHAT) : undefined
  if (form === undefined || !Array.isArray(messages)) return messages
  if (!messages.some((message) => callsOf(message).some(({ id }) => !form.isValid(String(id))))) return messages
  // Later ids must not change what earlier ones become.
  const ids = new ToolIds(form, [])
  return messages.map((message: unknown) => {
    if (!isObject(message)) return message
    const answered = textOf(message["tool_call_id"])
    if (answered !== undefined) return { ...message, tool_call_id: ids.answered(answered) }
    const calls = callsOf(message)
    if (calls.length === 0) return message
    const named = calls.map((call) => {
      const { name } = objectOr(call["function"] ?? call["custom"])
      return { ...call, id: ids.open(String(call["id"] ?? ""), textOf(name)) }
    })
    return { ...message, tool_calls: named }
  })
}

const callsOf = (message: unknown): ReadonlyArray<JsonObject> =>
  isObject(message) ? objectsIn(message["tool_calls"]) : []

export const withItemIds = (input: unknown, { quirks }: Pick<Deployment, "quirks">): unknown => {
  const form = idsUpTo(LONGEST_IN_RESPONSES)
  const isLong = (item: unknown): boolean => isObject(item) && !form.isValid(textOf(item["call_id"]) ?? "")
  if (quirks?.isNative !== true || !Array.isArray(input) || !input.some(isLong)) return input
  const ids = new ToolIds(form, [])
  return input.map((item: unknown) => {
    const id = isObject(item) ? textOf(item["call_id"]) : undefined
    if (!isObject(item) || id === undefined) return item
    return { ...item, call_id: String(item["type"]).endsWith("_output") ? ids.answered(id) : ids.open(id) }
  })
}

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
