/** What changes from one catalogue to another, and which changes loosen: lower prices, higher limits, removed refusals. */
import { isDeepStrictEqual } from "node:util"
import {
  type PriceSheet,
  priceKey,
  pricedPer,
  type Rates,
  sheetOf
} from "@model-gateway/gateway/internal/core/domain/pricing/Pricing"
import { usageClasses } from "@model-gateway/gateway/internal/core/domain/Usage"
import { catalogueSheet } from "@model-gateway/gateway/internal/providers/prices/CataloguePrices"
import type { Catalogue } from "@model-gateway/gateway/internal/providers/catalogue/facts/CatalogueInForce"

export interface CatalogueChange {
  /** `vendor/id` */
  readonly model: string
  readonly what: string
  readonly kind: "new" | "gone" | "tighter" | "looser" | "other"
}

/** `now`: prices before it are history. */
export const changesBetween = (before: Catalogue, after: Catalogue, now: number): ReadonlyArray<CatalogueChange> => {
  const names = [...new Set([...before.names, ...after.names])].sort()
  return names.flatMap((model) => {
    const [was, is] = [Object.hasOwn(before.file.models, model), Object.hasOwn(after.file.models, model)]
    if (is && !was) return [{ model, what: "new", kind: "new" }]
    if (was && !is) return [{ model, what: "gone", kind: "gone" }]
    return [...priceChanges(before, after, model, now), ...factChanges(before, after, model)]
  })
}

const split = (model: string): readonly [vendor: string, id: string] => {
  const at = model.indexOf("/")
  return [model.slice(0, at), model.slice(at + 1)]
}

function* priceChanges(before: Catalogue, after: Catalogue, model: string, now: number): Generator<CatalogueChange> {
  const [a, b] = [catalogueSheet(before, ...split(model)), catalogueSheet(after, ...split(model))]
  if (a === undefined || b === undefined) {
    if (a !== b)
      yield {
        model,
        what: a === undefined ? "has a price" : "has no price any more",
        kind: a === undefined ? "other" : "tighter"
      }
    return
  }
  const tiers = [undefined, ...new Set([...(a.serviceTiers?.keys() ?? []), ...(b.serviceTiers?.keys() ?? [])])]
  for (const tier of tiers) {
    const [x, y] = tier === undefined ? [a, b] : [sheetOf(a, tier), sheetOf(b, tier)]
    const prefix = tier === undefined ? "" : `${tier} `
    if (x === undefined || y === undefined) {
      yield {
        model,
        what: `tier ${tier} ${x === undefined ? "was added" : "was removed"}`,
        kind: x === undefined ? "looser" : "tighter"
      }
    } else yield* ratesChanged(model, prefix, x, y, now)
  }
}

function* ratesChanged(
  model: string,
  prefix: string,
  a: PriceSheet,
  b: PriceSheet,
  now: number
): Generator<CatalogueChange> {
  const times = [now, ...[...(a.changes ?? []), ...(b.changes ?? [])].filter((at) => at > now)]
  const told = new Set<string>()
  for (const at of [...new Set(times)].sort((x, y) => x - y)) {
    const [was, is] = [a.ratesAt(at), b.ratesAt(at)]
    for (const above of [0, ...new Set([...was.tiers, ...is.tiers].map((step) => step.above))]) {
      const [x, y] = [ratesAbove(was, above), ratesAbove(is, above)]
      for (const { name, unit } of usageClasses) {
        if (Object.is(x[name], y[name])) continue
        const usd = (rate: number) => (Number.isNaN(rate) ? "unknown" : String((rate * pricedPer[unit]) / 1e12))
        const step = above === 0 ? "" : ` above ${above}`
        const what = `${prefix}${priceKey(name)}${step} ${usd(x[name])} → ${usd(y[name])}`
        if (told.has(what)) continue
        told.add(what)
        const from = at === now ? "" : ` from ${new Date(at).toISOString().slice(0, 10)}`
        // A class that had no price was refused under budgets.
        const isLooser = y[name] < x[name] || (Number.isNaN(x[name]) && y[name] === 0)
        yield { model, what: `${what}${from}`, kind: isLooser ? "looser" : Number.isNaN(x[name]) ? "other" : "tighter" }
      }
    }
  }
}

const ratesAbove = ({ base, tiers }: ReturnType<PriceSheet["ratesAt"]>, above: number): Rates =>
  tiers.findLast((step) => step.above <= above)?.rates ?? base

function* factChanges(before: Catalogue, after: Catalogue, model: string): Generator<CatalogueChange> {
  const { limits: was = {}, rules: old = [], ...a } = before.find(...split(model)).facts
  const { limits: is = {}, rules: fresh = [], ...b } = after.find(...split(model)).facts
  for (const name of ["context", "maxInput", "maxOutput", "assumedOutput"] as const) {
    if (was[name] === is[name]) continue
    const isLooser = (was[name] ?? Number.POSITIVE_INFINITY) < (is[name] ?? Number.POSITIVE_INFINITY)
    yield {
      model,
      what: `${name} ${was[name] ?? "unknown"} → ${is[name] ?? "unknown"}`,
      kind: isLooser ? "looser" : "tighter"
    }
  }
  for (const rule of old) {
    if (fresh.some((other) => isDeepStrictEqual(other, rule))) continue
    yield { model, what: `rule removed: ${JSON.stringify(rule)}`, kind: "looser" }
  }
  for (const rule of fresh) {
    if (old.some((other) => isDeepStrictEqual(other, rule))) continue
    yield { model, what: `rule: ${JSON.stringify(rule)}`, kind: "tighter" }
  }
  const fields = [...new Set([...Object.keys(a), ...Object.keys(b)])] as ReadonlyArray<keyof typeof a>
  for (const field of fields) {
    if (isDeepStrictEqual(a[field], b[field])) continue
    const kind = isTakenNow(a[field], b[field]) ? "looser" : isTakenNow(b[field], a[field]) ? "tighter" : "other"
    yield { model, what: `${field} ${JSON.stringify(a[field] ?? null)} → ${JSON.stringify(b[field] ?? null)}`, kind }
  }
}

const REFUSED = new Set<unknown>([false, "refused", "default", "none"])

/** A fact, or a part of one, that no longer says that the model refuses something. */
const isTakenNow = (was: unknown, is: unknown): boolean => {
  if (typeof was === "object" && was !== null && !Array.isArray(was)) {
    return Object.entries(was).some(([name, value]) => {
      const now = (is as { readonly [name: string]: unknown } | undefined)?.[name]
      return name === "lacks" ? !includesAll(now, value) : isTakenNow(value, now)
    })
  }
  return REFUSED.has(was) && was !== is
}

const includesAll = (list: unknown, words: unknown): boolean =>
  Array.isArray(words) && words.every((word) => Array.isArray(list) && list.includes(word))
