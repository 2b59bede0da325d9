/** The gateway as a LangChain chat model. */
import type { CallbackManagerForLLMRun } from "@langchain/core/callbacks/manager"
import type { BaseLanguageModelInput, StructuredOutputMethodOptions } from "@langchain/core/language_models/base"
import { BaseChatModel, type BindToolsInput, type LangSmithParams } from "@langchain/core/language_models/chat_models"
import type { ChatModelStreamEvent } from "@langchain/core/language_models/event"
import { convertOpenAICompletionsStream } from "@langchain/core/language_models/openai_completions_stream"
import type { ModelProfile } from "@langchain/core/language_models/profile"
import type { AIMessageChunk, BaseMessage } from "@langchain/core/messages"
import { ChatGenerationChunk, type ChatResult } from "@langchain/core/outputs"
import type { Runnable, RunnableConfig } from "@langchain/core/runnables"
import type { SerializableSchema } from "@langchain/core/utils/standard_schema"
import type { InteropZodType } from "@langchain/core/utils/types"
import { ChatStream } from "./ChatStream.ts"
import { Closing } from "./Closing.ts"
import { type Connection, makeConnection, type Outgoing } from "./Connection.ts"
import { decisionOfBody, decisionOfHeaders, type GatewayDecision } from "./Decision.ts"
import { errorOfBody } from "./ErrorAnswer.ts"
import { GatewayError } from "./Errors.ts"
import {
  type ChatGatewayCallOptions,
  type ChatGatewayFields,
  callKeys,
  type GatewayRoute,
  readFields,
  serializedKeys
} from "./Fields.ts"
import { metadataOf, toChunk, toClosingChunk, toMessage, toUsage } from "./FromWire.ts"
import { fetchProfile } from "./Profile.ts"
import { registerTranslator } from "./Reasoning.ts"
import { type CallOptions, type Defaults, toBody, toHeaders } from "./Request.ts"
import { readSettings } from "./Settings.ts"
import { structuredOutput } from "./StructuredOutput.ts"
import { toWireMessages } from "./ToWire.ts"
import { PACKAGE, PROVIDER, VERSION } from "./Version.ts"
import type { WireAnswer } from "./Wire.ts"

/** The custom event that tells callback handlers of a stream that nobody read to its end: core runs no other callback for it. */
export const STREAM_LEFT = "gateway_stream_left"

/** The gateway has failed over already: more attempts only add load. */
const DEFAULT_MAX_RETRIES = 2

export class ChatGateway extends BaseChatModel<ChatGatewayCallOptions> implements Defaults {
  static override lc_name(): string {
    return "ChatGateway"
  }

  override lc_serializable = true
  readonly model: string
  readonly temperature: number | undefined
  readonly maxTokens: number | undefined
  readonly topP: number | undefined
  readonly frequencyPenalty: number | undefined
  readonly presencePenalty: number | undefined
  readonly seed: number | undefined
  readonly stop: Array<string> | undefined
  readonly reasoningEffort: string | undefined
  readonly user: string | undefined
  readonly logprobs: boolean | undefined
  readonly topLogprobs: number | undefined
  readonly route: GatewayRoute | undefined
  readonly sessionId: string | undefined
  readonly modelKwargs: Record<string, unknown> | undefined
  readonly streaming: boolean
  readonly streamUsage: boolean
  private readonly connection: Connection
  private readonly givenProfile: ModelProfile
  private readonly onDecision: ((decision: GatewayDecision) => void) | undefined

  /** Throws a `GatewayConfigurationError` when there is no key or no address, here or in the environment. */
  constructor(fields?: ChatGatewayFields)
  constructor(model: string, fields?: Omit<ChatGatewayFields, "model">)
  constructor(first: ChatGatewayFields | string = {}, rest: Omit<ChatGatewayFields, "model"> = {}) {
    const fields = readFields(first, rest)
    super({ maxRetries: DEFAULT_MAX_RETRIES, ...fields })
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
    this.user = fields.user
    this.logprobs = fields.logprobs
    this.topLogprobs = fields.topLogprobs
    this.route = fields.route
    this.sessionId = fields.sessionId
    this.modelKwargs = fields.modelKwargs
    this.streaming = fields.streaming ?? false
    this.streamUsage = fields.streamUsage ?? true
    this.disableStreaming = fields.disableStreaming ?? false
    this.givenProfile = fields.profile ?? {}
    this.onDecision = fields.onDecision
    this._addVersion(PACKAGE, VERSION)
    registerTranslator()
  }

  /** A model whose `profile` is what the gateway says its model can do. Fails when the key may not use that model. */
  static async fromGateway(fields: ChatGatewayFields = {}): Promise<ChatGateway> {
    const model = new this(fields)
    const profile = await model.caller.call(() => fetchProfile(model.connection, model.model))
    return new this({ ...fields, profile: { ...profile, ...fields.profile } })
  }

  override get profile(): ModelProfile {
    return this.givenProfile
  }

  /** Where the gateway is; ends in `/v1`. */
  get baseUrl(): string {
    return this.connection.baseUrl
  }

  override async _generate(
    messages: Array<BaseMessage>,
    options: this["ParsedCallOptions"],
    runManager?: CallbackManagerForLLMRun
  ): Promise<ChatResult> {
    options.signal?.throwIfAborted()
    if (this.streaming) return this.generateByStream(messages, options, runManager)
    const { body, headers } = await this.caller.callWithOptions(callerOptions(options), () =>
      this.connection.json(this.request(messages, options, {}))
    )
    const answer = body as WireAnswer
    if (answer.error) throw errorOfBody(undefined, headers, body)
    const decision = decisionOfBody(answer.gateway, headers) ?? decisionOfHeaders(headers)
    this.decided(decision)
    const message = toMessage(answer, decision)
    if (message === undefined) {
      throw new GatewayError(`${this.baseUrl} answered without a message: \`choices\` is missing or empty.`, {
        headers
      })
    }
    const usage = toUsage(answer.usage)
    const generation = { text: message.text, message }
    if (usage === undefined) return { generations: [generation] }
    const tokenUsage = {
      promptTokens: usage.input_tokens,
      completionTokens: usage.output_tokens,
      totalTokens: usage.total_tokens
    }
    return { generations: [generation], llmOutput: { tokenUsage } }
  }

  override async *_streamResponseChunks(
    messages: Array<BaseMessage>,
    options: this["ParsedCallOptions"],
    runManager?: CallbackManagerForLLMRun
  ): AsyncGenerator<ChatGenerationChunk> {
    const stream = await this.openStream(messages, options)
    const closing = new Closing(this.wantsUsage(options))
    let isRead = false
    try {
      for await (const event of stream) {
        closing.add(event)
        const message = toChunk(event)
        if (message !== undefined) yield* this.told(message, runManager)
      }
      yield* this.told(toClosingChunk(closing.envelope, closing.choice, stream.decision), runManager)
      isRead = true
    } finally {
      if (!isRead && stream.decision !== undefined) await runManager?.handleCustomEvent(STREAM_LEFT, stream.decision)
    }
  }

  override async *_streamChatModelEvents(
    messages: Array<BaseMessage>,
    options: this["ParsedCallOptions"]
  ): AsyncGenerator<ChatModelStreamEvent> {
    const stream = await this.openStream(messages, options)
    const streamUsage = this.wantsUsage(options)
    const closing = new Closing(streamUsage)
    const source = stream as unknown as Parameters<typeof convertOpenAICompletionsStream>[0]
    const mapChunk = (chunk: typeof source extends AsyncIterable<infer C> ? C : never) => {
      closing.add(chunk as never)
      return chunk
    }
    for await (const event of convertOpenAICompletionsStream(source, { streamUsage, provider: PROVIDER, mapChunk })) {
      if (event.event !== "message-finish") yield event
      else {
        const usage = toUsage(closing.envelope.usage)
        const responseMetadata = metadataOf(closing.envelope, closing.choice, stream.decision)
        yield { ...event, ...(usage === undefined ? {} : { usage }), responseMetadata }
      }
    }
  }

  override bindTools(
    tools: Array<BindToolsInput>,
    options: Partial<ChatGatewayCallOptions> = {}
  ): Runnable<BaseLanguageModelInput, AIMessageChunk, ChatGatewayCallOptions> {
    return this.withConfig({ ...options, tools })
  }

  /**
   * Answers in a schema's shape. `method`: `functionCalling` unless the profile says that the model keeps to a JSON schema, then
   * `jsonSchema`; `jsonMode` only asks for JSON. `includeRaw` gives the message too, with its decision.
   */
  override withStructuredOutput<Output extends Shape = Shape>(
    schema: SerializableSchema<Output>,
    config?: StructuredOutputMethodOptions<false>
  ): Runnable<BaseLanguageModelInput, Output>
  override withStructuredOutput<Output extends Shape = Shape>(
    schema: SerializableSchema<Output>,
    config?: StructuredOutputMethodOptions<true>
  ): Runnable<BaseLanguageModelInput, WithRaw<Output>>
  override withStructuredOutput<Output extends Shape = Shape>(
    schema: InteropZodType<Output> | Shape,
    config?: StructuredOutputMethodOptions<false>
  ): Runnable<BaseLanguageModelInput, Output>
  override withStructuredOutput<Output extends Shape = Shape>(
    schema: InteropZodType<Output> | Shape,
    config?: StructuredOutputMethodOptions<true>
  ): Runnable<BaseLanguageModelInput, WithRaw<Output>>
  override withStructuredOutput(schema: unknown, config: StructuredOutputMethodOptions<boolean> = {}) {
    const canFollowSchema = this.profile.structuredOutput === true
    return structuredOutput((options) => this.withConfig(options), schema, config, canFollowSchema) as never
  }

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
      ls_stop: stop
    } as LangSmithParams
  }

  override get callKeys(): Array<string> {
    return [...super.callKeys, ...callKeys]
  }

  override get lc_secrets(): { [key: string]: string } {
    return { apiKey: "GATEWAY_API_KEY" }
  }

  /** The key is no property of a model; this stands in its place until it is replaced by the mark of a secret. */
  override get lc_attributes() {
    return { ...super.lc_attributes, apiKey: "" as never }
  }

  override get lc_serializable_keys(): Array<string> {
    return serializedKeys
  }

  override _llmType(): string {
    return "gateway"
  }

  /** What an answer depends on, for caches. */
  override _identifyingParams(): Record<string, unknown> {
    return { ...this.invocationParams(), base_url: this.baseUrl, route: this.route }
  }

  /** A cached answer is the same for every session, tag and signal. */
  override _getSerializedCacheKeyParametersForCall(
    options: ChatGatewayCallOptions & { config?: RunnableConfig }
  ): string {
    const {
      gatewayTags: _tags,
      sessionId: _session,
      signal: _signal,
      ...rest
    } = options as typeof options & CallOptions
    return super._getSerializedCacheKeyParametersForCall(rest)
  }

  /** Headers may hold secrets: no trace gets them. */
  protected override _getCallOptionsForTracing(options: this["ParsedCallOptions"]): this["ParsedCallOptions"] {
    const { gatewayTags: _tags, headers: _headers, ...rest } = options as CallOptions
    return rest as this["ParsedCallOptions"]
  }

  /** Core takes the tags out of a call's options; the gateway wants them too. */
  protected override _separateRunnableConfigFromCallOptionsCompat(
    options?: Partial<ChatGatewayCallOptions>
  ): [RunnableConfig, this["ParsedCallOptions"]] {
    const [config, callOptions] = super._separateRunnableConfigFromCallOptionsCompat(options)
    const gatewayTags = [...(this.tags ?? []), ...(config.tags ?? [])]
    return [config, { ...callOptions, ...(gatewayTags.length === 0 ? {} : { gatewayTags }) }]
  }

  private request(messages: ReadonlyArray<BaseMessage>, options: this["ParsedCallOptions"], extra: object): Outgoing {
    return {
      method: "POST",
      path: "/chat/completions",
      body: { ...this.invocationParams(options), ...extra, messages: toWireMessages(messages) },
      headers: toHeaders(this, options as CallOptions),
      signal: options.signal
    }
  }

  private wantsUsage(options: this["ParsedCallOptions"]): boolean {
    return options.streamUsage ?? this.streamUsage
  }

  /** Only the answer's head is tried again: what has begun to come is never asked for twice. */
  private async openStream(
    messages: ReadonlyArray<BaseMessage>,
    options: this["ParsedCallOptions"]
  ): Promise<ChatStream> {
    options.signal?.throwIfAborted()
    const usage = this.wantsUsage(options) ? { stream_options: { include_usage: true } } : {}
    const request = this.request(messages, options, { stream: true, ...usage })
    const opened = await this.caller.callWithOptions(callerOptions(options), () => this.connection.open(request))
    return new ChatStream(opened, this.connection, (decision) => this.decided(decision))
  }

  private async *told(
    message: AIMessageChunk,
    runManager: CallbackManagerForLLMRun | undefined
  ): AsyncGenerator<ChatGenerationChunk> {
    const text = typeof message.content === "string" ? message.content : ""
    const chunk = new ChatGenerationChunk({ message, text })
    yield chunk
    await runManager?.handleLLMNewToken(text, FIRST, undefined, undefined, undefined, { chunk })
  }

  private async generateByStream(
    messages: Array<BaseMessage>,
    options: this["ParsedCallOptions"],
    runManager: CallbackManagerForLLMRun | undefined
  ): Promise<ChatResult> {
    let whole: ChatGenerationChunk | undefined
    for await (const chunk of this._streamResponseChunks(messages, options, runManager)) {
      whole = whole?.concat(chunk) ?? chunk
    }
    return { generations: [whole!] }
  }

  private decided(decision: GatewayDecision | undefined): void {
    if (decision === undefined || this.onDecision === undefined) return
    try {
      this.onDecision(decision)
    } catch (error) {
      console.warn(`ChatGateway: onDecision failed: ${String(error)}`)
    }
  }
}

type Shape = Record<string, any>
type WithRaw<Output> = { raw: BaseMessage; parsed: Output }

const FIRST = { prompt: 0, completion: 0 }

const callerOptions = ({
  maxRetries,
  signal
}: {
  readonly maxRetries?: number
  readonly signal?: AbortSignal | undefined
}) => ({
  ...(signal === undefined ? {} : { signal }),
  ...(maxRetries === undefined ? {} : { maxRetries })
})
