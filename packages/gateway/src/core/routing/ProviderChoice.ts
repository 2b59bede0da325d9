/** The deployments that a request's `provider` allows, in its order; and the tags that a key requires. */
import type { Choice, MaxPrice, Requirement, Sort } from "../domain/Choice.ts"
import type { Deployment } from "../domain/Deployment.ts"
import type { JsonObject } from "../domain/Json.ts"
import { type Rates, sheetOf } from "../domain/pricing/Pricing.ts"
import type { Order } from "../domain/Settings.ts"
import { tierPlan } from "../bounds/TierPlan.ts"
import type { RoutedRequest } from "../operations/CallRequest.ts"

/** The required tag that a deployment lacks; undefined if it has all. */
export const lackedTag = (
  { region: own, zdr: isZdr }: Pick<Deployment, "region" | "zdr">,
  { region, zdr }: Requirement
): string | undefined => {
  if (region !== undefined && region.length > 0 && (own === undefined || !region.includes(own))) {
    return `its region is ${own ?? "not known"}, required is ${region.join(" or ")}`
  }
  return zdr === true && isZdr !== true ? "it is not marked with zdr: true" : undefined
}

/** The names of a deployment in `provider`. */
export const slugsOf = ({ id, provider, vendor }: Deployment): ReadonlyArray<string> =>
  [id, provider, vendor].map((name) => name.toLowerCase())

/** It chooses among hosts that this gateway does not know. */
export const routesItself = ({ quirks }: Deployment): boolean => quirks?.takesMaxPrice === true

/** Why the caller's choice excludes a deployment; undefined if it does not. */
export const excludedBy = (choice: Choice, deployment: Deployment, request: RoutedRequest): string | undefined => {
  const slugs = slugsOf(deployment)
  const { allowFallbacks, foreign, hosts = [], ignore, maxPrice, order, zdr } = choice
  if (ignore.some((slug) => slugs.includes(slug))) return "`provider.ignore` names it"
  for (const [name, list] of [["only", choice.only] as const, ["order", allowFallbacks ? undefined : order] as const]) {
    const isNamed = (slug: string) => slugs.includes(slug) || (routesItself(deployment) && hosts.includes(slug))
    if (list !== undefined && !list.some(isNamed)) return `\`provider.${name}\` does not name it`
  }
  // It is sent the rest, and honours it.
  if (routesItself(deployment)) return undefined
  if (foreign.length > 0) return `it can't honour \`provider.${foreign[0]}\``
  const lacked = zdr ? lackedTag(deployment, { zdr }) : undefined
  if (lacked !== undefined) return lacked
  return maxPrice === undefined ? undefined : overPrice(maxPrice, deployment, request, choice)
}

/** Pico-USD per token are micro-USD per million tokens; of what is counted one by one, pico-USD. */
const PER_MILLION = 1e-6
const PER_ONE = 1e-12

type Priced = readonly [rate: (rates: Rates) => number, usd: number, need?: "audio" | "images"]

const priced: { readonly [Kind in keyof MaxPrice]-?: Priced } = {
  prompt: [({ input }) => input, PER_MILLION],
  completion: [({ output, reasoning }) => Math.max(output, reasoning || 0), PER_MILLION],
  request: [({ requestFees }) => requestFees || 0, PER_ONE],
  image: [({ images }) => images, PER_ONE, "images"],
  audio: [({ audioInput }) => audioInput, PER_MILLION, "audio"]
}

/** The highest price that may apply: for the service tier that may serve it, and for the longest possible input. */
const overPrice = (
  max: MaxPrice,
  deployment: Deployment,
  request: RoutedRequest,
  { at, mostInput }: Choice
): string | undefined => {
  // The operator may set a tier.
  const { defaults, fixed } = deployment.presets ?? {}
  const body = { ...defaults?.extraBody, ...request.body, ...fixed?.extraBody }
  const { dearest } = tierPlan(deployment, { ...request, body }, true)
  const sheet = deployment.price === undefined ? undefined : sheetOf(deployment.price, dearest)
  if (sheet === undefined) return "its price is not known, and `provider.max_price` is set"
  const { base, tiers } = sheet.ratesAt(at)
  const reached = tiers.filter(({ above }) => mostInput === undefined || mostInput > above)
  const all = [base, ...reached.map(({ rates }) => rates)]
  for (const [kind, [rate, usd, need]] of Object.entries(priced)) {
    const most = max[kind as keyof MaxPrice]
    if (most === undefined) continue
    const price = Math.max(...all.map(rate)) * usd
    if (Number.isNaN(price) && need !== undefined && !request.needs.includes(need)) continue
    if (!(price <= most + 1e-9)) {
      const known = Number.isNaN(price) ? "not known" : `${Number(price.toPrecision(6))} USD`
      return `its ${kind} price is ${known}, \`provider.max_price.${kind}\` is ${most}`
    }
  }
  return undefined
}

export const orderOfSort: { readonly [By in Sort]: Order } = {
  price: "cost",
  throughput: "throughput",
  latency: "latency"
}

/** Those that `order` names come first, in its order; the others keep their order behind them. */
export const ranked = (
  list: ReadonlyArray<Deployment>,
  { hosts = [], order = [] }: Choice
): ReadonlyArray<Deployment> => {
  const placeOf = (deployment: Deployment) => {
    const slugs = slugsOf(deployment)
    const place = order.findIndex((slug) => slugs.includes(slug) || (routesItself(deployment) && hosts.includes(slug)))
    return place < 0 ? order.length : place
  }
  return list.toSorted((one, other) => placeOf(one) - placeOf(other))
}

/** `provider` as sent to OpenRouter: provider names of this gateway mean nothing there, but exclusions are kept. */
export const providerSent = ({ hosts = [], provider, sort }: Choice): JsonObject | undefined => {
  const { only, order, ...others } = provider ?? {}
  const theirs = (list: unknown) =>
    Array.isArray(list) ? list.filter((slug) => hosts.includes(String(slug).toLowerCase())) : []
  const lists = Object.entries({ only: theirs(only), order: theirs(order) }).filter(([, list]) => list.length > 0)
  const sent = { ...others, ...Object.fromEntries(lists), ...(sort === undefined ? {} : { sort }) }
  return Object.keys(sent).length === 0 ? undefined : sent
}
