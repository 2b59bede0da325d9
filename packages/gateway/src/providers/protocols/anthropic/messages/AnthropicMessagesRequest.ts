/** A request for Anthropic's own API, which goes on as it came, or as a model needs it that the gateway has chosen. */
import { Result } from "effect"
import type { Unsupported } from "../../../../core/domain/Failures.ts"
import type { JsonObject } from "../../../../core/domain/Json.ts"
import { STANDARD } from "../../../../core/domain/pricing/ServiceTier.ts"
import type { UpstreamCall, WireRequest } from "../../../../core/pool/Protocol.ts"
import { Losses } from "../../shared/Losses.ts"
import { arrayOf, isObject } from "../../../json/LooseJson.ts"
import { hosted } from "../AnthropicHost.ts"
import { fitted, fittedTo } from "./AnthropicMessagesFitted.ts"
import { hostBetas, withHostParts } from "./AnthropicMessagesHostParts.ts"
import { withoutForeignThoughts } from "./AnthropicMessagesForeignThoughts.ts"
import type { Deployment } from "../../../../core/domain/Deployment.ts"
import { hostedText } from "../../../bridges/messages/MessagesToChatHostedTools.ts"
import { removeMarks } from "../../shared/CacheMarks.ts"

const VERSION = "2023-06-01"

export const lower = (call: UpstreamCall): Result.Result<WireRequest, Unsupported> =>
  isCompatible(call.deployment)
    ? compatibleRequest(call)
    : wireRequest(call, "/messages", { ...tierOf(call), ...limitOf(call) })

const compatibleRequest = (call: UpstreamCall): Result.Result<WireRequest, Unsupported> => {
  const losses = new Losses(call.strict)
  const body = compatible(call, losses)
  if (losses.problem !== undefined) return Result.fail(losses.problem)
  const text = JSON.stringify({ ...body, model: call.deployment.model })
  return Result.succeed({ path: "/messages", headers: headersOf(call, undefined), body: text, dropped: losses.dropped })
}

export const wireRequest = (
  call: UpstreamCall,
  path: string,
  fields: JsonObject
): Result.Result<WireRequest, Unsupported> => {
  const { deployment, forward, request } = call
  const long = request.long?.whole === request.body ? request.long : undefined
  const losses = new Losses(call.strict)
  const betas = hostBetas([forward?.["anthropic-beta"], ...arrayOf(request.body["anthropic_beta"])], deployment, losses)
  const body = withHostParts(fitted((long ?? request).body, call, losses), deployment, betas, losses)
  if (losses.problem !== undefined) return Result.fail(losses.problem)
  const messages = withoutForeignThoughts(body["messages"])
  const whole = {
    ...body,
    ...(messages === body["messages"] ? undefined : { messages }),
    model: deployment.model,
    ...fields
  }
  const to = hosted(call, path, whole)
  return Result.succeed({
    path: to.path,
    headers: headersOf(call, betas),
    body: JSON.stringify(to.body),
    ...(long === undefined ? undefined : { splice: (json: string) => long.splice(json) }),
    dropped: losses.dropped
  })
}

const headersOf = (
  { forward, request }: UpstreamCall,
  betas: ReadonlyArray<string> | undefined
): WireRequest["headers"] => ({
  "content-type": "application/json",
  accept: request.stream ? "text/event-stream" : "application/json",
  "anthropic-version": forward?.["anthropic-version"] ?? VERSION,
  ...(betas === undefined ? undefined : { "anthropic-beta": betas.join(",") })
})

const tierOf = ({ serviceTier }: UpstreamCall): JsonObject | undefined =>
  serviceTier === STANDARD ? { service_tier: "standard_only" } : undefined

/** The limit is the caller's own, unless the budget has room for less. */
export const limitOf = ({ maxOutput, request }: UpstreamCall): JsonObject | undefined =>
  maxOutput === request.maxOutput || maxOutput === undefined ? undefined : { max_tokens: maxOutput }

/*
 * A request of the Messages API for the maker of another model that has this API too. What these vendors document is sent; the rest is
 * left out and named. https://api-docs.deepseek.com/guides/anthropic_api (2026-11-27) lists the fields one by one.
 */

/** Fields that are sent, that the gateway itself acts on, or whose loss changes no answer. */
const KNOWN = new Set(
  (
    "model messages system max_tokens metadata stop_sequences stream temperature top_p top_k thinking output_config tools " +
    "tool_choice service_tier cache_control"
  ).split(" ")
)

const BLOCKS: ReadonlySet<unknown> = new Set(["text", "image", "document", "tool_use", "tool_result", "thinking"])

/** Whether the deployment's Messages API is at an endpoint beside those of its own protocol. */
const isCompatible = ({ endpoints }: Deployment): boolean => endpoints?.has("messages") === true

const compatible = ({ deployment, maxOutput, request }: UpstreamCall, losses: Losses): JsonObject => {
  const given = request.body
  const body: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(given)) {
    if (KNOWN.has(name)) body[name] = value
    else if (!asksNothing(value)) losses.drop(name, `\`${name}\` has no counterpart at this provider`)
  }
  if (given["max_tokens"] === 0)
    losses.refuse("max_tokens", "only Anthropic caches a prompt without a response: at least 1 here")
  delete body["service_tier"]
  removeMarks(body, "system", "messages", "tools")
  Object.assign(body, toolsOf(body, losses))
  body["messages"] = arrayOf(body["messages"]).map((turn, index) => turnOf(turn, `messages[${index}].content`, losses))
  const fitted = fittedTo(body, deployment, losses)
  const most = Math.min(maxOutput ?? Number.POSITIVE_INFINITY, deployment.maxOutputTokens ?? Number.POSITIVE_INFINITY)
  return {
    ...fitted,
    ...thinkingOf(fitted, deployment),
    ...(Number.isFinite(most) ? { max_tokens: most } : {})
  }
}

const asksNothing = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  value === "" ||
  value === false ||
  (Array.isArray(value) && value.length === 0)

/** Tools of the caller alone: those that run at Anthropic, or that Claude alone was trained on, are not there. */
const toolsOf = ({ tool_choice: choice, tools: given }: JsonObject, losses: Losses): JsonObject => {
  const all = arrayOf(given)
  const tools = all.flatMap((tool, index) => {
    if (!isObject(tool)) return []
    const { description, input_schema: schema, name, type } = tool
    if (type === undefined || type === null || type === "custom") return [{ name, description, input_schema: schema }]
    const path = `tools[${index}]`
    losses.drop(path, `\`${path}\` runs at Anthropic: ${JSON.stringify(type)} is not available at this provider`)
    return []
  })
  if (tools.length === all.length) return { tools: all.length === 0 ? undefined : tools }
  const asked = isObject(choice) ? choice : {}
  const isMissing =
    asked["type"] === "any"
      ? tools.length === 0
      : asked["type"] === "tool" && !tools.some(({ name }) => name === asked["name"])
  if (isMissing)
    losses.refuse("tool_choice", "`tool_choice` names a tool that runs at Anthropic: choose another model or tool")
  return tools.length === 0 ? { tools: undefined, tool_choice: undefined } : { tools }
}

/** Thoughts stay, whoever thought them: some vendors refuse calls of tools without. What is sealed is for another vendor. */
const turnOf = (turn: unknown, path: string, losses: Losses): unknown => {
  if (!isObject(turn) || !Array.isArray(turn["content"])) return turn
  const blocks = turn["content"] as ReadonlyArray<unknown>
  if (blocks.every((block) => isObject(block) && BLOCKS.has(block["type"]))) return turn
  const content = blocks.flatMap((block, index): ReadonlyArray<unknown> => {
    if (!isObject(block) || block["type"] === "redacted_thinking") return []
    if (BLOCKS.has(block["type"])) return [block]
    const text = hostedText(block, `${path}[${index}]`, losses)
    return text === "" ? [] : [{ type: "text", text }]
  })
  return { ...turn, content: content.length === 0 ? [{ type: "text", text: "…" }] : content }
}

/** `adaptive` is a word of Claude's. A model that thinks by itself does so without it. */
const thinkingOf = ({ thinking }: JsonObject, { facts }: Deployment): JsonObject => {
  if (!isObject(thinking) || thinking["type"] !== "adaptive") return {}
  return { thinking: facts?.reasoning?.byDefault === false ? { type: "enabled" } : undefined }
}
