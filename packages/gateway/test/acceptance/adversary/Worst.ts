/** The most that a provider could bill for a request by its published rules: what a caller with a calculator would expect. */
import { billOf, nothing } from "./Bill.ts"
import type { Drawn } from "./Caller.ts"
import { numberOf } from "./Plan.ts"
import { readingOf, type Told } from "./Reading.ts"

/** A request without an output limit is content with so many tokens. */
const LEAST_OUTPUT = 256

/** Nano-USD; undefined where the provider would refuse the request as its caller wrote it. */
export const worstBill = ({ body, model }: Drawn, told: Told): number | undefined => {
  const { audio, input, marked, refusal } = readingOf(body, model.rules, told)
  const limit = numberOf(body["max_completion_tokens"] ?? body["max_tokens"])
  const room = model.window - input - audio
  if (refusal !== undefined || (limit ?? 0) > model.maxOutput || room < LEAST_OUTPUT) return undefined
  const choices = numberOf(body["n"]) ?? 1
  const each = model.thinks === "on top" ? room : Math.min(limit ?? LEAST_OUTPUT, room)
  const isSpoken = Array.isArray(body["modalities"])
  const written = model.provider === "anthropic" ? marked : 0
  const used = {
    ...nothing,
    input: input - written,
    cacheWrite: written,
    audioInput: audio,
    output: isSpoken ? 0 : each * choices,
    audioOutput: isSpoken ? each * choices : 0,
    searches: model.takes.includes("search") ? 1 : 0
  }
  const prices = body["service_tier"] === "priority" ? model.prices.priority : undefined
  return billOf(used, prices ?? model.prices.default)
}
