/**
 * What OpenRouter billed for the recorded exchanges (`usage.cost`), against what the gateway would have booked for the same usage.
 */
import { costOf } from "../../src/core/domain/pricing/Pricing.ts"
import { shippedCatalogue } from "../../src/providers/catalogue/facts/Shipped.ts"
import { catalogueSheet } from "../../src/providers/prices/CataloguePrices.ts"
import { usageOf } from "../../src/providers/protocols/openai/answer/OpenAiChatUsage.ts"
import { type Exchange, loadFamily } from "../support/Transcripts.ts"

export interface Billed {
  readonly exchange: string
  readonly model: string
  /** USD. */
  readonly billed: number
  /** USD; undefined: no price is known. */
  readonly booked: number | undefined
  /** Why they may differ; undefined: they should not. */
  readonly because: string | undefined
}

interface Told {
  readonly model?: unknown
  readonly usage?: { readonly cost?: unknown; readonly is_byok?: unknown; readonly [field: string]: unknown }
}

/** Relative; the vendor rounds. */
export const TOLERANCE = 0.005

export const isOff = ({ billed, booked }: Billed): boolean =>
  booked === undefined || Number.isNaN(booked) || Math.abs(booked - billed) > TOLERANCE * Math.max(billed, 1e-6)

/** `at`: epoch ms, for prices that change. */
export const billedExchanges = (at: number): ReadonlyArray<Billed> =>
  ["openrouter.chat_completions", "openrouter.v1_responses"].flatMap(loadFamily).flatMap((exchange) => {
    const told = toldIn(exchange)
    const billed = told?.usage?.cost
    if (told === undefined || typeof billed !== "number") return []
    const model = String(exchange.request.body?.["model"])
    const usage = usageOf(inChatTerms(told.usage))
    const sheet = sheetOf(model)
    const booked = sheet === undefined || usage === undefined ? undefined : costOf(sheet, usage, at) / 1e9
    return [{ exchange: exchange.name, model, billed, booked, because: reasonOf(exchange, told, model) }]
  })

const sheetOf = (model: string) => catalogueSheet(shippedCatalogue(), "openrouter", model)

/** Responses call the same by other names. */
const inChatTerms = (usage: Told["usage"]): object => ({
  ...usage,
  ...(usage?.["input_tokens_details"] === undefined ? {} : { prompt_tokens_details: usage["input_tokens_details"] }),
  ...(usage?.["output_tokens_details"] === undefined
    ? {}
    : { completion_tokens_details: usage["output_tokens_details"] })
})

/** The answer, or the last event of a stream, that tells a cost. */
const toldIn = ({ response, streamed }: Exchange): Told | undefined => {
  const text = Buffer.from(response.bytes).toString("utf8")
  const texts = streamed ? [...text.matchAll(/^data: (\{.*\})\s*$/gm)].map(([, data]) => data!) : [text]
  const all = texts.flatMap((one): ReadonlyArray<Told> => {
    try {
      const value = JSON.parse(one) as Told & { readonly response?: Told }
      return [value.response ?? value]
    } catch {
      return []
    }
  })
  return all.findLast(({ usage }) => typeof usage?.cost === "number")
}

/** Clouds that sell at the maker's price. */
const OWN_HOSTS = new Set(["Amazon Bedrock", "Google", "Google AI Studio", "Azure"])

/** Read by hand, from the rates that `cost_details` comes to. */
const LISTED_OTHERWISE: ReadonlyMap<string, string> = new Map([
  ["google/gemini-2.5-flash", "the list has cached input at $0.075 per million tokens, billed are 0.03"]
])

/** What a request has billed beside its tokens, or at another price than that of its model. */
const reasonOf = ({ request, response }: Exchange, { model: answered, usage }: Told, model: string) => {
  const body = JSON.stringify(request.body)
  const text = Buffer.from(response.bytes).toString("utf8")
  if (usage?.is_byok === true) return "with a key of the caller's own"
  if (model.endsWith(":free") || "models" in (request.body ?? {})) return `another model answered: ${String(answered)}`
  if (/"plugins"|openrouter:|"web_search|:online/.test(body) || /"url_citation"|"type":\s*"file"/.test(text))
    return "with a tool or plugin of its own"
  if (sheetOf(model) === undefined) return "not in the catalogue"
  const listed = LISTED_OTHERWISE.get(model)
  if (listed !== undefined) return listed
  if (request.url.endsWith("/responses")) return "at the price of one of its hosts, which is not told"
  const host = /"provider":\s*"([^"]+)"/.exec(text)?.[1]
  return host === undefined || model.startsWith(`${host.toLowerCase()}/`) || OWN_HOSTS.has(host)
    ? undefined
    : `at the price of one of its hosts: ${host}`
}
