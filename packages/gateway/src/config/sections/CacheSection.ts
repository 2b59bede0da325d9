/** `cache`: which responses later requests get again, for how long and how many bytes. */
import type { Schema } from "effect"
import {
  cacheModes,
  cacheNamespaces,
  cacheOperations,
  type CacheSettings,
  defaultCache,
  LONGEST_TTL
} from "../../core/domain/Cache.ts"
import { refuse } from "../Decode.ts"
import { durationOrOff, group, integer, oneOf, or, orEmpty, someOf, time, yesOrNo } from "../SettingValues.ts"

const BYTES_PER_KB = 1024
const BYTES_PER_MB = 1024 * 1024
/** A terabyte. */
const LARGEST_MB = 1024 * 1024

const ttl = time(
  "a time such as 60s, 1h or 7d, from 1s to 30d",
  ["s", "m", "h", "d"],
  (ms) => ms >= 1_000 && ms <= LONGEST_TTL * 1_000
)

const Limits = group(
  {
    max_mb: integer({ from: 1, to: LARGEST_MB }).pipe(or(1024)),
    max_mb_per_owner: integer({ from: 1, to: LARGEST_MB }).pipe(or(128)),
    max_entry_kb: integer({ from: 1, to: 256 }).pipe(or(256))
  },
  {
    max_mb:
      "The storage of all entries together, in MB; beyond it the owner that uses most loses those that expire first.",
    max_mb_per_owner: "The storage of one key, or of one team with a shared namespace, in MB.",
    max_entry_kb: "The largest entry, in kB. Larger responses are not stored."
  }
)

export const Cache = group(
  {
    mode: oneOf("a mode of the cache", [...cacheModes, "never"]).pipe(or("off")),
    ttl: ttl.pipe(or(3_600_000)),
    namespace: oneOf("a namespace", cacheNamespaces).pipe(or("key")),
    operations: someOf("operations", oneOf("an operation that can be cached", cacheOperations)).pipe(
      or([...cacheOperations])
    ),
    tool_calls: yesOrNo.pipe(or(false)),
    limits: Limits.check(
      refuse(({ max_mb: all, max_mb_per_owner: own }) =>
        own <= all
          ? undefined
          : () => ({
              message: `max_mb_per_owner must be at most max_mb (${all}), got ${own}`,
              allowed: `at most ${all}`,
              found: String(own)
            })
      )
    ).pipe(orEmpty),
    collapse_wait: durationOrOff(1).pipe(or(5_000))
  },
  {
    mode: "For keys and teams that set no mode: `off`, `on_request` (requests with `X-Gateway-Cache: on`) or `on`. `never` overrides keys and teams.",
    ttl: "How long a response is used.",
    namespace: "Who shares an entry: requests of one `key`, or of the keys of one `team`.",
    operations: "The operations whose responses are stored.",
    tool_calls: "Whether responses that call the client's functions are stored.",
    limits: "How much is stored.",
    collapse_wait: "How long a request waits for the response to an equal request that runs."
  }
)

export const cacheSettings = (read: Schema.Schema.Type<typeof Cache>): CacheSettings => ({
  ...defaultCache,
  mode: read.mode,
  ttlMs: read.ttl,
  namespace: read.namespace,
  operations: new Set(read.operations),
  toolCalls: read.tool_calls,
  quota: { all: read.limits.max_mb * BYTES_PER_MB, perKey: read.limits.max_mb_per_owner * BYTES_PER_MB },
  largestEntry: read.limits.max_entry_kb * BYTES_PER_KB,
  collapseMs: read.collapse_wait
})
