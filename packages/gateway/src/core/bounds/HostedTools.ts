/** Tools that run at the vendor. What they read is billed as input in each round, and a call may cost a fee. */
import { Predicate } from "effect"
import type { CallRequest } from "../operations/CallRequest.ts"
import type { JsonObject } from "../domain/Json.ts"
import type { Deployment } from "../domain/Deployment.ts"
import type { FeeClass } from "../domain/Usage.ts"

/** A tool, field or model that makes the vendor work on its own. */
export interface HostedTool {
  /** Where it stands in the body. */
  readonly path: string
  /** Undefined: there is no fee, only the tokens it reads. */
  readonly fee: FeeClass | undefined
  /** The most tokens that one use reads, if the caller set such a limit. */
  readonly tokens?: number | undefined
  /** The vendor takes `max_uses`; `uses`: what the caller gave. */
  readonly takesLimit: boolean
  readonly uses: number | undefined
  /** What its container costs, in containers of the usual size. */
  readonly containers?: number
  /** Its cost is unbounded, and no setting bounds it. */
  readonly isBoundless?: boolean
}

interface ToolsFound {
  readonly hosted: ReadonlyArray<HostedTool>
  /** Tokens that tool definitions add beyond their JSON. */
  readonly definitions: number
}

/** Anthropic's own tools have a date in their type. Those of them that the caller executes cost nothing more than a long definition. */
const DATED = /_\d{8}$/
const RUN_BY_CALLER = /^(?:bash|text_editor|computer(?:_toolset)?|browser_toolset|memory)_\d{8}$/
const TAKES_MAX_USES = /^web_(?:search|fetch)_\d{8}$/
/** Recorded: 4,400 for code execution, 2,200 for web search, 1,350 for memory. */
const DEFINITION_TOKENS = 6_000

/** Tools of Responses that the caller runs; `shell` may run at the vendor: https://platform.openai.com/docs/guides/tools (2026-11-22). */
const RUN_BY_CALLER_TOO = /^(?:computer(?:_use_preview)?|local_shell|apply_patch|programmatic_tool_calling)$/
/** Limited by `max_tool_calls` together: https://platform.openai.com/docs/api-reference/responses/create (2026-11-22). */
const BUILT_IN = /^(?:web_search|file_search|code_interpreter)/
/** Tools with known fees and tokens, and tools without a type. Others may cost anything. */
const KNOWN =
  /^(?:$|(?:openrouter:)?(?:web_search|web_fetch|web_extractor|file_search|retrieval|code_interpreter|code_execution|shell|mcp|tool_search|browser_search|browser_automation|visit_website|wolfram_alpha|x_search|collections_search|builtin_function|google_|datetime))/
/** A tool of free text, or one in a namespace, is a longer definition where a bridge makes it a function. */
const REWRITTEN_TOKENS = 128

/**
 * Fields that make compatible servers search or run code, for a fee. A preset may bring such tools, and models of its own
 * (https://www.openrouter.ai/docs/guides/features/presets.md, https://docs.perplexity.ai/docs/agent-api/presets.md, 2026-11-22);
 * `enable_code_interpreter` is Qwen's (https://www.alibabacloud.com/help/ja/model-studio/qwen-code-interpreter, 2026-11-22).
 */
const SEARCHES = [
  "web_search_options",
  "plugins",
  "search_parameters",
  "search_settings",
  "compound_custom",
  "enable_search",
  "enable_code_interpreter",
  "preset"
]

/**
 * Fields that make them call other models, or read content that is not in the request. `data_sources` are Azure's
 * (https://learn.microsoft.com/azure/ai-services/openai/references/on-your-data, 2026-11-22), `fallbacks` LiteLLM's
 * (https://docs.litellm.ai/docs/proxy/client_side_fallbacks.md, 2026-11-22), which has two more kinds of them.
 */
const FIELDS = [
  ...SEARCHES,
  "mcp_servers",
  "cached_content",
  "extra_body",
  "models",
  "data_sources",
  "dataSources",
  "fallbacks",
  "context_window_fallbacks",
  "content_policy_fallbacks"
]

/** Nearly all requests have none of the fields that are looked at here. */
const TELLING: ReadonlySet<string> = new Set(["input", "prompt", "tools", ...FIELDS])

const hasTelling = (body: JsonObject): boolean => {
  for (const name in body) if (TELLING.has(name)) return true
  return false
}

/** Fields that make Anthropic call tools of other servers, at the price of their tokens, or use other models. */
const ANTHROPIC_FIELDS = ["mcp_servers", "fallbacks"]

/** The fields of Gemini's compatible API that read more: https://ai.google.dev/gemini-api/docs/openai (2026-11-22). */
const READS_MORE = /cached_content|tools/

const NONE: ToolsFound = { hosted: [], definitions: 0 }

/** Every call of this model includes a search, with or without search options. */
export const searchesAnyway = ({ facts }: Deployment): boolean => facts?.protocol?.["searchesAnyway"] === true

/** It searches or runs code by itself, and bills what it reads. */
const worksAlone = ({ facts }: Deployment): boolean => facts?.protocol?.["worksAlone"] === true

export const hostedTools = (request: CallRequest, deployment: Deployment): ToolsFound => {
  const { body } = request
  const { protocol, vendor } = deployment
  const isAlone = worksAlone(deployment)
  if (!isAlone && !hasTelling(body)) return NONE
  const hosted: Array<HostedTool> = []
  let definitions = 0
  // A template that the vendor keeps may bring tools of its own.
  if (isResponse(request) && isSet(body["prompt"])) {
    hosted.push({ path: "prompt", fee: "webSearches", takesLimit: false, uses: undefined })
  }
  const limit = isResponse(request) ? countOf(body["max_tool_calls"]) : undefined
  const isRun = runsHosted(request, deployment)
  for (const [path, tool] of toolsIn(body)) {
    const said = Predicate.hasProperty(tool, "type") ? tool.type : undefined
    if (isResponse(request) && (said === "custom" || path.includes("].tools["))) definitions += REWRITTEN_TOKENS
    if (!isRun) continue
    if (said === "function" || said === "custom") continue
    const type = typeof said === "string" ? said : ""
    if (type === "" && isNamed(tool)) continue
    if (isResponse(request) && (RUN_BY_CALLER_TOO.test(type) || isRunByCaller(tool))) {
      definitions += DEFINITION_TOKENS
      continue
    }
    if (DATED.test(type)) definitions += DEFINITION_TOKENS
    if (RUN_BY_CALLER.test(type)) continue
    const takesOwnLimit = protocol === "anthropic-messages" && TAKES_MAX_USES.test(type)
    const sharesLimit = isResponse(request) && vendor === "openai" && BUILT_IN.test(type)
    const container = containerIn(tool)
    hosted.push({
      path: container?.isReused === true ? `${path}.${container.field}` : path,
      fee: feeOf(type),
      takesLimit: takesOwnLimit || sharesLimit,
      uses: takesOwnLimit ? usesOf(tool) : sharesLimit ? limit : undefined,
      tokens: takesOwnLimit ? contentOf(tool) : undefined,
      ...(container === undefined ? undefined : { containers: container.cost }),
      ...(!KNOWN.test(type) || container?.isReused === true ? { isBoundless: true } : undefined)
    })
  }
  if (protocol === "anthropic-messages") {
    for (const field of ANTHROPIC_FIELDS) {
      if (!isSet(body[field])) continue
      // Another model responds, at its own prices.
      const isBoundless = field === "fallbacks"
      hosted.push({ path: field, fee: undefined, takesLimit: false, uses: undefined, isBoundless })
    }
  }
  if ((protocol === "openai-chat" || protocol === "gemini") && request.runsToolsAt === undefined) {
    for (const field of FIELDS) {
      if (field === "web_search_options" && searchesAnyway(deployment)) continue
      if (field === "plugins" && readsFreely(body[field])) continue
      if (!isSet(body[field]) || (field === "extra_body" && !READS_MORE.test(JSON.stringify(body[field])))) continue
      hosted.push({ path: field, fee: "webSearches", takesLimit: false, uses: undefined })
    }
  }
  if (isAlone) {
    hosted.push({ path: "model", fee: "webSearches", takesLimit: false, uses: undefined })
  }
  return { hosted, definitions }
}

/** The same request with a limit for every tool that takes one: the caller's limit, but at most `most`; without one, `uses`. */
export const withMaxUses = (request: CallRequest, uses: number, most = Number.POSITIVE_INFINITY): CallRequest => {
  if (isResponse(request)) {
    const max_tool_calls = Math.min(countOf(request.body["max_tool_calls"]) ?? uses, most)
    return { ...request, body: { ...request.body, max_tool_calls } }
  }
  const tools = (request.body["tools"] as ReadonlyArray<unknown>).map((tool) => {
    const type = Predicate.hasProperty(tool, "type") ? tool.type : undefined
    if (typeof type !== "string" || !TAKES_MAX_USES.test(type)) return tool
    return { ...(tool as JsonObject), max_uses: Math.min(usesOf(tool) ?? uses, most) }
  })
  return { ...request, body: { ...request.body, tools } }
}

/** Of all requests with tools, those for a response alone have an input. */
const isResponse = ({ contents }: Pick<CallRequest, "contents">): boolean => contents === "input"

/** A bridge leaves out what the API that it leads to has no place for. */
export const runsHosted = (
  request: Pick<CallRequest, "contents" | "runsToolsAt">,
  { operations, protocol }: Deployment
): boolean => {
  if (request.runsToolsAt !== undefined) {
    // Bedrock has Anthropic's own API for its models, beside Converse.
    const isBedrocks = protocol === "bedrock" && operations?.has("messages") === true
    return isBedrocks || request.runsToolsAt === protocol
  }
  return !isResponse(request) || (operations === undefined ? protocol === "openai-chat" : operations.has("responses"))
}

/** All tools of a request with their places: also those in namespaces, and those among the items of a response. */
export const toolsIn = (body: JsonObject): ReadonlyArray<readonly [path: string, tool: unknown]> => {
  const found: Array<readonly [string, unknown]> = []
  const add = (tools: unknown, path: string) => {
    if (!Array.isArray(tools)) return
    for (const [index, tool] of tools.entries()) {
      const place = `${path}[${index}]`
      if (Predicate.hasProperty(tool, "type") && tool.type === "namespace" && Predicate.hasProperty(tool, "tools")) {
        add(tool.tools, `${place}.tools`)
      } else found.push([place, tool])
    }
  }
  add(body["tools"], "tools")
  const { input } = body
  if (!Array.isArray(input)) return found
  for (const [index, item] of input.entries()) {
    if (Predicate.hasProperty(item, "tools")) add(item.tools, `input[${index}].tools`)
  }
  return found
}

const isRunByCaller = (tool: unknown): boolean =>
  (Predicate.hasProperty(tool, "execution") && tool.execution === "client") ||
  (Predicate.hasProperty(tool, "environment") &&
    Predicate.hasProperty(tool.environment, "type") &&
    tool.environment.type === "local")

/** By memory: https://platform.openai.com/docs/pricing (2026-11-27). The fee for running code is that of the smallest. */
const CONTAINERS = new Map<unknown, number>([
  [undefined, 1],
  [null, 1],
  ["1g", 1],
  ["4g", 4],
  ["16g", 16]
])
const LARGEST_CONTAINER = 64

interface Container {
  readonly field: "container" | "environment"
  readonly cost: number
  /** It was made by an earlier call, with as much memory as that wanted. */
  readonly isReused: boolean
}

const containerIn = (tool: unknown): Container | undefined => {
  for (const field of ["container", "environment"] as const) {
    const held = Predicate.hasProperty(tool, field) ? tool[field] : undefined
    if (held === undefined || held === null) continue
    const memory = Predicate.hasProperty(held, "memory_limit") ? held.memory_limit : undefined
    const isReused = typeof held === "string" || Predicate.hasProperty(held, "container_id")
    return { field, cost: CONTAINERS.get(memory) ?? LARGEST_CONTAINER, isReused }
  }
  return undefined
}

/** What the largest container of a request costs, in containers of the usual size. */
export const containerCost = (body: JsonObject): number =>
  toolsIn(body).reduce((most, [, tool]) => Math.max(most, containerIn(tool)?.cost ?? 1), 1)

/** A function has a name. A tool without type and name runs at the vendor, such as Gemini's `{ googleSearch: {} }`. */
const isNamed = (tool: unknown): boolean =>
  Predicate.hasProperty(tool, "function") || (Predicate.hasProperty(tool, "name") && typeof tool.name === "string")

const usesOf = (tool: unknown): number | undefined =>
  Predicate.hasProperty(tool, "max_uses") ? countOf(tool.max_uses) : undefined

const countOf = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isSafeInteger(value) && value > 0 ? value : undefined

/** Anthropic calls it "an approximate limit": https://platform.claude.com/docs/en/agents-and-tools/tool-use/web-fetch-tool (2026-11-22). */
const APPROXIMATELY = 1.25

/** Only fetching takes such a limit. */
const contentOf = (tool: unknown): number | undefined => {
  if (!Predicate.hasProperty(tool, "max_content_tokens") || !Predicate.hasProperty(tool, "type")) return undefined
  const { max_content_tokens: most, type } = tool
  if (!String(type).startsWith("web_fetch") || !Number.isSafeInteger(most) || (most as number) <= 0) return undefined
  return Math.ceil((most as number) * APPROXIMATELY)
}

/** Fetching has no fee, only the tokens it reads: https://platform.claude.com/docs/en/about-claude/pricing (2026-11-22). */
const feeOf = (type: string): FeeClass | undefined => (FREE.test(type) ? undefined : paidAs(type))

const FREE = /^(?:web_fetch_.*|mcp|tool_search)$/

const paidAs = (type: string): FeeClass =>
  /file_search/.test(type) ? "fileSearches" : /code|interpreter|shell/.test(type) ? "codeExecutions" : "webSearches"

/** Free but for tokens: https://openrouter.ai/docs/projects/docs/guides/overview/multimodal/pdfs (2026-11-22). */
const readsFreely = (plugins: unknown): boolean =>
  Array.isArray(plugins) &&
  plugins.every(
    (plugin: unknown) =>
      Predicate.hasProperty(plugin, "id") &&
      plugin.id === "file-parser" &&
      Predicate.hasProperty(plugin, "pdf") &&
      Predicate.hasProperty(plugin.pdf, "engine") &&
      (plugin.pdf.engine === "native" || plugin.pdf.engine === "cloudflare-ai")
  )

const SEARCH_FIELDS: ReadonlySet<string> = new Set(SEARCHES)

export const asksForSearch = (body: JsonObject): boolean => {
  for (const name in body) {
    if (SEARCH_FIELDS.has(name) && isSet(body[name]) && !(name === "plugins" && readsFreely(body[name]))) return true
  }
  return false
}

const isSet = (value: unknown): boolean =>
  value !== undefined &&
  value !== null &&
  value !== false &&
  value !== "" &&
  !(Array.isArray(value) && value.length === 0)
