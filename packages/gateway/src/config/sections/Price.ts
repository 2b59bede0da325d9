/** `price` of a deployment: one number for each class of usage, tiers by input, and other service tiers. */
import { priceKey, pricedPer } from "../../core/domain/Pricing.ts"
import { pricedTiers } from "../../core/domain/ServiceTier.ts"
import type { ConfiguredPrice, ConfiguredTier, SomeRates } from "../../core/domain/Settings.ts"
import { usageClasses } from "../../core/domain/Usage.ts"
import { Fields, type Here, list, type Reader } from "../Reader.ts"
import { integer, price } from "../Scalars.ts"

const inWords: { readonly [Unit in keyof typeof pricedPer]: string } = {
  token: "million tokens",
  character: "million characters",
  call: "1,000 calls",
  "rerank unit": "1,000 rerank units",
  image: "image",
  second: "second"
}

/** What one of something costs is kept as a whole number, which must stay safe. */
const MOST_FOR_ONE = 1_000

const rates = usageClasses.map(({ name, unit }) => ({
  name,
  key: priceKey(name),
  read: pricedPer[unit] === 1 ? price(inWords[unit], MOST_FOR_ONE) : price(inWords[unit])
}))
const rateKeys = rates.map(({ key }) => key)

export const readPrice: Reader<ConfiguredPrice> = (here) => readOne(here, pricedTiers)

/** `others`: the service tiers that it may have. */
const readOne = (here: Here, others: ReadonlyArray<string>): ConfiguredPrice => {
  const fields = new Fields(here, [...rateKeys, "tiers", ...others])
  const input = fields.require("input", "USD per million tokens", price(inWords.token)) ?? 0
  const output = fields.require("output", "USD per million tokens (0 where there is no output)", price(inWords.token))
  const given = readRates(fields, ["input", "output"])
  const tiers = fields.get("tiers", readTiers)
  const serviceTiers = others.flatMap((name) => {
    const one = fields.get(name, (there) => readOne(there, []))
    return one === undefined ? [] : [[name, one] as const]
  })
  return {
    cachedInput: undefined,
    cacheWrite: undefined,
    reasoning: undefined,
    ...given,
    input,
    output: output ?? 0,
    ...(tiers === undefined ? {} : { tiers }),
    ...(serviceTiers.length === 0 ? {} : { serviceTiers: Object.fromEntries(serviceTiers) })
  }
}

/** Those that are given. */
const readRates = (fields: Fields<string>, but: ReadonlyArray<string> = []): SomeRates =>
  Object.fromEntries(
    rates.flatMap(({ key, name, read }) => {
      const usd = but.includes(key) ? undefined : fields.get(key, read)
      return usd === undefined ? [] : [[name, usd]]
    })
  )

const readTier: Reader<ConfiguredTier> = (here) => {
  const fields = new Fields(here, ["above", ...rateKeys])
  const above = fields.require("above", "input tokens above which it holds", integer({ from: 1, to: 1_000_000_000 }))
  return { above: above ?? 0, rates: readRates(fields) }
}

const readTiers: Reader<ReadonlyArray<ConfiguredTier>> = (here) => {
  const tiers = list("prices that hold above so many input tokens", readTier)(here)
  if (tiers === undefined) return undefined
  for (const [index, { above }] of tiers.entries()) {
    const before = tiers[index - 1]
    if (before !== undefined && above > 0 && above <= before.above) {
      here.problem(`tiers must ascend: ${above} comes after ${before.above}`, "tiers in the order of `above`")
    }
  }
  return tiers
}
