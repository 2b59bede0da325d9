/** Columns that several tables and their statements have in common. */

import { eachClass, hasRare, rareClasses, type Usage, wireName } from "../../../core/domain/Usage.ts"

/** Token classes that nearly every answer has: columns of the ledger itself, written with each row. */
export const tokens = [
  "input",
  "cached_input",
  "cache_write",
  "cache_write_1h",
  "output",
  "reasoning",
  "audio_input",
  "audio_output"
] as const

/** Of requests that asked for `auto`: how many, what they cost, and what they are compared with. */
export const auto = ["auto_requests", "auto_cost", "auto_baseline"] as const

/** All other classes: in the ledger's `details`, and columns of rollups and blocks that are written only where there is some. */
export const rare: ReadonlyArray<string> = rareClasses.map(wireName)

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

/** The same read back. */
export const rareIn = (found: { readonly [column: string]: unknown }): Usage =>
  eachClass(({ name }) => {
    const count = found[wireName(name)]
    return typeof count === "number" ? count : 0
  })

/** What every rollup is written with. */
export const commonSums = ["requests", "failed_requests", "cost", "estimated_cost", ...tokens, ...auto] as const

/** What rollups and blocks sum up. */
export const sums: ReadonlyArray<string> = [...commonSums, ...rare]
