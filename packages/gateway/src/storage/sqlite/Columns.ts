/** Columns that several tables and their statements have in common. */

/** Token classes, as in `core/Usage`. */
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

/** What rollups and blocks sum up. */
export const sums = ["requests", "failed_requests", "cost", "estimated_cost", ...tokens, ...auto] as const
