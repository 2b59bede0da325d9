/** What a response used, from the `usage` object of OpenAI and of the many servers that write their own version of it. */
import { inputTokens, noUsage, outputTokens, totalTokens, type Usage } from "../../../../core/domain/Usage.ts"
import { countOf, isGarbage, isObject, objectOr, type JsonObject } from "../../../json/LooseJson.ts"

/**
 * The usage in disjoint classes, summing to the provider's total; undefined where it says nothing (absent, null, all zero) or
 * where one of its totals is no number of tokens.
 *
 * In OpenAI's terms cached, cache-written and audio tokens are part of `prompt_tokens`, reasoning and audio tokens of
 * `completion_tokens`. Servers that count reasoning on top (xAI, Gemini's compatible API) are told by their `total_tokens`: what is
 * above prompt and completion was produced too, but for audio that can't be part of the prompt (Mistral). Input alone is half of the usage, so that nothing is known of it (`isWhole`: of what
 * has no output it is all). Parts that exceed what they are part of are cut, never the total.
 */
export const usageOf = (raw: unknown, isWhole = false): Usage | undefined => {
  if (!isObject(raw)) return undefined
  const toldPrompt = raw["prompt_tokens"] ?? raw["input_tokens"]
  const toldCompletion = raw["completion_tokens"] ?? raw["output_tokens"]
  // Half of it would be recorded as if the other half were free.
  if (isGarbage(toldPrompt) || isGarbage(toldCompletion)) return undefined
  if (!isWhole && (toldCompletion ?? raw["total_tokens"] ?? undefined) === undefined) return undefined
  const told = countOf(toldCompletion)
  const promptDetails = objectOr(raw["prompt_tokens_details"] ?? raw["prompt_token_details"])
  const beside = Math.max(0, countOf(raw["total_tokens"]) - countOf(toldPrompt) - told)
  const audio = countOf(promptDetails["audio_tokens"])
  const isAudioBeside = beside === audio || (beside > audio && audio > countOf(toldPrompt))
  const prompt = countOf(toldPrompt) + (isAudioBeside ? audio : 0)
  const completionDetails = objectOr(raw["completion_tokens_details"])

  const cachedInput = Math.min(prompt, cachedTokens(raw, promptDetails))
  const written = Math.min(prompt - cachedInput, countOf(promptDetails["cache_write_tokens"]))
  const lifetimes = objectOr(promptDetails["cache_write_tokens_details"])
  const cacheWrite12h = Math.min(written, countOf(lifetimes["ttl_12h_tokens"]))
  const audioInput = Math.min(prompt - cachedInput - written, audio)

  const surplus = isAudioBeside ? beside - audio : beside
  const completion = told + surplus
  const reasoning = Math.min(
    completion,
    countOf(completionDetails["reasoning_tokens"] ?? raw["reasoning_tokens"]) || surplus
  )
  const audioOutput = Math.min(completion - reasoning, countOf(completionDetails["audio_tokens"]))
  const imageOutput = Math.min(completion - reasoning - audioOutput, countOf(completionDetails["image_tokens"]))

  const usage: Usage = {
    ...noUsage,
    input: prompt - cachedInput - written - audioInput,
    cachedInput,
    cacheWrite: written - cacheWrite12h,
    cacheWrite12h,
    output: completion - reasoning - audioOutput - imageOutput,
    reasoning,
    audioInput,
    imageOutput,
    audioOutput,
    // Mistral bills recordings by the second, beside the tokens of the text.
    audioSeconds: countOf(raw["prompt_audio_seconds"]),
    webSearches: searches(raw)
  }
  return totalTokens(usage) === 0 ? undefined : usage
}

/**
 * A provider's `usage` object with the totals in OpenAI's terms. Details that are null, as some servers write them, are left out:
 * the vendor's clients read into them.
 */
export const canonicalUsage = (raw: JsonObject, usage: Usage): JsonObject => ({
  ...Object.fromEntries(Object.entries(raw).filter(([, value]) => value !== null)),
  prompt_tokens: inputTokens(usage),
  completion_tokens: outputTokens(usage),
  total_tokens: totalTokens(usage)
})

/** Whether `canonicalUsage` would leave it as it is. */
export const isCanonicalUsage = (raw: unknown, usage: Usage): boolean => {
  if (!isObject(raw)) return false
  for (const name in raw) if (raw[name] === null) return false
  return (
    raw["prompt_tokens"] === inputTokens(usage) &&
    raw["completion_tokens"] === outputTokens(usage) &&
    raw["total_tokens"] === totalTokens(usage)
  )
}

/** OpenAI; DeepSeek; Mistral; some servers on Hugging Face. */
const cachedTokens = (raw: JsonObject, details: JsonObject): number =>
  countOf(details["cached_tokens"]) ||
  countOf(raw["prompt_cache_hit_tokens"]) ||
  countOf(raw["num_cached_tokens"]) ||
  countOf(raw["cached_tokens"])

/** OpenRouter, under two names; xAI, which bills each source. */
const searches = (raw: JsonObject): number =>
  countOf(objectOr(raw["server_tool_use"] ?? raw["server_tool_use_details"])["web_search_requests"]) ||
  countOf(raw["num_sources_used"])
