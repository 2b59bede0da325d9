/**
 * What Bedrock and Vertex have of Anthropic's Messages API. They answer 400 to beta flags and fields that they do not know; clients that
 * believe to talk to Anthropic send them.
 */
import type { Deployment } from "../../../../core/domain/Deployment.ts"
import type { JsonObject } from "../../../../core/domain/Json.ts"
import { arrayOf, isObject } from "../../../json/LooseJson.ts"
import type { Losses } from "../../shared/Losses.ts"

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

/** `body` itself where the host knows all of it. `betas`: those that the host gets. */
export const withHostParts = (
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
