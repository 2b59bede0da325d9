/**
 * What a `ChatGateway` is: its options, how they become a request, and what of them is written down in serialized models, traces and
 * caches. How it is called is in ChatGateway.ts.
 */
import { CallbackManager, type CallbackManagerForLLMRun } from "@langchain/core/callbacks/manager"
import { BaseChatModel, type LangSmithParams } from "@langchain/core/language_models/chat_models"
import type { ModelProfile } from "@langchain/core/language_models/profile"
import type { BaseLanguageModelInput } from "@langchain/core/language_models/base"
import type { AIMessageChunk, BaseMessage, MessageContent } from "@langchain/core/messages"
import type { Runnable, RunnableConfig } from "@langchain/core/runnables"
import { sha256 } from "@langchain/core/utils/hash"
import { type Connection, makeConnection, type Outgoing } from "./connection/Connection.ts"
import { type GatewayDecision, type OnDecision, tell } from "./spend/Decision.ts"
import {
  type ChatGatewayCallOptions,
  type ChatGatewayFields,
  assertCallOptions,
  callKeys,
  type GatewayRoute,
  serializedKeys
} from "./Fields.ts"
import { DEFAULT_MAX_RETRIES, GatewayCaller } from "./connection/GatewayCaller.ts"
import { HiddenHeaders } from "./request/HiddenHeaders.ts"
import { registerTranslator } from "./answer/Reasoning.ts"
import { type CallOptions, type Defaults, toBody, toHeaders } from "./request/Request.ts"
import { readSettings } from "./connection/Settings.ts"
import { toWireMessages } from "./request/ToWire.ts"
import { PACKAGE, PROVIDER, VERSION } from "./Version.ts"

export abstract class GatewayModel extends BaseChatModel<ChatGatewayCallOptions> implements Defaults {
  override lc_serializable = true
  declare caller: GatewayCaller
  readonly model: string
  readonly temperature: number | undefined
  readonly maxTokens: number | undefined
  readonly topP: number | undefined
  readonly frequencyPenalty: number | undefined
  readonly presencePenalty: number | undefined
  readonly seed: number | undefined
  readonly stop: Array<string> | undefined
  readonly reasoningEffort: string | undefined
  readonly reasoning: ChatGatewayFields["reasoning"]
  readonly verbosity: string | undefined
  readonly service_tier: string | undefined
  readonly user: string | undefined
  readonly logprobs: boolean | undefined
  readonly topLogprobs: number | undefined
  readonly route: GatewayRoute | undefined
  readonly sessionId: string | undefined
  readonly endUser: string | undefined
  readonly guardrails: Array<string> | undefined
  readonly modelKwargs: Record<string, unknown> | undefined
  readonly streaming: boolean
  readonly streamUsage: boolean
  /** Holds the key, out of everybody's sight. */
  protected readonly connection: Connection
  private readonly givenProfile: ModelProfile
  private readonly onDecision: OnDecision | undefined

  constructor(fields: ChatGatewayFields) {
    super({ ...fields, maxRetries: fields.maxRetries ?? DEFAULT_MAX_RETRIES })
    this.caller = new GatewayCaller(fields)
    this.connection = makeConnection(readSettings(fields))
    this.model = fields.model ?? "auto"
    this.temperature = fields.temperature
    this.maxTokens = fields.maxTokens
    this.topP = fields.topP
    this.frequencyPenalty = fields.frequencyPenalty
    this.presencePenalty = fields.presencePenalty
    this.seed = fields.seed
    this.stop = fields.stop
    this.reasoningEffort = fields.reasoningEffort
    this.reasoning = fields.reasoning
    this.verbosity = fields.verbosity
    this.service_tier = fields.service_tier
    this.user = fields.user
    this.logprobs = fields.logprobs
    this.topLogprobs = fields.topLogprobs
    this.route = fields.route
    this.sessionId = fields.sessionId
    this.endUser = fields.endUser
    this.guardrails = fields.guardrails
    this.modelKwargs = fields.modelKwargs
    this.streaming = fields.streaming ?? false
    this.streamUsage = fields.streamUsage ?? true
    this.disableStreaming = fields.disableStreaming ?? false
    this.givenProfile = fields.profile ?? {}
    this.onDecision = fields.onDecision
    this._addVersion(PACKAGE, VERSION)
    registerTranslator()
  }

  /** Where the gateway is; ends in `/v1`. */
  get baseUrl(): string {
    return this.connection.baseUrl
  }

  override get profile(): ModelProfile {
    return this.givenProfile
  }

  /** A guess, four characters a token: who will answer, and by which tokenizer, is not known before. LangChain's own asks the network. */
  override async getNumTokens(content: MessageContent): Promise<number> {
    const parts = typeof content === "string" ? [content] : content.map((block) => ("text" in block ? block.text : ""))
    return Math.ceil(parts.reduce<number>((sum, text) => sum + String(text).length, 0) / 4)
  }

  override _llmType(): string {
    return "gateway"
  }

  override get callKeys(): Array<string> {
    return [...super.callKeys, ...callKeys]
  }

  override get lc_secrets(): { [key: string]: string } {
    return { apiKey: "GATEWAY_API_KEY" }
  }

  /** The name has an underscore, which core would take for its own spelling of `serviceTier`. */
  override get lc_aliases(): { [key: string]: string } {
    return { service_tier: "service_tier" }
  }

  /** The key is no property of a model; this stands in its place until core puts the mark of a secret there. */
  override get lc_attributes() {
    return { ...super.lc_attributes, apiKey: "" as never }
  }

  override get lc_serializable_keys(): Array<string> {
    return serializedKeys
  }

  /** The request's body without its messages. */
  override invocationParams(options?: this["ParsedCallOptions"]): Record<string, unknown> {
    return toBody(this, (options ?? {}) as CallOptions)
  }

  override getLsParams(options: this["ParsedCallOptions"]): LangSmithParams {
    const { max_tokens, model, stop, temperature } = this.invocationParams(options)
    return {
      ls_provider: PROVIDER,
      ls_model_name: model,
      ls_model_type: "chat",
      ls_temperature: temperature,
      ls_max_tokens: max_tokens,
      ls_stop: stop ?? []
    } as LangSmithParams
  }

  /** What an answer depends on, for caches. */
  override _identifyingParams(): Record<string, unknown> {
    const { baseUrl, endUser, guardrails, route } = this
    return { ...this.invocationParams(), base_url: baseUrl, route, endUser, guardrails }
  }

  /** A cached answer is the same for every session, tag and signal. */
  override _getSerializedCacheKeyParametersForCall(
    options: ChatGatewayCallOptions & { config?: RunnableConfig }
  ): string {
    const {
      gatewayTags: _tags,
      sessionId: _session,
      signal: _signal,
      headers,
      ...rest
    } = options as Omit<typeof options, "headers"> & CallOptions
    const sent = HiddenHeaders.read(headers)
    // A cache may keep what it looks up by.
    const told = sent === undefined ? {} : { headers: { sha256: sha256(JSON.stringify(sent)) } }
    return super._getSerializedCacheKeyParametersForCall({ ...rest, ...told })
  }

  /** Headers may hold secrets: no trace gets them. */
  protected override _getCallOptionsForTracing(options: this["ParsedCallOptions"]): this["ParsedCallOptions"] {
    const { gatewayTags: _tags, headers: _headers, ...rest } = options as CallOptions
    return rest as this["ParsedCallOptions"]
  }

  /** Core takes the tags out of a call's options; the gateway wants them too. Throws for an option that there is not. */
  protected override _separateRunnableConfigFromCallOptionsCompat(
    options?: Partial<ChatGatewayCallOptions>
  ): [RunnableConfig, this["ParsedCallOptions"]] {
    assertCallOptions(options ?? {})
    const [config, callOptions] = super._separateRunnableConfigFromCallOptionsCompat(options)
    const gatewayTags = [...(this.tags ?? []), ...(config.tags ?? [])]
    return [config, HiddenHeaders.in({ ...callOptions, ...(gatewayTags.length === 0 ? {} : { gatewayTags }) })]
  }

  /** What is bound to a model is part of what LangChain serializes and traces of the chain around it. */
  override withConfig(
    config: Partial<ChatGatewayCallOptions>
  ): Runnable<BaseLanguageModelInput, AIMessageChunk, ChatGatewayCallOptions> {
    assertCallOptions(config)
    return super.withConfig(HiddenHeaders.in(config))
  }

  /** Tells the callbacks of a call that it begins, as core does for the calls that it begins itself. */
  protected async startRun(
    messages: Array<BaseMessage>,
    config: RunnableConfig,
    options: this["ParsedCallOptions"]
  ): Promise<CallbackManagerForLLMRun | undefined> {
    const invocation_params = this.invocationParams(options)
    const manager = CallbackManager.configure(
      config.callbacks,
      this.callbacks,
      config.tags,
      this.tags,
      { ...config.metadata, ...this.getLsParamsWithDefaults(options) },
      this.metadata,
      {
        verbose: this.verbose,
        tracerInheritableMetadata: this._filterInvocationParamsForTracing(invocation_params)
      }
    )
    const extra = { options: this._getCallOptionsForTracing(options), invocation_params, batch_size: 1 }
    const runs = await manager?.handleChatModelStart(
      this.toJSON(),
      [messages],
      config.runId,
      undefined,
      extra,
      undefined,
      undefined,
      config.runName
    )
    return runs?.[0]
  }

  protected request(
    messages: ReadonlyArray<BaseMessage>,
    options: this["ParsedCallOptions"],
    extra: Readonly<Record<string, unknown>>
  ): Outgoing {
    return {
      method: "POST",
      path: "/chat/completions",
      body: { ...this.invocationParams(options), ...extra, messages: toWireMessages(messages) },
      headers: toHeaders(this, options as CallOptions),
      signal: options.signal
    }
  }

  protected decided(decision: GatewayDecision | undefined): void {
    tell(this.onDecision, decision)
  }
}
