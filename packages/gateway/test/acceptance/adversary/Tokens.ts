/** Text in tokens, exactly: o200k, by OpenAI's own program. Special tokens in a caller's text are text. */
import { get_encoding } from "tiktoken"

const o200k = get_encoding("o200k_base")

/** The same text is counted by its caller, by the provider, and again in the next request. */
const known = new Map<string, number>()
const MOST_KNOWN = 2000

export const tokensIn = (text: string): number => {
  let count = known.get(text)
  if (count !== undefined) return count
  if (known.size >= MOST_KNOWN) known.clear()
  known.set(text, (count = o200k.encode(text, [], []).length))
  return count
}

/**
 * The tokens of a model whose tokenizer is not published, as `factor` times those of o200k. No tokenizer that works on bytes makes
 * more tokens than there are bytes.
 */
export const tokensByFactor = (text: string, factor: number): number =>
  Math.min(Buffer.byteLength(text), Math.ceil(tokensIn(text) * factor))
