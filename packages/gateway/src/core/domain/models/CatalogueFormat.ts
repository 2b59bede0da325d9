/** The format `catalogue/v1` of the model catalogue, and the bounds on what is read of it. */
import { Schema } from "effect"
import { factFields } from "./Facts.ts"
import { priceKey } from "../pricing/Pricing.ts"
import { usageClasses } from "../Usage.ts"

export const SCHEMA = "catalogue/v1"
export const LEARNT_SCHEMA = "catalogue-learnt/v1"

/** Bytes. */
export const LARGEST_FILE = 1.5 * 1024 * 1024
export const MOST_MODELS = 5_000

const { optionalKey } = Schema
const Text = Schema.String.check(Schema.isMaxLength(2_000))
const Words = Schema.Array(Text)
const Day = Schema.String.check(
  Schema.isPattern(/^\d{4}-\d\d-\d\d$/),
  Schema.makeFilter((day) => (isOfCalendar(day) ? undefined : "expected a day of the calendar"))
)

/** `2026-02-31` is read as a day in March. */
const isOfCalendar = (time: string): boolean => {
  const at = Date.parse(time)
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(time.slice(0, 19))
}

/** The most USD that a rate may be, as in the configuration. */
const Usd = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1_000_000 }))
const Factor = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 100 }))

/** USD by class of usage, named and counted as in `price` of the configuration. A class that is left out has no known price. */
export const Usds = Schema.Struct(
  Object.fromEntries(usageClasses.map(({ name }) => [priceKey(name), optionalKey(Usd)])) as {
    readonly [key: string]: Schema.optionalKey<typeof Usd>
  }
)
export type Usds = { readonly [key: string]: number | undefined }

const Above = Schema.Struct({ tokens: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1e9 })), usd: Usds })

export const Price = Schema.Struct({
  /** The day, in UTC, from which it holds. Left out: always. */
  from: optionalKey(Day),
  usd: Usds,
  /** Prices of all tokens of a request whose input is more than `tokens`. */
  above: optionalKey(Schema.Array(Above))
})
export type Price = typeof Price.Type

const DatedFactor = Schema.Struct({ from: optionalKey(Day), until: optionalKey(Day), factor: Factor })

/** A factor on all token prices, by time or always; prices of its own; null: the tier is not offered. */
const Tier = Schema.Union([Schema.Null, Factor, Schema.Array(DatedFactor), Price])
export type CatalogueTier = typeof Tier.Type

const Shutdown = Schema.Struct({
  on: optionalKey(Day),
  notBefore: optionalKey(Day),
  replacement: optionalKey(Text),
  /** The model of the same vendor that responds from that day on. */
  redirectsTo: optionalKey(Text),
  /** The model of the same vendor whose prices hold from that day on. */
  billedAs: optionalKey(Text),
  note: optionalKey(Text)
})

/** Names of traits, from the most general. */
const Is = { is: optionalKey(Words) }

const Trait = Schema.Struct({ ...Is, ...factFields })

export const priceFields = {
  prices: optionalKey(Schema.Array(Price).check(Schema.isMinLength(1))),
  tiers: optionalKey(Schema.Record(Schema.String, Tier)),
  /** USD for 1,000 calls, on top of tokens: `web_search`. */
  fees: optionalKey(Usds)
}

export const Model = Schema.Struct({
  ...Is,
  ...factFields,
  ...priceFields,
  released: optionalKey(Day),
  status: optionalKey(Schema.Literals(["current", "legacy", "deprecated", "retired", "limited"])),
  aliases: optionalKey(Words),
  /** Names of dated versions, which cost and behave the same. */
  snapshots: optionalKey(Words),
  shutdown: optionalKey(Shutdown),
  replacement: optionalKey(Text),
  confidence: optionalKey(Text),
  disputed: optionalKey(Words),
  notes: optionalKey(Words),
  /** Where each fact was read. */
  sources: optionalKey(Schema.Record(Schema.String, Words)),
  read: optionalKey(Day)
})
export type Model = typeof Model.Type

export const Glob = Schema.Struct({
  match: Text,
  /** It holds for models that have the name, too, below what they say themselves. */
  base: optionalKey(Schema.Literal(true)),
  ...Is,
  ...factFields
})
/** Facts about a kind of models at every provider. All matching kinds apply, the first one most; other facts win. */
export const ModelKind = Schema.Struct({
  /** Globs over `vendor/-name-`, where the name is in lower case and has `-` in place of `/`, `:`, `_` and `@`. */
  match: Words,
  not: optionalKey(Words),
  ...factFields
})
export type ModelKind = typeof ModelKind.Type

/** `configured`: it comes from the configuration, and may have prices. */
export type Glob = typeof Glob.Type & { readonly configured?: Model }

/** What the configuration says of a model: `vendor/id`, or a glob, which may have prices there. */
export const ConfiguredModel = Schema.Struct({
  ...Model.fields,
  /** A model of the catalogue whose behaviour and limits it has. Prices are never taken over. */
  like: optionalKey(Text)
})
export type ConfiguredModel = typeof ConfiguredModel.Type

/** How a vendor that resells another's models spells their names, and what it adds to their prices. */
const Resold = Schema.Struct({
  of: Text,
  /** `*` stands for anything, `<id>` for the name: `*anthropic.<id>-v*`. Left out: the same name. */
  spellings: optionalKey(Words),
  /** Names, as the maker's, that this holds for. Left out: all. */
  match: optionalKey(Words),
  priced: optionalKey(Schema.Literal(false)),
  /** It has the maker's API, so that the model has the same operations there. */
  sameApi: optionalKey(Schema.Literal(true)),
  /** On all token prices. */
  factor: optionalKey(Factor),
  /** On all token prices, where the provider's setting `location` is not `global`. */
  regional: optionalKey(Factor),
  /** Tiers of the reseller's own; left out: none is known. */
  tiers: optionalKey(Schema.Record(Schema.String, Tier)),
  ...factFields
})
export type Resold = typeof Resold.Type

/** A time in UTC, to the second. */
const Made = Schema.String.check(
  Schema.makeFilter((time) =>
    /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(time) && isOfCalendar(time)
      ? undefined
      : "expected a time in UTC such as 2026-11-27T08:00:00Z"
  )
)

/** What calls to the vendor showed of a model. */
const Learnt = Schema.Struct({
  ...factFields,
  /** By the kind of call: what the vendor responded. */
  sources: optionalKey(Schema.Record(Schema.String, Words)),
  read: optionalKey(Day)
})
export type Learnt = typeof Learnt.Type

/** What `check --live --calls` writes, by `vendor/model` as deployments call it. It has no prices. */
export const LearntFile = Schema.Struct({
  schema: Schema.Literal(LEARNT_SCHEMA),
  made: Made,
  models: Schema.Record(Schema.String, Learnt)
})
export type LearntFile = typeof LearntFile.Type

export const CatalogueFile = Schema.Struct({
  schema: Schema.Literal(SCHEMA),
  version: Text,
  /** When it was made: of two catalogues the one made later is the base. */
  made: Made,
  traits: optionalKey(Schema.Record(Schema.String, Trait)),
  /** By `vendor/id`. */
  models: Schema.Record(Schema.String, Model),
  /** Behaviour of names that no model has. The first that matches counts. They have no prices. */
  globs: optionalKey(Schema.Array(Glob)),
  kinds: optionalKey(Schema.Array(ModelKind)),
  /** By the vendor that resells; `*`: every vendor, after its own. */
  resold: optionalKey(Schema.Record(Schema.String, Schema.Array(Resold))),
  /** By vendor: the models that `init` writes, one for each bucket, from the lowest. */
  starters: optionalKey(Schema.Record(Schema.String, Words))
})
export type CatalogueFile = typeof CatalogueFile.Type

/** Of one vendor, as `packages/gateway/catalogue/vendors/NAME.json` has it: keys of `models` are ids. */
export const VendorFile = Schema.Struct({
  vendor: Text,
  traits: optionalKey(Schema.Record(Schema.String, Trait)),
  models: optionalKey(Schema.Record(Schema.String, Model)),
  globs: optionalKey(Schema.Array(Glob)),
  kinds: optionalKey(Schema.Array(ModelKind)),
  resold: optionalKey(Schema.Array(Resold)),
  starters: optionalKey(Words)
})
export type VendorFile = typeof VendorFile.Type
