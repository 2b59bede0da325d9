/** A call's options as the request's body and headers. */
import { GatewayInputError } from "../Errors.ts"
import type { ChatGatewayCallOptions, GatewaySampling } from "../Fields.ts"
import { HiddenHeaders } from "./HiddenHeaders.ts"
import { toWireTool, toWireToolChoice } from "./Tools.ts"

/** What a model is made with and its calls fall back to. */
export interface Defaults extends GatewaySampling {
  readonly model: string
}

/** The options of one call, with LangChain's tags beside them, which core keeps to itself. */
export type CallOptions = Omit<Partial<ChatGatewayCallOptions>, "headers" | "tags"> & {
  readonly gatewayTags?: ReadonlyArray<string>
  readonly headers?: HiddenHeaders | ChatGatewayCallOptions["headers"]
}

/** The body without its messages: a call's own values first, then the model's. */
export const toBody = (defaults: Defaults, options: CallOptions): Record<string, unknown> => ({
  ...sampled(defaults),
  ...sampled(options),
  ...present({ response_format: options.response_format, ...toolsOf(options) }),
  ...present(options.modelKwargs)
})

const sampled = (given: GatewaySampling & { readonly model?: string | undefined }): Record<string, unknown> => ({
  ...present({
    model: given.model,
    temperature: given.temperature,
    max_tokens: given.maxTokens,
    top_p: given.topP,
    frequency_penalty: given.frequencyPenalty,
    presence_penalty: given.presencePenalty,
    seed: given.seed,
    stop: given.stop,
    reasoning_effort: given.reasoningEffort ?? effortOf(given.reasoning),
    verbosity: given.verbosity,
    service_tier: given.service_tier,
    user: given.user,
    logprobs: given.logprobs,
    top_logprobs: given.topLogprobs
  }),
  ...present(given.modelKwargs)
})

/** The chat API has a field for the effort alone. */
const effortOf = (reasoning: GatewaySampling["reasoning"]): string | undefined => {
  if (reasoning === undefined || reasoning === null) return undefined
  const other = Object.keys(reasoning).find((name) => name !== "effort")
  if (other === undefined) return reasoning.effort ?? undefined
  throw new GatewayInputError(
    `\`reasoning.${other}\` can't be sent: \`reasoning\` has the one field \`effort\`. Use modelKwargs for a field of the provider's own.`
  )
}

const present = (fields: Readonly<Record<string, unknown>> | undefined): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields ?? {}).filter(([, value]) => value !== undefined))

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
  const endUser = options.endUser ?? defaults.endUser
  const guardrails = options.guardrails ?? defaults.guardrails ?? []
  const tags = toWireTags(options.gatewayTags ?? [])
  return {
    ...(route.prefer === undefined ? {} : { "X-Gateway-Route-Prefer": readPrefer(route.prefer) }),
    ...(route.noFallback === true ? { "X-Gateway-No-Fallback": "1" } : {}),
    ...(sessionId === undefined ? {} : { "X-Gateway-Session-Id": readSessionId(sessionId) }),
    ...(endUser === undefined ? {} : { "X-Gateway-End-User": encodeEndUser(endUser) }),
    ...(guardrails.length === 0 ? {} : { "X-Gateway-Guardrails": guardrails.join(",") }),
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

const encodeEndUser = (endUser: string): string => {
  try {
    return encodeURIComponent(endUser)
  } catch {
    throw new GatewayInputError("`endUser` must be text in Unicode: it contains half of a surrogate pair.")
  }
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
