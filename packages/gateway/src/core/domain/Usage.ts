/**
 * The usage of a response in classes that do not overlap; each protocol converts the provider's counts. Prices, ledger,
 * receipts, exports and metrics are derived from this list: a new class is one line.
 */
export const usageClasses = [
  /** Text (and image) input that was neither read from nor written to a cache. */
  { name: "input", unit: "token", side: "in" },
  { name: "cachedInput", unit: "token", side: "in" },
  /** Written to a prompt cache that lives five minutes (the default lifetime). */
  { name: "cacheWrite", unit: "token", side: "in" },
  { name: "cacheWrite1h", unit: "token", side: "in" },
  { name: "cacheWrite12h", unit: "token", side: "in" },
  { name: "imageInput", unit: "token", side: "in" },
  { name: "audioInput", unit: "token", side: "in" },
  /** Audio that was read from a cache, where it is counted apart. */
  { name: "cachedAudioInput", unit: "token", side: "in" },
  /** Visible output, without reasoning, images and audio. */
  { name: "output", unit: "token", side: "out" },
  { name: "reasoning", unit: "token", side: "out" },
  { name: "imageOutput", unit: "token", side: "out" },
  { name: "audioOutput", unit: "token", side: "out" },
  { name: "images", unit: "image", side: "out" },
  { name: "audioSeconds", unit: "second", side: "in" },
  { name: "characters", unit: "character", side: "in" },
  { name: "rerankUnits", unit: "rerank unit", side: "in" },
  /** Fees on top of tokens. */
  { name: "requestFees", unit: "call", side: "out" },
  { name: "webSearches", unit: "call", side: "out" },
  { name: "fileSearches", unit: "call", side: "out" },
  { name: "codeExecutions", unit: "call", side: "out" }
] as const

type UsageEntry = (typeof usageClasses)[number]
type NamesOf<Part> = Extract<UsageEntry, Part>["name"]

export type UsageClass = UsageEntry["name"]
type TokenClass = NamesOf<{ readonly unit: "token" }>
export type FeeClass = NamesOf<{ readonly unit: "call" }>

type UnitClass = Exclude<UsageClass, TokenClass | FeeClass>

/** Counts of the classes that are neither tokens nor calls; a missing one is 0. */
export type UnitCounts = { readonly [Class in UnitClass]?: number }

export type Usage = { readonly [Class in UsageClass]: number }

/** The name of a class outside the code: `cacheWrite1h` is `cache_write_1h` in the ledger, receipts, exports and metrics. */
export const wireName = (name: UsageClass): string => name.replace(/[A-Z]|\d+/g, (part) => `_${part.toLowerCase()}`)

/** Makes one number for each class. All such objects have the same shape. */
export const eachClass = (value: (entry: UsageEntry) => number): Usage =>
  Object.fromEntries(usageClasses.map((entry) => [entry.name, value(entry)])) as Usage

export const noUsage: Usage = eachClass(() => 0)

const namesOf = (test: (entry: UsageEntry) => boolean): ReadonlyArray<UsageClass> =>
  usageClasses.filter(test).map(({ name }) => name)

/** Classes that nearly every provider reports. The others are rare, and are left out where they are zero. */
export const usualClasses = [
  "input",
  "cachedInput",
  "cacheWrite",
  "cacheWrite1h",
  "output",
  "reasoning",
  "audioInput",
  "audioOutput"
] as const satisfies ReadonlyArray<UsageClass>

export const rareClasses = namesOf(({ name }) => !usualClasses.some((usual) => usual === name))
export const tokenClasses = namesOf(({ unit }) => unit === "token") as ReadonlyArray<TokenClass>
export const feeClasses = namesOf(({ unit }) => unit === "call") as ReadonlyArray<FeeClass>
export const unitClasses = namesOf(({ unit }) => unit !== "token" && unit !== "call") as ReadonlyArray<UnitClass>
export const inputClasses = namesOf(({ side, unit }) => unit === "token" && side === "in")
export const outputClasses = namesOf(({ side, unit }) => unit === "token" && side === "out")

/** Whether a rare class was used. Written out, as a loop takes a hundred nanoseconds; tests check that none is missing. */
export const hasRare = (usage: Usage): boolean =>
  usage.cacheWrite12h !== 0 ||
  usage.cachedAudioInput !== 0 ||
  usage.imageInput !== 0 ||
  usage.imageOutput !== 0 ||
  usage.images !== 0 ||
  usage.audioSeconds !== 0 ||
  usage.characters !== 0 ||
  usage.rerankUnits !== 0 ||
  usage.requestFees !== 0 ||
  usage.webSearches !== 0 ||
  usage.fileSearches !== 0 ||
  usage.codeExecutions !== 0

/** Whether every class is a whole number of at least zero. Check it on every provider's response. */
export const isWhole = (usage: Usage): boolean =>
  isCount(usage.input) &&
  isCount(usage.cachedInput) &&
  isCount(usage.cacheWrite) &&
  isCount(usage.cacheWrite1h) &&
  isCount(usage.output) &&
  isCount(usage.reasoning) &&
  isCount(usage.audioInput) &&
  isCount(usage.audioOutput) &&
  (!hasRare(usage) || rareClasses.every((name) => isCount(usage[name])))

const isCount = (count: number): boolean => Number.isSafeInteger(count) && count >= 0

export type UsageSum = { -readonly [Class in UsageClass]: number }

export const addTo = (sum: UsageSum, usage: Usage): void => {
  sum.input += usage.input
  sum.cachedInput += usage.cachedInput
  sum.cacheWrite += usage.cacheWrite
  sum.cacheWrite1h += usage.cacheWrite1h
  sum.output += usage.output
  sum.reasoning += usage.reasoning
  sum.audioInput += usage.audioInput
  sum.audioOutput += usage.audioOutput
  if (hasRare(usage)) for (const name of rareClasses) sum[name] += usage[name]
}

export const plus = (a: Usage, b: Usage): Usage => {
  const sum: UsageSum = { ...a }
  addTo(sum, b)
  return sum
}

export const inputTokens = (usage: Usage): number =>
  usage.input +
  usage.cachedInput +
  usage.cacheWrite +
  usage.cacheWrite1h +
  usage.cacheWrite12h +
  usage.imageInput +
  usage.audioInput +
  usage.cachedAudioInput

export const outputTokens = (usage: Usage): number =>
  usage.output + usage.reasoning + usage.imageOutput + usage.audioOutput

export const totalTokens = (usage: Usage): number => inputTokens(usage) + outputTokens(usage)
