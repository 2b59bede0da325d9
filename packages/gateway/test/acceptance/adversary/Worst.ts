/** The most that a provider could bill for a request by its published rules: what a caller with a calculator would expect. */
import { billOf, nothing } from "./Bill.ts"
import type { Drawn } from "./Caller.ts"
import { hostedTool, MOST_ROUNDS, numberOf } from "./Plan.ts"
import { readingOf, type Told } from "./Reading.ts"
import type { Service } from "./Services.ts"

/** A request without an output limit is content with so many tokens. */
const LEAST_OUTPUT = 256

/** Nano-USD; undefined where the provider would refuse the request as its caller wrote it. */
export const worstBill = (drawn: Drawn, told: Told): number | undefined => {
  const { body, model } = drawn
  // What the gateway removes is not billed.
  if (model.service !== undefined) return Math.ceil(leastBill(model.service, drawn) * 1e9)
  const { audio, input: read, marked, refusal, strange } = readingOf(body, model.rules, told)
  const limit = numberOf(body["max_completion_tokens"] ?? body["max_tokens"])
  // Of a part that no document names only the window is known.
  const input = strange > 0 ? model.window - LEAST_OUTPUT : read
  const room = model.window - input - audio
  const looked = lookUps(drawn, input)
  if (refusal !== undefined || (limit ?? 0) > model.maxOutput || room < LEAST_OUTPUT) return undefined
  const choices = numberOf(body["n"]) ?? 1
  const each = model.thinks === "on top" ? room : Math.min(limit ?? LEAST_OUTPUT, room)
  const isSpoken = Array.isArray(body["modalities"])
  const written = model.provider === "anthropic" ? marked : 0
  const used = {
    ...nothing,
    input: looked.input - written,
    cacheWrite: written,
    audioInput: audio,
    output: isSpoken ? 0 : each * choices,
    audioOutput: isSpoken ? each * choices : 0,
    searches: looked.searches
  }
  const prices = body["service_tier"] === "priority" ? model.prices.priority : undefined
  return billOf(used, prices ?? model.prices.default)
}

/** Each round may read all that fits into the window; what may be fetched is limited where the caller limits it. */
const lookUps = ({ body, model }: Drawn, input: number): { readonly input: number; readonly searches: number } => {
  if (model.takes.includes("search")) return { input, searches: 1 }
  const tool = hostedTool(model, body)
  if (tool === undefined) return { input, searches: 0 }
  const rounds = numberOf(tool["max_uses"]) ?? MOST_ROUNDS
  const found = numberOf(tool["max_content_tokens"]) ?? model.window
  const rereads = Array.from({ length: rounds }, (_, round) => Math.min(model.window, input + (round + 1) * found))
  return {
    input: input + rereads.reduce((sum, one) => sum + one, 0),
    searches: String(tool["type"]).startsWith("web_search") ? rounds : 0
  }
}

/** Its provider may get the request in another shape, of the same texts. */
const leastBill = ({ bill }: Service, { body }: Drawn): number => {
  const { messages } = body
  return bill({ ...body, contents: messages })
}
