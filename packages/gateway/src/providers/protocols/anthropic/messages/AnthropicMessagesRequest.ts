/** A request for Anthropic's own API, which goes on as it came, or as a model needs it that the gateway has chosen. */
import { Result } from "effect"
import type { Deployment } from "../../../../core/domain/Deployment.ts"
import type { Unsupported } from "../../../../core/domain/Failures.ts"
import { STANDARD } from "../../../../core/domain/pricing/ServiceTier.ts"
import type { UpstreamCall, WireRequest } from "../../../../core/pool/Protocol.ts"
import { hostedText } from "../../../bridges/messages/MessagesToChatHostedTools.ts"
import { arrayOf, isFilled, isObject, type JsonObject } from "../../../json/LooseJson.ts"
import { unseal } from "../../../responses/Sealed.ts"
import { removeMarks } from "../../shared/CacheMarks.ts"
import { Losses } from "../../shared/Losses.ts"
import { hosted } from "../AnthropicHost.ts"
import { fitted, fittedTo } from "./AnthropicMessagesFitted.ts"

// Thoughts that another model's server sent are marked in place of a signature, and left out: Anthropic refuses what it did not sign.
const MARK = "model-gateway:"

/** In place of a signature: the field under which the model's server sent its thoughts. */
export const foreignSignature = (field: string): string => MARK + field

/** The field in a mark; undefined for a real signature. */
export const foreignField = (signature: unknown): string | undefined =>
  typeof signature === "string" && signature.startsWith(MARK) ? signature.slice(MARK.length) : undefined

/** `messages` itself where there is nothing to leave out. */
const withoutForeignThoughts = (messages: unknown): unknown =>
  Array.isArray(messages) && messages.some(holdsForeign)
    ? messages.flatMap((message: unknown) => (holdsForeign(message) ? rest(message) : [message]))
    : messages

interface MessageWithBlocks {
  readonly content: ReadonlyArray<unknown>
}

const holdsForeign = (message: unknown): message is MessageWithBlocks =>
  isObject(message) && Array.isArray(message["content"]) && message["content"].some(isForeign)

const isForeign = (block: unknown): boolean =>
  isObject(block) &&
  ((block["type"] === "thinking" && foreignField(block["signature"]) !== undefined) ||
    (block["type"] === "redacted_thinking" && unseal(block["data"]) !== undefined))

/** A turn without content is refused too. */
const rest = (message: MessageWithBlocks): ReadonlyArray<unknown> => {
  const content = message.content.filter((block) => !isForeign(block))
  return content.length === 0 ? [] : [{ ...message, content }]
}

// Bedrock and Vertex answer 400 to beta flags and fields of Anthropic's Messages API that they do not know.
type Host = "bedrock" | "vertex"

const hostOf = ({ protocol, quirks }: Deployment): Host | undefined =>
  protocol === "bedrock" ? protocol : quirks?.anthropicHost

/**
 * https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-anthropic-claude-messages-request-response.html
 * (`anthropic_beta`), and `anthropic_beta_headers_config.json` of https://github.com/BerriAI/litellm (2026-11-27).
 */
const BETAS: { readonly [H in Host]: RegExp } = {
  bedrock:
    /^(?:interleaved-thinking|context-management|fine-grained-tool-streaming|token-efficient-tools|computer-use|context-1m|effort|tool-search-tool|tool-examples|output-128k|dev-full-thinking|mid-conversation-system|thinking-binding-controls|compact)-/,
  vertex:
    /^(?:interleaved-thinking|context-management|computer-use|context-1m|tool-search-tool|web-search|compact|per-turn-control|thinking-binding-controls|thinking-display-updates)-/
}
const NAMES: { readonly [H in Host]: string } = { bedrock: "Bedrock", vertex: "Vertex" }

const ADVANCED_TOOLS = "advanced-tool-use-"
/** What both call those. */
const TOOL_SEARCH = "tool-search-tool-2025-10-19"

const WIDE = 1_000_000

/** The beta flags of a request in the host's words; undefined: none. `given`: lists with commas. */
export const hostBetas = (
  given: ReadonlyArray<unknown>,
  deployment: Deployment,
  losses: Losses
): ReadonlyArray<string> | undefined => {
  const all = given.filter((one) => typeof one === "string").join(",")
  const names = all.split(",").flatMap((name) => (name.trim() === "" ? [] : [name.trim()]))
  // The window bounds what a request can cost, so the provider has to keep to the deployment's.
  const { contextWindow = WIDE } = deployment
  const own = contextWindow >= WIDE ? names : names.filter((name) => !name.startsWith("context-1m-"))
  const host = hostOf(deployment)
  if (host === undefined) return own.length === 0 ? undefined : own
  const spelled = own.map((name) => (name.startsWith(ADVANCED_TOOLS) ? TOOL_SEARCH : name))
  const known = spelled.filter((name) => BETAS[host].test(name))
  if (known.length < spelled.length)
    losses.drop("anthropic-beta", `${NAMES[host]} does not have all of these beta features`)
  return known.length === 0 ? undefined : [...new Set(known)]
}

/**
 * Fields of tools, and the beta flag with which a host takes them; undefined: none. "Extra inputs are not permitted":
 * https://github.com/anthropics/claude-agent-sdk-python/issues/694 (2026-11-27).
 */
const OF_TOOLS: ReadonlyArray<readonly [field: string, beta: string | undefined]> = [
  ["defer_loading", "tool-search-tool-"],
  ["input_examples", "tool-examples-"],
  ["eager_input_streaming", undefined],
  ["allowed_callers", undefined]
]
const OF_BODIES: ReadonlyArray<readonly [field: string, beta: string]> = [["context_management", "context-management-"]]

const withHostParts = (
  body: JsonObject,
  deployment: Deployment,
  betas: ReadonlyArray<string> | undefined,
  losses: Losses
): JsonObject => {
  const host = hostOf(deployment)
  if (host === undefined) return body
  const isOn = (beta: string | undefined) => beta !== undefined && betas?.some((one) => one.startsWith(beta)) === true
  const without = (fields: JsonObject, of: typeof OF_TOOLS, path: string): JsonObject => {
    const lost = of.filter(([field, beta]) => fields[field] !== undefined && !isOn(beta)).map(([field]) => field)
    for (const field of lost) losses.drop(path + field, `${NAMES[host]} does not have \`${field}\``)
    return lost.length === 0
      ? fields
      : Object.fromEntries(Object.entries(fields).filter(([name]) => !lost.includes(name)))
  }
  const kept = without(body, OF_BODIES, "")
  const tools = arrayOf(kept["tools"])
  const own = tools.map((tool) => (isObject(tool) ? without(tool, OF_TOOLS, "tools.") : tool))
  const changed = own.some((tool, index) => tool !== tools[index]) ? { ...kept, tools: own } : kept
  const unscoped = SCOPED.map((name) => [name, withoutScopes(changed[name], MOST_DEPTH)] as const)
  if (unscoped.every(([name, value]) => value === changed[name])) return changed
  losses.drop("cache_control.scope", `${NAMES[host]} has no scopes of caches`)
  return { ...changed, ...Object.fromEntries(unscoped.filter(([, value]) => value !== undefined)) }
}

/** Hold blocks with marks for caches: `tool_result` blocks hold blocks too. */
const SCOPED = ["system", "messages", "tools"]
const MOST_DEPTH = 4

/** `value` itself where no mark has a scope. */
const withoutScopes = (value: unknown, depth: number): unknown => {
  if (depth < 0) return value
  if (Array.isArray(value)) {
    const list = value.map((one: unknown) => withoutScopes(one, depth))
    return list.some((one, index) => one !== value[index]) ? list : value
  }
  if (!isObject(value)) return value
  const { cache_control: mark, content } = value
  const inner = withoutScopes(content, depth - 1)
  if (!isObject(mark) || mark["scope"] === undefined) return inner === content ? value : { ...value, content: inner }
  const { scope: _, ...rest } = mark
  return { ...value, cache_control: rest, ...(content === undefined ? undefined : { content: inner }) }
}

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

// A request for the maker of another model that has this API too. What is not documented there is left out and named:
// https://api-docs.deepseek.com/guides/anthropic_api (2026-11-27).
/** Fields that are sent, that the gateway itself acts on, or whose loss changes no response. */
const KNOWN = new Set(
  (
    "model messages system max_tokens metadata stop_sequences stream temperature top_p top_k thinking output_config tools " +
    "tool_choice service_tier cache_control"
  ).split(" ")
)

const BLOCKS: ReadonlySet<unknown> = new Set(["text", "image", "document", "tool_use", "tool_result", "thinking"])

const isCompatible = ({ endpoints }: Deployment): boolean => endpoints?.has("messages") === true

const compatible = ({ deployment, maxOutput, request }: UpstreamCall, losses: Losses): JsonObject => {
  const given = request.body
  const body: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(given)) {
    if (KNOWN.has(name)) body[name] = value
    else if (isFilled(value) && value !== false) losses.drop(name, `\`${name}\` has no counterpart at this provider`)
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
