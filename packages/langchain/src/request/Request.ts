/** A call's options as the request's body and headers. */
import { GatewayInputError } from "../Errors.ts"
import type { ChatGatewayCallOptions, ChatGatewayFields, GatewaySampling } from "../Fields.ts"
import { HiddenHeaders } from "./HiddenHeaders.ts"
import { toWireTool, toWireToolChoice } from "./Tools.ts"

/** What a model is made with and its calls fall back to. */
export interface Defaults extends GatewaySampling {
  readonly model: string
  readonly modelKwargs?: ChatGatewayFields["modelKwargs"]
}

/** The options of one call, with LangChain's tags beside them, which core keeps to itself. */
export type CallOptions = Omit<Partial<ChatGatewayCallOptions>, "headers" | "tags"> & {
  readonly gatewayTags?: ReadonlyArray<string>
  readonly headers?: HiddenHeaders | ChatGatewayCallOptions["headers"]
}

/** The body without its messages. */
export const toBody = (defaults: Defaults, options: CallOptions): Record<string, unknown> => {
  const either = <K extends keyof GatewaySampling & keyof CallOptions>(key: K) => options[key] ?? defaults[key]
  const body = {
    model: options.model ?? defaults.model,
    temperature: either("temperature"),
    max_tokens: either("maxTokens"),
    top_p: either("topP"),
    frequency_penalty: either("frequencyPenalty"),
    presence_penalty: either("presencePenalty"),
    seed: either("seed"),
    stop: either("stop"),
    reasoning_effort: either("reasoningEffort"),
    user: either("user"),
    logprobs: either("logprobs"),
    top_logprobs: either("topLogprobs"),
    response_format: options.response_format,
    ...toolsOf(options),
    ...defaults.modelKwargs
  }
  return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined))
}

/** A choice among no tools, and whether to call several of none, are refused by providers. */
const toolsOf = ({ parallel_tool_calls, strict, tool_choice, tools }: CallOptions) =>
  tools === undefined || tools.length === 0
    ? {}
    : {
        tools: tools.map((tool) => toWireTool(tool, strict)),
        tool_choice: toWireToolChoice(tool_choice),
        parallel_tool_calls
      }

/** The gateway's own headers, then the caller's. */
export const toHeaders = (defaults: Defaults, options: CallOptions): Record<string, string> => {
  const route = { ...defaults.route, ...options.route }
  const sessionId = options.sessionId ?? defaults.sessionId
  const tags = toWireTags(options.gatewayTags ?? [])
  return {
    ...(route.prefer === undefined ? {} : { "X-Gateway-Route-Prefer": readPrefer(route.prefer) }),
    ...(route.noFallback === true ? { "X-Gateway-No-Fallback": "1" } : {}),
    ...(sessionId === undefined ? {} : { "X-Gateway-Session-Id": readSessionId(sessionId) }),
    ...(tags.length === 0 ? {} : { "X-Gateway-Tags": tags.join(",") }),
    ...HiddenHeaders.read(options.headers)
  }
}

const readPrefer = (prefer: string): string => {
  if (prefer === "cost" || prefer === "quality") return prefer
  throw new GatewayInputError("`route.prefer` must be `cost` or `quality`.")
}

const readSessionId = (sessionId: string): string => {
  if (/^[\x21-\x7e]{1,128}$/.test(sessionId)) return sessionId
  throw new GatewayInputError("`sessionId` must be 1 to 128 visible ASCII characters.")
}

/** What LangChain and LangGraph put among the tags for themselves. */
const INTERNAL = /^(seq:step|graph:step|map:key|branch|condition|langsmith|langgraph):/
const MAX_TAGS = 16
const MAX_TAG = 64

/**
 * LangChain's tags are any text; the gateway's are letters, digits and `._:/-`, 16 at most. Other characters become `-`: a tag
 * that was meant for a trace must not fail a call.
 */
export const toWireTags = (tags: ReadonlyArray<string>): ReadonlyArray<string> => {
  const own = tags.filter((tag) => !INTERNAL.test(tag)).map((tag) => tag.replace(/[^\w.:/-]+/g, "-").slice(0, MAX_TAG))
  return [...new Set(own.filter((tag) => tag !== ""))].slice(0, MAX_TAGS)
}
