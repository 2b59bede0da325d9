/**
 * OpenRouter sends one model to servers of several prices, and the caller's routing may choose a dear one. With `provider.max_price` it
 * asks only those that cost no more than the price that a caller's budget was checked against
 * (https://openrouter.ai/docs/client-sdks/typescript/models/maxprice.md, read 2026-11-22: USD per million tokens).
 */
import type { UpstreamCall } from "../../../../core/pool/Protocol.ts"
import { isObject, objectOr } from "../../../json/LooseJson.ts"

/**
 * Models that can't read PDFs get their text, by default from a service that is billed by the page. This one is free:
 * https://openrouter.ai/docs/projects/docs/guides/overview/multimodal/pdfs (2026-11-22).
 */
const FREE_PARSER = [{ id: "file-parser", pdf: { engine: "cloudflare-ai" } }]

/** Pico-USD per token are micro-USD per million tokens. */
const PICO_PER_MILLION = 1_000_000

/** A caller's own limit stands where it is lower. */
export const limitPrice = (body: Record<string, unknown>, call: UpstreamCall): void => {
  const { deployment, now, request } = call
  if (deployment.quirks?.takesMaxPrice !== true || call.hasBudget !== true) return
  if (body["plugins"] === undefined && request.media.some(({ kind }) => kind === "file")) body["plugins"] = FREE_PARSER
  const rates = deployment.price?.ratesAt(now)
  if (rates === undefined) return
  const provider = objectOr(body["provider"])
  const limits: Record<string, unknown> = isObject(provider["max_price"]) ? { ...provider["max_price"] } : {}
  for (const [theirs, name] of [["prompt", "input"] as const, ["completion", "output"] as const]) {
    // Of a price by tiers the highest may hold: the tokens decide which.
    const most = Math.max(rates.base[name], ...rates.tiers.map((tier) => tier.rates[name])) / PICO_PER_MILLION
    if (Number.isFinite(most)) limits[theirs] = least(limits[theirs], most)
  }
  body["provider"] = { ...provider, max_price: limits }
}

const least = (own: unknown, most: number): number => {
  const given = typeof own === "string" && own.trim() !== "" ? Number(own) : own
  return typeof given === "number" && given >= 0 && given < most ? given : most
}
