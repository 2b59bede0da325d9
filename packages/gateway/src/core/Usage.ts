/**
 * Tokens of one answer, in classes that do not overlap: their sum is the provider's total. Providers differ in what includes
 * what (OpenAI's `prompt_tokens` holds the cached ones, Anthropic's `input_tokens` does not); each protocol normalises to this.
 */
export interface Usage {
  /** Text (and image) input that was neither read from nor written to a cache. */
  readonly input: number
  readonly cachedInput: number
  /** Written to a prompt cache that lives five minutes (the default lifetime). */
  readonly cacheWrite: number
  /** Written to a prompt cache that lives one hour. */
  readonly cacheWrite1h: number
  /** Visible output, without reasoning and audio. */
  readonly output: number
  readonly reasoning: number
  readonly audioInput: number
  readonly audioOutput: number
}

export const noUsage: Usage = {
  input: 0,
  cachedInput: 0,
  cacheWrite: 0,
  cacheWrite1h: 0,
  output: 0,
  reasoning: 0,
  audioInput: 0,
  audioOutput: 0
}

/** Whole tokens, none below zero, in every class; whoever reads a provider's answer should see to it. */
export const isWhole = (usage: Usage): boolean =>
  isCount(usage.input) &&
  isCount(usage.cachedInput) &&
  isCount(usage.cacheWrite) &&
  isCount(usage.cacheWrite1h) &&
  isCount(usage.output) &&
  isCount(usage.reasoning) &&
  isCount(usage.audioInput) &&
  isCount(usage.audioOutput)

const isCount = (tokens: number): boolean => Number.isSafeInteger(tokens) && tokens >= 0

/** Everything that was read: what `prompt_tokens` means. */
export const inputTokens = (usage: Usage): number =>
  usage.input + usage.cachedInput + usage.cacheWrite + usage.cacheWrite1h + usage.audioInput

/** Everything that was produced: what `completion_tokens` means. */
export const outputTokens = (usage: Usage): number => usage.output + usage.reasoning + usage.audioOutput

/** All tokens of an answer. */
export const totalTokens = (usage: Usage): number => inputTokens(usage) + outputTokens(usage)
