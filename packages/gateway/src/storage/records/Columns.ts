/** Columns shared by several tables and their statements. */
import type { SettlementRow } from "../../core/ledger/LedgerJournal.ts"
import { eachClass, hasRare, rareClasses, type Usage, usualClasses, wireName } from "../../core/domain/Usage.ts"

/** The values of the column `counts`. */
export const COUNTS = { nothing: 0, request: 1, failed_request: 2 } as const

/** Token classes of nearly every response: columns of the ledger, written with each row. */
export const tokens: ReadonlyArray<string> = usualClasses.map(wireName)

/** Written out: a loop over the names adds 0.7 µs per request; bound last: a spread before others 0.2 µs (`npm run bench:proxy`). */
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

/** For requests with `auto`: their number, their cost, and the cost of the baseline. */
export const auto = ["auto_requests", "auto_cost", "auto_baseline"] as const

/** Hits of the response cache, and what their responses had cost. */
export const cache = ["cache_hits", "cache_saved"] as const

/** These and the other classes: in the ledger's `details`, and in columns of rollups and blocks that are written only where not zero. */
export const rare: ReadonlyArray<string> = [...rareClasses.map(wireName), ...cache]

/** The rare columns of a row; undefined: it has none. */
export const rareSums = ({ saved, usage }: Pick<SettlementRow, "saved" | "usage">) =>
  saved === undefined ? rareUsage(usage) : { ...rareUsage(usage), cache_hits: 1, cache_saved: saved }

/** The non-zero counts of the rare classes; undefined if there are none. */
export const rareUsage = (usage: Usage): { readonly [column: string]: number } | undefined => {
  if (!hasRare(usage)) return undefined
  const found: { [column: string]: number } = {}
  for (let index = 0; index < rareClasses.length; index++) {
    const count = usage[rareClasses[index]!]
    if (count !== 0) found[rare[index]!] = count
  }
  return found
}

/** The usage of a row, or of its `details`. */
export const usageIn = (found: { readonly [column: string]: unknown }): Usage =>
  eachClass(({ name }) => {
    const count = found[wireName(name)]
    return typeof count === "number" ? count : 0
  })

/** Columns that every rollup is written with. */
export const commonSums = ["requests", "failed_requests", "cost", "estimated_cost", ...auto, ...tokens] as const

/** Columns that rollups and blocks sum up. */
export const sums: ReadonlyArray<string> = [...commonSums, ...rare]
