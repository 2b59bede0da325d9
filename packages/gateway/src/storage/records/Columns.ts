/** Columns that several tables and their statements have in common. */

import type { SettlementRow } from "../../core/ledger/LedgerJournal.ts"
import { eachClass, hasRare, rareClasses, type Usage, usualClasses, wireName } from "../../core/domain/Usage.ts"

/** Token classes that nearly every answer has: columns of the ledger itself, written with each row. */
export const tokens: ReadonlyArray<string> = usualClasses.map(wireName)

/**
 * Their counts, in the order of the columns. Written out, as going through the names made a request 0.7 µs dearer, and bound last:
 * a spread before other arguments costs 0.2 µs.
 */
export const tokenCounts = (usage: Usage) =>
  [
    usage.input,
    usage.cachedInput,
    usage.cacheWrite,
    usage.cacheWrite1h,
    usage.output,
    usage.reasoning,
    usage.audioInput,
    usage.audioOutput
  ] as const

/** Of requests that asked for `auto`: how many, what they cost, and what they are compared with. */
export const auto = ["auto_requests", "auto_cost", "auto_baseline"] as const

/** Hits of the response cache, and what their responses had cost. */
export const cache = ["cache_hits", "cache_saved"] as const

/** These and all other classes: in the ledger's `details`, and columns of rollups and blocks that are written only where there is some. */
export const rare: ReadonlyArray<string> = [...rareClasses.map(wireName), ...cache]

/** The rare columns of a row; undefined: it has none. */
export const rareSums = ({ saved, usage }: Pick<SettlementRow, "saved" | "usage">) =>
  saved === undefined ? rareUsage(usage) : { ...rareUsage(usage), cache_hits: 1, cache_saved: saved }

/** All that has to be said of the few rows that have some. */
export const rareUsage = (usage: Usage): { readonly [column: string]: number } | undefined => {
  if (!hasRare(usage)) return undefined
  const found: { [column: string]: number } = {}
  for (let index = 0; index < rareClasses.length; index++) {
    const count = usage[rareClasses[index]!]
    if (count !== 0) found[rare[index]!] = count
  }
  return found
}

/** What a row or its `details` say of each class. */
export const usageIn = (found: { readonly [column: string]: unknown }): Usage =>
  eachClass(({ name }) => {
    const count = found[wireName(name)]
    return typeof count === "number" ? count : 0
  })

/** What every rollup is written with. */
export const commonSums = ["requests", "failed_requests", "cost", "estimated_cost", ...auto, ...tokens] as const

/** What rollups and blocks sum up. */
export const sums: ReadonlyArray<string> = [...commonSums, ...rare]
