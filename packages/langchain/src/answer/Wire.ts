/** The parts of the chat wire format that this package reads. Everything may be missing: servers differ. */
export interface WireToolCall {
  readonly index?: number
  readonly id?: string | null
  readonly type?: string
  readonly function?: { readonly name?: string | null; readonly arguments?: string | null } | null
}

export interface WireMessage {
  readonly role?: string
  readonly content?: string | null
  readonly refusal?: string | null
  readonly reasoning_content?: string | null
  readonly reasoning?: string | null
  readonly tool_calls?: ReadonlyArray<WireToolCall> | null
  readonly audio?: Readonly<Record<string, unknown>> | null
  /** Where the model has it from: `{type: "url_citation", url_citation: {…}}`. */
  readonly annotations?: ReadonlyArray<unknown> | null
}

export interface WireUsage {
  readonly prompt_tokens?: number | null
  readonly completion_tokens?: number | null
  readonly total_tokens?: number | null
  readonly prompt_tokens_details?: {
    readonly cached_tokens?: number | null
    readonly cache_write_tokens?: number | null
    readonly cache_creation_tokens?: number | null
    readonly audio_tokens?: number | null
  } | null
  readonly completion_tokens_details?: {
    readonly reasoning_tokens?: number | null
    readonly audio_tokens?: number | null
  } | null
  /** USD; null: unknown. */
  readonly cost?: number | null
}

export interface WireChoice {
  readonly index?: number
  readonly finish_reason?: string | null
  readonly logprobs?: unknown
}

/** What an answer and each event of a stream have in common. */
export interface WireEnvelope {
  readonly id?: string
  readonly model?: string
  readonly created?: number
  readonly system_fingerprint?: string | null
  readonly service_tier?: string | null
  readonly usage?: WireUsage | null
  readonly gateway?: unknown
  readonly error?: unknown
}

export interface WireAnswer extends WireEnvelope {
  readonly choices?: ReadonlyArray<WireChoice & { readonly message?: WireMessage | null }>
}

export interface WireChunk extends WireEnvelope {
  readonly choices?: ReadonlyArray<WireChoice & { readonly delta?: WireMessage | null }>
}
