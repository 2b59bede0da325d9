/** A receipt's decision and rates. Details that receipts of a page share are in `names` once. */
import { type CacheReport, limitScopes } from "@model-gateway/protocol"
import { contributionInWords, type Contribution } from "../../../core/routing/Classifier.ts"
import type { Considered, Fate } from "../../../core/routing/Considered.ts"
import { noRates, type Rates } from "../../../core/domain/pricing/Pricing.ts"
import type { FullBudget, Receipt } from "../../../core/receipts/Receipt.ts"
import { type UsageClass, usageClasses, wireName } from "../../../core/domain/Usage.ts"
import type { NameNumber, NameOf, PageNames } from "./PageNames.ts"

/** Empty values at the end are omitted. New fields go to the end. */
export type DetailsLine = readonly [
  considered: NameNumber,
  cutPoints?: NameNumber,
  sessionId?: NameNumber,
  /** -1 means none. */
  baseline?: number,
  /** Name, value and ten thousand times the weight of each feature. */
  features?: ReadonlyArray<number>,
  /** The budget that refused the request: scope, window, and nano-USD of its limit, used and needed. */
  full?: FullLine | null,
  endUser?: NameNumber,
  /** Of a response of the cache, JSON. */
  hit?: NameNumber
]

type FullLine = readonly [scope: NameNumber, window: NameNumber, limit: number, used: number, needed: number]

/** Undefined if there are no details, as in receipts of older versions. */
export const encodeDetails = (receipt: Receipt, name: NameOf): DetailsLine | undefined => {
  const { baseline, considered, cutPoints, endUser, features = [], fullBudget, isIncomparable, sessionId } = receipt
  const hit = receipt.cache?.result === "hit" ? receipt.cache : undefined
  if (considered === undefined) return undefined
  const list = name(considered.map((one) => encodeConsidered(one, name)).join())
  if ([cutPoints, sessionId, baseline, fullBudget, endUser, hit].every((one) => one === undefined)) return [list]
  const line = [
    list,
    name(cutPoints === undefined ? null : JSON.stringify(cutPoints)),
    name(sessionId ?? null),
    baseline === undefined || isIncomparable === true ? -1 : baseline,
    features.flatMap(({ added, name: what, value }) => [name(what), value, Math.round(added * WEIGHT)])
  ] as const
  const full = fullBudget === undefined ? null : encodeFull(fullBudget, name)
  if (hit !== undefined) return [...line, full, name(endUser ?? null), name(JSON.stringify(hit))]
  if (endUser !== undefined) return [...line, full, name(endUser)]
  return full === null ? line : [...line, full]
}

const encodeFull = ({ limit, needed, scope, used, window }: FullBudget, name: NameOf): FullLine => [
  name(scope),
  name(window),
  limit,
  used,
  needed
]

const WEIGHT = 10_000

type Details = Pick<
  Receipt,
  "baseline" | "cache" | "considered" | "cutPoints" | "endUser" | "features" | "fullBudget" | "limit" | "sessionId"
>

export const decodeDetails = (line: DetailsLine | undefined, names: PageNames): Details => {
  if (line === undefined) return {}
  const [considered, cutPoints = -1, session = -1, baseline = -1, features = [], full, user = -1, hit] = line
  const sessionId = names.texts[session]
  const endUser = names.texts[user]
  return {
    considered: names.once(considered, (text) => decodeConsidered(text, names)),
    ...(cutPoints === -1 ? {} : { cutPoints: names.once(cutPoints, decodeCutPoints) }),
    ...(sessionId === undefined ? {} : { sessionId }),
    ...(baseline === -1 ? {} : { baseline }),
    ...(features.length === 0 ? {} : { features: decodeFeatures(features, names) }),
    ...(endUser === undefined ? {} : { endUser }),
    ...(hit === undefined ? {} : { cache: JSON.parse(names.texts[hit]!) as CacheReport }),
    ...(full === undefined || full === null ? {} : { limit: "budget", fullBudget: decodeFull(full, names) })
  }
}

const decodeFull = ([scope, window, limit, used, needed]: FullLine, { texts }: PageNames): FullBudget => ({
  scope: limitScopes.find((one) => one === texts[scope]) ?? "key",
  window: texts[window]!,
  limit,
  used,
  needed
})

const decodeCutPoints = (text: string): ReadonlyArray<number> => JSON.parse(text)

const decodeFeatures = (all: ReadonlyArray<number>, { texts }: PageNames): ReadonlyArray<Contribution> =>
  Array.from({ length: all.length / 3 }, (_, index) => ({
    name: texts[all[index * 3]!]!,
    value: all[index * 3 + 1]!,
    added: all[index * 3 + 2]! / WEIGHT
  }))

/** A reason that only repeats a feature is its index among the features, from -1 down. */
export const encodeReasons = ({ features = [], reasons }: Receipt, name: NameOf): ReadonlyArray<NameNumber> => {
  if (features.length === 0) return reasons.map(name)
  const words = features.map(contributionInWords)
  return reasons.map((reason) => {
    const place = words.indexOf(reason)
    return place === -1 ? name(reason) : -1 - place
  })
}

export const decodeReasons = (
  reasons: ReadonlyArray<NameNumber>,
  { features = [] }: Details,
  { texts }: PageNames
): ReadonlyArray<string> =>
  reasons.map((reason) => (reason < 0 ? contributionInWords(features[-1 - reason]!) : texts[reason]!))

const codes: { readonly [F in Fate]: string } = {
  chosen: "c",
  spare: "s",
  unhealthy: "u",
  filtered: "f",
  lower_bucket: "l",
  not_needed: "n"
}
const FORBIDDEN = "k"

const fateOf = new Map<string, Fate>(
  (["chosen", "spare", "unhealthy", "filtered", "lower_bucket", "not_needed"] as const).map((fate) => [
    codes[fate],
    fate
  ])
)

/** `3s`, `4f9`: the index of the deployment's name, its fate, and the index of the reason. */
const encodeConsidered = ({ deployment, fate, isForbidden, why }: Considered, name: NameOf): string =>
  `${name(deployment)}${isForbidden ? FORBIDDEN : codes[fate]}${why === null ? "" : name(why)}`

const decodeConsidered = (text: string, { texts }: PageNames): ReadonlyArray<Considered> =>
  [...text.matchAll(/(\d+)([a-z])(\d*)/g)].map(([, deployment, code = "", why = ""]) => ({
    deployment: texts[Number(deployment)]!,
    fate: fateOf.get(code) ?? "filtered",
    why: why === "" ? null : texts[Number(why)]!,
    isForbidden: code === FORBIDDEN
  }))

const ratesInWords = new WeakMap<Rates, string>()

/** `input 2000000,output 8000000,images ?`: free classes are omitted, `?` is unknown. */
export const encodeRates = (rates: Rates): string => {
  let text = ratesInWords.get(rates)
  if (text === undefined) {
    const told = usageClasses.filter(({ name }) => rates[name] !== 0)
    text = told.map(({ name }) => `${wireName(name)} ${Number.isNaN(rates[name]) ? "?" : rates[name]}`).join()
    ratesInWords.set(rates, text)
  }
  return text
}

export const decodeRates = (text: string): Rates => {
  const rates: { -readonly [Class in UsageClass]: number } = { ...noRates }
  for (const part of text === "" ? [] : text.split(",")) {
    const [column, rate] = part.split(" ")
    const found = usageClasses.find(({ name }) => wireName(name) === column)
    if (found !== undefined) rates[found.name] = rate === "?" ? Number.NaN : Number(rate)
  }
  return rates
}
