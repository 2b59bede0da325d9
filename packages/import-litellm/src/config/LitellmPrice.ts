/** USD per token, as LiteLLM has prices, → USD per million (https://docs.litellm.ai/docs/proxy/custom_pricing, read 2026-11-22). */
import type { Account } from "./source/ConfigAccount.ts"
import type { Cursor } from "./source/Cursor.ts"
import type { Fields } from "./LitellmProviders.ts"

const names: { readonly [theirs: string]: string } = {
  input_cost_per_token: "input",
  cache_read_input_token_cost: "cached_input",
  cache_creation_input_token_cost: "cache_write",
  cache_creation_input_token_cost_above_1hr: "cache_write_1h",
  input_cost_per_audio_token: "audio_input",
  output_cost_per_token: "output",
  output_cost_per_reasoning_token: "reasoning",
  output_cost_per_audio_token: "audio_output"
}

const HIGHEST = 1_000_000

/** `isEmbedding`: it has no output, so none has to have a price. Undefined: the model catalogue says it. */
export const priceOf = (
  written: ReadonlyMap<string, Cursor>,
  isEmbedding: boolean,
  to: string,
  account: Account
): Fields | undefined => {
  const price: Record<string, number> = {}
  const used: Array<readonly [Cursor, boolean]> = []
  for (const [theirs, ours] of Object.entries(names)) {
    const found = written.get(theirs)
    if (found === undefined) continue
    const perMillion = (found.number ?? Number.NaN) * 1e6
    if (!(perMillion >= 0 && perMillion <= HIGHEST)) {
      account.say(found, "left_out", "this is no price: a number of USD per token from 0")
      continue
    }
    // Prices have six decimals. What is smaller must not be booked as nothing.
    const rounded = Number(perMillion.toFixed(6))
    const kept = rounded >= perMillion * (1 - 1e-9) ? rounded : Number((Math.ceil(perMillion * 1e6) / 1e6).toFixed(6))
    price[ours] = kept
    used.push([found, Math.abs(kept - perMillion) > perMillion * 1e-6])
  }
  if (isEmbedding && price["input"] !== undefined) price["output"] ??= 0
  if (price["input"] === undefined || price["output"] === undefined) {
    for (const [found] of used) {
      account.say(
        found,
        "left_out",
        "a price needs input and output; the model catalogue is used, where it knows the model"
      )
    }
    return undefined
  }
  for (const [found, isRounded] of used) {
    if (isRounded) account.say(found, "changed", "USD per million tokens, rounded up to six decimals", to)
    else account.say(found, "carried", "USD per million tokens", to)
  }
  return price
}
