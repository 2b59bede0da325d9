/** What a `ChatGateway` is made with, and what a single call may ask for. */
import type {
  BaseChatModelCallOptions,
  BaseChatModelParams,
  BindToolsInput,
  ToolChoice
} from "@langchain/core/language_models/chat_models"
import type { ModelProfile } from "@langchain/core/language_models/profile"
import type { OnDecision } from "./spend/Decision.ts"
import { GatewayConfigurationError, GatewayInputError } from "./Errors.ts"
import { assertKnown, nearestOf } from "./Options.ts"
import type { ConnectionFields } from "./connection/Settings.ts"

/** How the gateway should choose. */
export interface GatewayRoute {
  /** What `auto` weighs more in case of doubt. */
  readonly prefer?: "cost" | "quality" | undefined
  /** One deployment, once: no failover. */
  readonly noFallback?: boolean | undefined
}

/** What may be set for all calls and for one of them. */
export interface GatewaySampling {
  temperature?: number | undefined
  /** The answer's length at most, in tokens. */
  maxTokens?: number | undefined
  topP?: number | undefined
  frequencyPenalty?: number | undefined
  presencePenalty?: number | undefined
  seed?: number | undefined
  stop?: Array<string> | undefined
  reasoningEffort?: string | undefined
  /** `ChatOpenAI`'s form of `reasoningEffort`: `{ effort }`. */
  reasoning?: { readonly effort?: string | null | undefined } | undefined
  /** How long an answer should be, where the model lets one choose: `low`, `medium` or `high`. */
  verbosity?: string | undefined
  /** The provider's class of service, such as `flex` or `priority`. */
  service_tier?: string | undefined
  /** The end user, for the provider's abuse detection. */
  user?: string | undefined
  logprobs?: boolean | undefined
  topLogprobs?: number | undefined
  route?: GatewayRoute | undefined
  /** Further fields of the request's body, as the provider names them. Those of a call are added to the model's. */
  modelKwargs?: Record<string, unknown> | undefined
  /** Keeps a conversation on one deployment, whose prompt cache is warm. 1 to 128 visible ASCII characters. */
  sessionId?: string | undefined
  /** The id of the end user that calls are for, for the gateway: its limits and budgets hold too. 1 to 256 bytes. */
  endUser?: string | undefined
  /** Guardrail policies of the gateway, in addition to those of the key. */
  guardrails?: Array<string> | undefined
}

export interface ChatGatewayFields extends BaseChatModelParams, ConnectionFields, GatewaySampling {
  /** `auto`, an alias, a deployment's id, `<provider>/<model>` or a bare model name. Default: `auto`. */
  model?: string | undefined
  /** Another name for `stop`, as other packages have it. */
  stopSequences?: Array<string> | undefined
  /** `invoke` streams as well, and puts the answer together: a long answer then never waits in silence. Default: false. */
  streaming?: boolean | undefined
  /** Asks for token counts in streams. Default: true. The decision and the cost come either way. */
  streamUsage?: boolean | undefined
  /** What the model can do, where you know. `ChatGateway.fromGateway` asks the gateway. */
  profile?: ModelProfile | undefined
  /**
   * Told of every call's decision once it is known, streams that nobody read to their end included (`costIsFinal` is false then),
   * and also where LangChain runs no callbacks. What it throws is ignored.
   */
  onDecision?: OnDecision | undefined
}

export interface ChatGatewayCallOptions extends BaseChatModelCallOptions, Omit<GatewaySampling, "stop"> {
  /** For this call only. */
  model?: string | undefined
  tools?: Array<BindToolsInput> | undefined
  tool_choice?: ToolChoice
  parallel_tool_calls?: boolean | undefined
  response_format?: Readonly<Record<string, unknown>> | undefined
  /** Tools' arguments follow their schema exactly, where the provider can promise it. */
  strict?: boolean | undefined
  streamUsage?: boolean | undefined
  /** Sent with this call's request; not traced, nor serialized where they are bound to a model. */
  headers?: Readonly<Record<string, string>> | undefined
}

/** What a model and a call of it may both set. */
const sharedKeys = [
  "model",
  "temperature",
  "maxTokens",
  "topP",
  "frequencyPenalty",
  "presencePenalty",
  "seed",
  "reasoningEffort",
  "reasoning",
  "verbosity",
  "service_tier",
  "modelKwargs",
  "user",
  "logprobs",
  "topLogprobs",
  "route",
  "sessionId",
  "endUser",
  "guardrails",
  "streamUsage",
  "maxRetries"
]

/** What is written down of a model by `JSON.stringify`. Never the key, headers or functions. */
export const serializedKeys = [
  ...sharedKeys,
  "baseUrl",
  "stop",
  "streaming",
  "disableStreaming",
  "outputVersion",
  "profile",
  "timeout",
  "maxConcurrency",
  "tags",
  "metadata"
]

/** What a call may set beside LangChain's own options. */
export const callKeys = [
  ...sharedKeys,
  "tools",
  "tool_choice",
  "parallel_tool_calls",
  "response_format",
  "strict",
  "headers",
  "ls_structured_output_format"
]

/** Other packages' names for our options: taken silently, they would do nothing. */
const elsewhere: Readonly<Record<string, string>> = {
  baseURL: "baseUrl",
  configuration: "baseUrl, headers and fetch",
  openAIApiKey: "apiKey",
  modelName: "model",
  max_tokens: "maxTokens",
  maxCompletionTokens: "maxTokens",
  top_p: "topP",
  defaultHeaders: "headers",
  n: "`batch`",
  logitBias: "modelKwargs: { logit_bias }",
  serviceTier: "service_tier",
  promptCacheKey: "sessionId"
}

/** The same for a call. Its `timeout` and `signal` are LangChain's. */
const elsewhereInCalls: Readonly<Record<string, string>> = {
  ...elsewhere,
  outputConfig: "response_format",
  responseSchema: "response_format",
  extra_body: "modelKwargs",
  extra_headers: "headers",
  prompt_cache_key: "sessionId",
  stopSequences: "stop",
  stream: "`model.stream`, or `streaming: true` of the model",
  stream_options: "streamUsage",
  functions: "tools",
  function_call: "tool_choice"
}

/** All that a model may be made with. */
const known = {
  apiKey: true,
  baseUrl: true,
  timeout: true,
  headers: true,
  fetch: true,
  model: true,
  temperature: true,
  maxTokens: true,
  topP: true,
  frequencyPenalty: true,
  presencePenalty: true,
  seed: true,
  stop: true,
  stopSequences: true,
  reasoningEffort: true,
  reasoning: true,
  verbosity: true,
  service_tier: true,
  user: true,
  logprobs: true,
  topLogprobs: true,
  route: true,
  sessionId: true,
  endUser: true,
  guardrails: true,
  streaming: true,
  streamUsage: true,
  disableStreaming: true,
  outputVersion: true,
  profile: true,
  modelKwargs: true,
  onDecision: true,
  verbose: true,
  callbacks: true,
  callbackManager: true,
  tags: true,
  metadata: true,
  cache: true,
  maxConcurrency: true,
  maxRetries: true,
  onFailedAttempt: true
} satisfies Record<keyof ChatGatewayFields, true>

/** All that a call may be made with: its own options, LangChain's, and what `streamEvents` takes. */
const knownInCalls = new Set([
  ...callKeys,
  ..."stop signal timeout outputVersion callbacks tags metadata runName runId runType configurable".split(" "),
  ..."recursionLimit maxConcurrency version encoding gatewayTags".split(" ")
])

/** LangChain's agents give every model the schema of the answer as each provider has it: beside `response_format` these say the same. */
const sameAsResponseFormat = new Set(["outputConfig", "responseSchema"])

/**
 * Throws a `GatewayInputError` that names the right option for the first one that a call of `ChatGateway` lacks. LangGraph hands its
 * own configuration to the models in its nodes: there, names that only LangGraph knows pass.
 */
export const assertCallOptions = (options: object): void => {
  const { configurable, response_format } = options as Partial<ChatGatewayCallOptions>
  const isInGraph = Object.keys(configurable ?? {}).some((name) => name.startsWith("__pregel_"))
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined || knownInCalls.has(name)) continue
    if (response_format !== undefined && sameAsResponseFormat.has(name)) continue
    const right = elsewhereInCalls[name] ?? nearestOf(name, callKeys)
    if (right === undefined && isInGraph) continue
    const advice = right ?? `modelKwargs: { ${name} }, if it is a field of the provider's request`
    throw new GatewayInputError(`A call of ChatGateway has no option \`${name}\`: use ${advice}.`)
  }
}

/** The constructor's arguments in one. Throws a `GatewayConfigurationError` for an option that there is not. */
export const readFields = (
  first: ChatGatewayFields | string,
  rest: Omit<ChatGatewayFields, "model">
): ChatGatewayFields => {
  const fields: ChatGatewayFields = typeof first === "string" ? { ...rest, model: first } : (first ?? {})
  const foreign = Object.keys(elsewhere).find((name) => name in fields)
  if (foreign !== undefined) {
    throw new GatewayConfigurationError(`ChatGateway has no option \`${foreign}\`: use ${elsewhere[foreign]}.`)
  }
  assertKnown("ChatGateway", fields, known)
  const { stopSequences, ...own } = fields
  return stopSequences === undefined ? fields : { ...own, stop: own.stop ?? stopSequences }
}
