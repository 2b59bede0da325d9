/** The gateway as a LangChain chat model. */
import type { CallbackManagerForLLMRun } from "@langchain/core/callbacks/manager"
import type { BaseLanguageModelInput, StructuredOutputMethodOptions } from "@langchain/core/language_models/base"
import { BaseChatModel, type BindToolsInput } from "@langchain/core/language_models/chat_models"
import type { ChatModelStreamEvent } from "@langchain/core/language_models/event"
import type { ChatModelStream } from "@langchain/core/language_models/stream"
import type { AIMessageChunk, BaseMessage } from "@langchain/core/messages"
import type { ChatGenerationChunk, ChatResult } from "@langchain/core/outputs"
import type { Runnable } from "@langchain/core/runnables"
import type { StreamEvent } from "@langchain/core/tracers/log_stream"
import type { SerializableSchema } from "@langchain/core/utils/standard_schema"
import type { IterableReadableStream } from "@langchain/core/utils/stream"
import type { ChainValues, InteropZodType } from "@langchain/core/utils/types"
import { ChatStream } from "./stream/ChatStream.ts"
import { decisionOfBody, decisionOfHeaders } from "./spend/Decision.ts"
import { type ChatGatewayCallOptions, type ChatGatewayFields, readFields } from "./Fields.ts"
import { toMessage, toResult } from "./answer/FromWire.ts"
import { GatewayModel } from "./GatewayModel.ts"
import { fetchProfile } from "./Profile.ts"
import { leaving, toChunks, toEvents } from "./stream/Streaming.ts"
import { structuredOutput } from "./answer/StructuredOutput.ts"
import { tracedEvents } from "./stream/TracedEvents.ts"
import type { WireAnswer } from "./answer/Wire.ts"

/** What a schema describes: any object. */
type Shape = ChainValues
type EventOptions = Parameters<Runnable["streamEvents"]>[2]
type WithRaw<Output> = { raw: BaseMessage; parsed: Output }

export class ChatGateway extends GatewayModel {
  static override lc_name(): string {
    return "ChatGateway"
  }

  /** Throws a `GatewayConfigurationError` when there is no key or no address, here or in the environment. */
  constructor(model: string, fields?: Omit<ChatGatewayFields, "model">)
  constructor(fields?: ChatGatewayFields)
  constructor(first: ChatGatewayFields | string = {}, rest: Omit<ChatGatewayFields, "model"> = {}) {
    super(readFields(first, rest))
  }

  /** A model whose `profile` is what the gateway says its model can do. Fails when the key may not use that model. */
  static async fromGateway(model: string, fields?: Omit<ChatGatewayFields, "model">): Promise<ChatGateway>
  static async fromGateway(fields?: ChatGatewayFields): Promise<ChatGateway>
  static async fromGateway(
    first: ChatGatewayFields | string = {},
    rest: Omit<ChatGatewayFields, "model"> = {}
  ): Promise<ChatGateway> {
    const fields = readFields(first, rest)
    const model = new this(fields)
    const profile = await model.caller.try(() => fetchProfile(model.connection, model.model))
    return new this({ ...fields, profile: { ...profile, ...fields.profile } })
  }

  override async _generate(
    messages: Array<BaseMessage>,
    options: this["ParsedCallOptions"],
    runManager?: CallbackManagerForLLMRun
  ): Promise<ChatResult> {
    options.signal?.throwIfAborted()
    if (this.streaming) return this.generateByStream(messages, options, runManager)
    const request = this.request(messages, options, {})
    const { body, headers } = await this.caller.try(() => this.connection.json(request), options)
    const answer = body as WireAnswer
    if (answer.error) throw this.connection.errorIn(body, headers)
    const decision = decisionOfBody(answer.gateway, headers) ?? decisionOfHeaders(headers)
    this.decided(decision)
    const message = toMessage(answer, decision)
    if (message === undefined) throw this.connection.withoutMessage(headers)
    return toResult({ text: message.text, message })
  }

  /** Who leaves the stream does not wait for its next piece, which may be a minute away: the connection is closed at once. */
  override async stream(
    input: BaseLanguageModelInput,
    options?: Partial<ChatGatewayCallOptions>
  ): Promise<IterableReadableStream<AIMessageChunk>> {
    const { leavable, signal } = leaving(options?.signal)
    return leavable(await super.stream(input, { ...options, signal }))
  }

  override async *_streamResponseChunks(
    messages: Array<BaseMessage>,
    options: this["ParsedCallOptions"],
    runManager?: CallbackManagerForLLMRun
  ): AsyncGenerator<ChatGenerationChunk> {
    const by = { run: runManager, signal: options.signal }
    yield* toChunks(await this.openStream(messages, options), this.wantsUsage(options), by)
  }

  override async *_streamChatModelEvents(
    messages: Array<BaseMessage>,
    options: this["ParsedCallOptions"],
    runManager?: CallbackManagerForLLMRun
  ): AsyncGenerator<ChatModelStreamEvent> {
    const by = { run: runManager, signal: options.signal }
    yield* toEvents(await this.openStream(messages, options), this.wantsUsage(options), by)
  }

  override streamEvents(
    input: BaseLanguageModelInput,
    options: Partial<ChatGatewayCallOptions> & { version: "v1" | "v2"; encoding: "text/event-stream" },
    streamOptions?: EventOptions
  ): IterableReadableStream<Uint8Array>
  override streamEvents(
    input: BaseLanguageModelInput,
    options: Partial<ChatGatewayCallOptions> & { version: "v1" | "v2" },
    streamOptions?: EventOptions
  ): IterableReadableStream<StreamEvent>
  override streamEvents(input: BaseLanguageModelInput, options?: Partial<ChatGatewayCallOptions>): ChatModelStream
  override streamEvents(
    input: BaseLanguageModelInput,
    options: Partial<ChatGatewayCallOptions> & { version?: "v1" | "v2" } = {},
    streamOptions?: EventOptions
  ): ChatModelStream | IterableReadableStream<StreamEvent | Uint8Array> {
    const { version } = options
    if (version === "v1" || version === "v2") {
      const { leavable, signal } = leaving(options.signal)
      return leavable(super.streamEvents(input, { ...options, version, signal }, streamOptions))
    }
    const messages = BaseChatModel._convertInputToPromptValue(input).toChatMessages()
    const [config, callOptions] = this._separateRunnableConfigFromCallOptionsCompat(options)
    return tracedEvents(
      () => this.startRun(messages, config, callOptions),
      (run) => this._streamChatModelEvents(messages, callOptions, run)
    )
  }

  /** LangChain tools and others' forms of them. `tool_choice`: `auto`, `any`, `none` or a tool's name. */
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
    const opened = await this.caller.try(() => this.connection.open(request), options)
    return new ChatStream(opened, this.connection, (decision) => this.decided(decision))
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
    return whole === undefined ? { generations: [] } : toResult(whole)
  }
}
