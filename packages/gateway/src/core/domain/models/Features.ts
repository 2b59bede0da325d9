/** Features that are found in a request. The order is the order of their bits (`RequestFeatures.ts`). */
export const detected = [
  "tools",
  "tools:strict",
  /** Some tool must be called. */
  "tools:forced",
  /** One tool, by name, must be called. */
  "tools:named",
  /** Tools that the vendor runs: web search, code execution, MCP. */
  "tools:hosted",
  "parallel:off",
  "effort:none",
  "effort:minimal",
  "effort:low",
  "effort:medium",
  "effort:high",
  "effort:xhigh",
  "effort:max",
  "thinking:off",
  "sampling",
  "penalties",
  "stop",
  "logprobs",
  "n",
  "schema",
  "json",
  "images",
  "audio",
  "video",
  "files",
  "stream",
  "tier:flex",
  "tier:priority",
  "tier:fast",
  "tier:ultrafast"
] as const

/** Features that catalogue rules may name. A rule with another name is from a newer catalogue and is left out. */
const known: ReadonlySet<string> = new Set([
  ...detected,
  /** A schema of a tool uses `$ref`. */
  "tools:refs",
  /** The model reasons: an effort other than `none` is named, or none is named and its default is to reason. */
  "reasons",
  /** An effort other than `none` is named. */
  "effort",
  "thinking:budget",
  "verbosity",
  "prefill",
  "cache:5m",
  "cache:30m",
  "cache:1h",
  "cache:12h",
  "cache:24h",
  "tier:us",
  /** The input exceeds the first threshold of the model's prices. */
  "long"
])

/** `when` of a rule: a feature, or `!` and a feature. */
export const isFeature = (condition: string): boolean => known.has(condition.replace(/^!/, ""))
