/** `price` of a deployment: one number for each class of usage, tiers by input, and other service tiers. */
import { Schema } from "effect"
import { priceKey, pricedPer } from "../../core/domain/pricing/Pricing.ts"
import { pricedTiers } from "../../core/domain/pricing/ServiceTier.ts"
import type { ConfiguredPrice, SomeRates } from "../../core/domain/Settings.ts"
import { type UsageClass, usageClasses } from "../../core/domain/Usage.ts"
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

/** What a class without a price costs. */
const otherwise: { readonly [Class in UsageClass]?: string } = {
  input: "required",
  output: "required",
  cachedInput: "`input`",
  cacheWrite: "`input`",
  cacheWrite1h: "`cache_write`",
  cacheWrite12h: "`cache_write_1h`",
  imageInput: "`input`",
  cachedAudioInput: "`audio_input`",
  reasoning: "`output`",
  requestFees: "none"
}

const priced: { readonly [Class in UsageClass]: string } = {
  input: "Input tokens",
  cachedInput: "Input tokens read from a prompt cache",
  cacheWrite: "Tokens written to a prompt cache",
  cacheWrite1h: "Tokens written to a prompt cache for one hour",
  cacheWrite12h: "Tokens written to a prompt cache for twelve hours",
  imageInput: "Image input tokens",
  audioInput: "Audio input tokens",
  cachedAudioInput: "Audio tokens read from a prompt cache",
  output: "Output tokens",
  reasoning: "Reasoning tokens",
  imageOutput: "Image output tokens",
  audioOutput: "Audio output tokens",
  images: "Generated images",
  audioSeconds: "Seconds of recordings",
  characters: "Characters of text to speak",
  rerankUnits: "Search units of rankings",
  requestFees: "A fee for each call, in addition to its tokens",
  webSearches: "Web searches that the provider runs",
  fileSearches: "File searches that the provider runs",
  codeExecutions: "Code executions that the provider runs"
}

const rateAbouts: { readonly [key: string]: readonly [sentence: string, otherwise: string] } = Object.fromEntries(
  usageClasses.map(({ name, unit }) => [
    priceKey(name),
    [`${priced[name]}: USD per ${inWords[unit]}.`, otherwise[name] ?? "unknown"]
  ])
)

const Tier = group(
  {
    above: required("input tokens above which it holds", integer({ from: 1, to: 1_000_000_000 })),
    ...Rates
  },
  { ...rateAbouts, above: "The number of input tokens above which these prices apply." }
)

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

const ratesAbout = {
  ...rateAbouts,
  input: "Input tokens: USD per million tokens.",
  output: "Output tokens: USD per million tokens.",
  tiers: [
    "Prices that apply to the complete request once its input has more than `above` tokens, in ascending order.",
    "none"
  ]
} as const

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

const others = pricedTiers.map((name) => [name, Schema.optionalKey(group(rates, ratesAbout))] as const)

const tierAbouts: { readonly [name: string]: string } = {
  fast: "Prices of Anthropic's fast mode (`speed`).",
  us: "Prices of Anthropic's data residency (`inference_geo`)."
}

export const Price = group(
  {
    ...rates,
    image_sizes: Schema.optionalKey(ImageSizes),
    ...Object.fromEntries(others)
  },
  {
    ...ratesAbout,
    image_sizes: [
      "USD per image by size, or by quality and size, such as `hd-1024x1024`; see [prices](prices.md).",
      "`image`"
    ],
    ...Object.fromEntries(
      pricedTiers.map((name) => [name, [tierAbouts[name] ?? `Prices of the ${name} service tier.`, "unknown"] as const])
    )
  }
)

export const configuredPrice = (written: WrittenPrice): ConfiguredPrice => {
  const sizes = written.image_sizes ?? []
  // An image of no listed size costs no more than the dearest.
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
