/** What a request may use that a deployment has no price for. */
import type { RoutedRequest } from "../operations/CallRequest.ts"
import type { Deployment } from "../domain/Deployment.ts"
import { priceKey, type PriceSheet, sheetOf, unknownClasses } from "../domain/pricing/Pricing.ts"
import { tierPlan } from "./TierPlan.ts"
import type { UsageClass } from "../domain/Usage.ts"
import { mayDraw } from "./Drawing.ts"
import { asksForSearch, runsHosted, searchesAnyway, toolsIn } from "./HostedTools.ts"

/** The missing price as in the configuration's `price`; undefined if none is missing. Only for callers with a budget. */
export const unpricedIn = (deployment: Deployment, price: PriceSheet, request: RoutedRequest): string | undefined => {
  const { dearest } = tierPlan(deployment, request, true)
  const sheet = sheetOf(price, dearest)
  if (sheet === undefined) return dearest
  if (request.billing !== undefined) {
    const name = request.billing.unpriced(deployment, sheet)
    return name === undefined ? undefined : priceKey(name)
  }
  const unknown = unknownClasses(sheet)
  if (unknown.size === 0) return undefined
  const lacking = (name: UsageClass, mayBeUsed: boolean) => mayBeUsed && unknown.has(name)
  const { body, needs } = request
  const { modalities, tools } = body
  if (lacking("requestFees", true)) return priceKey("requestFees")
  if (lacking("audioInput", needs.includes("audio"))) return priceKey("audioInput")
  if (Array.isArray(modalities)) {
    if (lacking("audioOutput", modalities.includes("audio"))) return priceKey("audioOutput")
    if (lacking("imageOutput", modalities.includes("image"))) return priceKey("imageOutput")
  }
  if (deployment.bounds?.drawing !== undefined && lacking("imageOutput", mayDraw(request)))
    return priceKey("imageOutput")
  // A model that searches on every call has one fee for each call: search options cost nothing extra.
  const isPaidAnyway = sheet.hasRequestFee === true && searchesAnyway(deployment)
  if (!isPaidAnyway && lacking("webSearches", asksForSearch(body))) return priceKey("webSearches")
  if ((!Array.isArray(tools) && !Array.isArray(body["input"])) || !runsHosted(request, deployment)) return undefined
  for (const [, tool] of toolsIn(body)) {
    const name = feeOf(tool)
    if (name !== undefined && lacking(name, true)) return priceKey(name)
  }
  return undefined
}

/** Vendors' own tools whose calls cost a fee; their types may end in a date. */
const FEES: ReadonlyArray<readonly [tool: string, UsageClass]> = [
  ["web_search", "webSearches"],
  ["openrouter:web_search", "webSearches"],
  ["file_search", "fileSearches"],
  ["code_execution", "codeExecutions"],
  ["code_interpreter", "codeExecutions"]
]

/** Google's own tools have no type, but a field each. */
const SEARCHES = /^(?:google_?search|google_?maps|enterprise_?web_?search|retrieval)/i

const searchOf = (fields: ReadonlyArray<string>): UsageClass | undefined =>
  fields.some((name) => SEARCHES.test(name)) ? "webSearches" : undefined

const feeOf = (tool: unknown): UsageClass | undefined => {
  const type = typeof tool === "object" && tool !== null && "type" in tool ? tool.type : undefined
  if (type === undefined && typeof tool === "object" && tool !== null) return searchOf(Object.keys(tool))
  if (typeof type !== "string" || type === "function") return undefined
  return FEES.find(([name]) => type.startsWith(name))?.[1]
}
