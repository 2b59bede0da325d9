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

/** What rollups and blocks sum up. */
export const sums = ["requests", "failed_requests", "cost", "estimated_cost", ...tokens] as const
