/** `price` of a deployment: one number for each class of usage, tiers by input, and other service tiers. */
import { Schema } from "effect"
import { priceKey, pricedPer } from "../../core/domain/pricing/Pricing.ts"
import { pricedTiers } from "../../core/domain/pricing/ServiceTier.ts"
import type { ConfiguredPrice, SomeRates } from "../../core/domain/Settings.ts"
import { usageClasses } from "../../core/domain/Usage.ts"
import { isImageVariant } from "../../core/operations/images/ImageVariant.ts"
import { refuse, type Telling } from "../Decode.ts"
import { group, integer, price, record, required, someOf } from "../SettingValues.ts"

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

const Rates: { readonly [key: string]: Schema.optionalKey<Schema.Codec<number, unknown>> } = Object.fromEntries(
  usageClasses.map(({ name, unit }) => {
    const rate = pricedPer[unit] === 1 ? price(inWords[unit], MOST_FOR_ONE) : price(inWords[unit])
    return [priceKey(name), Schema.optionalKey(rate)]
  })
)

const Tier = group({
  above: required("input tokens above which it holds", integer({ from: 1, to: 1_000_000_000 })),
  ...Rates
})

const whyNotAscending = (tiers: ReadonlyArray<typeof Tier.Type>): Telling | undefined => {
  let before = 0
  for (const { above } of tiers) {
    const message = `tiers must ascend: ${above} comes after ${before}`
    if (above <= before) return () => ({ message, allowed: "tiers in the order of `above`" })
    before = above
  }
  return undefined
}

const Tiers = someOf("prices that hold above so many input tokens", Tier).check(refuse(whyNotAscending))

const rates = {
  ...Rates,
  input: required("USD per million tokens", price(inWords.token)),
  output: required("USD per million tokens (0 where there is no output)", price(inWords.token)),
  tiers: Schema.optionalKey(Tiers)
}

type WrittenRates = Schema.Struct<typeof rates>["Type"]

/** Prices of an image by its size, or by its quality and size. */
const ImageSizes = record(
  Schema.String.check(
    refuse((name) => {
      if (isImageVariant(name)) return undefined
      const allowed = "a size such as 1024x1024 or 2k, or a quality and a size such as hd-1024x1792"
      return () => ({ message: `${JSON.stringify(name)} is not ${allowed}`, allowed })
    })
  ),
  price(inWords.image, MOST_FOR_ONE)
)

type WrittenPrice = WrittenRates & { readonly image_sizes?: typeof ImageSizes.Type } & {
  readonly [Tier in (typeof pricedTiers)[number]]?: WrittenRates
}

const others = pricedTiers.map((name) => [name, Schema.optionalKey(group(rates))] as const)

export const Price = group({
  ...rates,
  image_sizes: Schema.optionalKey(ImageSizes),
  ...Object.fromEntries(others)
})

export const configuredPrice = (written: WrittenPrice): ConfiguredPrice => {
  const sizes = written.image_sizes ?? []
  // An image of no listed size costs no more than the most expensive.
  const dearest = sizes.length === 0 ? {} : { images: Math.max(...sizes.map(([, usd]) => usd)) }
  const base = { ...dearest, ...ofOneTier(written) }
  const others = pricedTiers.flatMap((name) => {
    const one = written[name]
    return one === undefined ? [] : [[name, ofOneTier(one)] as const]
  })
  const all = [...others, ...sizes.map(([name, images]) => [name, { ...base, images }] as const)]
  return { ...base, ...(all.length === 0 ? {} : { serviceTiers: Object.fromEntries(all) }) }
}

const ofOneTier = (written: WrittenRates): ConfiguredPrice => ({
  cachedInput: undefined,
  cacheWrite: undefined,
  reasoning: undefined,
  ...ratesOf(written),
  input: written.input,
  output: written.output,
  ...(written.tiers && { tiers: written.tiers.map((tier) => ({ above: tier.above, rates: ratesOf(tier) })) })
})

/** Those that are given. */
const ratesOf = (written: object): SomeRates => {
  const values = new Map<string, number>(Object.entries(written))
  return Object.fromEntries(
    usageClasses.flatMap(({ name }) => {
      const usd = values.get(priceKey(name))
      return usd === undefined ? [] : [[name, usd]]
    })
  )
}
