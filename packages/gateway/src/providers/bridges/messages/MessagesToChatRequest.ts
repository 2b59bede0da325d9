import { Result } from "effect"
import type { Deployment } from "../../../core/domain/Deployment.ts"
import type { Unsupported } from "../../../core/domain/Failures.ts"
import { chatEffort } from "../../../core/operations/messages/ChatEffort.ts"
import type { UpstreamCall } from "../../../core/pool/Protocol.ts"
import { needsThoughts } from "../../protocols/openai/request/OpenAiChatThoughts.ts"
import { arrayOf, isFilled, isObject, textOf, type JsonObject } from "../../json/LooseJson.ts"
import { Losses } from "../../protocols/shared/Losses.ts"
import { chatMessages } from "./MessagesToChatConversation.ts"
import { markOf } from "../../protocols/shared/CacheMarks.ts"

/** Fields that are translated, that the gateway itself acts on, or that only name the caller. */
const HANDLED = new Set(
  (
    "model messages system max_tokens stream tools tool_choice stop_sequences temperature top_p thinking output_config " +
    "output_format metadata service_tier cache_control"
  ).split(" ")
)

/** The most stop sequences of OpenAI's API. */
export const MAX_STOPS = 4
/** Characters of `user`. */
const MAX_USER = 64

export const down = (call: UpstreamCall): Result.Result<UpstreamCall, Unsupported> => {
  const { deployment, request } = call
  const losses = new Losses(call.strict)
  const body = chatBody(request.body, deployment, losses)
  if (losses.problem !== undefined) return Result.fail(losses.problem)
  const limit = limitAt(deployment, call.maxOutput)
  return Result.succeed({
    ...call,
    operation: "chat",
    request: { ...request, body: { ...body, max_tokens: limit } },
    maxOutput: limit,
    dropped: losses.dropped
  })
}

/** Agents ask for what the model that they believe to talk to can write. More than the model has is refused by most servers. */
export const limitAt = ({ maxOutputTokens: most }: Deployment, asked: number | undefined): number | undefined =>
  asked === undefined || most === undefined ? asked : Math.min(asked, most)

const chatBody = (body: JsonObject, deployment: Deployment, losses: Losses): JsonObject => {
  const { protocol, quirks = {} } = deployment
  const { cacheMarks, isNative = false } = quirks
  const isMarked = cacheMarks === "taken"
  // OpenAI's API has none; other protocols take it, or name it as dropped.
  const takesTopK = protocol !== "openai-chat"
  const { model, stream, temperature, top_p } = body
  if (body["max_tokens"] === 0)
    losses.refuse("max_tokens", "only Anthropic caches a prompt without a response: at least 1 here")
  for (const name of Object.keys(body)) {
    if (!HANDLED.has(name) && !(takesTopK && name === "top_k") && isFilled(body[name]) && body[name] !== false)
      losses.drop(name, `\`${name}\` has no counterpart at this provider`)
  }
  return defined({
    model,
    stream,
    temperature,
    top_p,
    top_k: takesTopK ? body["top_k"] : undefined,
    messages: chatMessages(
      body,
      { provider: deployment.provider, isNative, isMarked, needsThoughts: needsThoughts(deployment) },
      losses
    ),
    ...chatTools(body, isMarked, losses),
    stop: stops(body["stop_sequences"], losses),
    reasoning_effort: effortAt(deployment, chatEffort(body), losses),
    thinking: budgetAt(deployment, body),
    response_format: formatOf(body),
    service_tier: body["service_tier"] === "standard_only" ? "default" : undefined,
    user: userOf(body["metadata"]),
    cache_control: isMarked && isObject(body["cache_control"]) ? body["cache_control"] : undefined
  })
}

/** Few models know efforts above `high`; those that do have a list of theirs, or a protocol that finds the nearest. */
const effortAt = ({ protocol, quirks }: Deployment, effort: string | undefined, losses: Losses): string | undefined => {
  if (effort !== "xhigh" && effort !== "max") return effort
  if (quirks?.efforts !== undefined || protocol !== "openai-chat") return effort
  losses.drop("output_config.effort", "this provider takes efforts up to `high`")
  return "high"
}

/** Protocols that take a budget of tokens, beside an effort. */
const TAKES_BUDGETS: ReadonlySet<string> = new Set(["gemini", "cohere"])

/** A budget stays a number of tokens where one is taken; the effort is for models that take none. */
export const budgetAt = ({ protocol }: Deployment, { thinking }: JsonObject): JsonObject | undefined =>
  TAKES_BUDGETS.has(protocol) && isObject(thinking) && typeof thinking["budget_tokens"] === "number"
    ? { type: thinking["type"], budget_tokens: thinking["budget_tokens"] }
    : undefined

const defined = (fields: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))

const stops = (given: unknown, losses: Losses): ReadonlyArray<unknown> | undefined => {
  if (!Array.isArray(given) || given.length === 0) return undefined
  if (given.length > MAX_STOPS) losses.drop("stop_sequences", `this provider takes at most ${MAX_STOPS} stop sequences`)
  return given.slice(0, MAX_STOPS)
}

const formatOf = ({ output_config: config, output_format: own }: JsonObject): JsonObject | undefined => {
  const format = isObject(config) && config["format"] !== undefined ? config["format"] : own
  if (!isObject(format) || format["type"] !== "json_schema") return undefined
  return { type: "json_schema", json_schema: { name: "answer", schema: format["schema"], strict: true } }
}

const userOf = (metadata: unknown): string | undefined => {
  const user = isObject(metadata) ? textOf(metadata["user_id"]) : undefined
  return user === undefined || user.length > MAX_USER ? undefined : user
}

const chatTools = (body: JsonObject, marked: boolean, losses: Losses): JsonObject => {
  const tools = arrayOf(body["tools"]).flatMap((tool, index) => chatTool(tool, `tools[${index}]`, marked, losses))
  const choice = isObject(body["tool_choice"]) ? body["tool_choice"] : {}
  if (asksForMissing(choice, tools, arrayOf(body["tools"]))) losses.refuse("tool_choice", MISSING)
  if (tools.length === 0) return {}
  return {
    tools,
    tool_choice: chatChoice(choice),
    parallel_tool_calls: choice["disable_parallel_tool_use"] === true ? false : undefined
  }
}

const MISSING =
  "`tool_choice` names a tool that runs at Anthropic and is not available at this provider: choose another model or another tool"

const asksForMissing = (
  { name, type }: JsonObject,
  left: ReadonlyArray<JsonObject>,
  given: ReadonlyArray<unknown>
): boolean => {
  if (type === "any") return left.length === 0 && given.length > 0
  const isNamed = (tool: unknown): boolean => isObject(tool) && tool["name"] === name
  return type === "tool" && given.some(isNamed) && !left.some((tool) => isNamed(tool["function"]))
}

const chatTool = (tool: unknown, path: string, marked: boolean, losses: Losses): ReadonlyArray<JsonObject> => {
  if (!isObject(tool)) return []
  const { description, input_schema: schema, name, strict, type } = tool
  if (type === undefined || type === null || type === "custom") {
    const described = textOf(description) === undefined ? undefined : { description }
    const exact = strict === true ? { strict } : undefined
    return [
      {
        type: "function",
        function: { name, ...described, parameters: schema, ...exact },
        ...(marked ? markOf(tool) : {})
      }
    ]
  }
  losses.drop(path, `\`${path}\` runs at Anthropic: ${JSON.stringify(type)} is not available at this provider`)
  return []
}

const chatChoice = ({ name, type }: JsonObject): unknown => {
  switch (type) {
    case "any":
      return "required"
    case "tool":
      return { type: "function", function: { name } }
    case "auto":
    case "none":
      return type
    default:
      return undefined
  }
}
