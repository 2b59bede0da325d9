/** `responses`, `idempotency` and `cache`: what is kept of responses, and for whom. */
import { Schema } from "effect"
import { cacheOperations, type CacheSettings } from "../../core/domain/Cache.ts"
import type { Quota } from "../../core/domain/Quota.ts"
import type { Settings } from "../../core/domain/Settings.ts"
import { refuse } from "../Decode.ts"
import { cacheModes, cacheNamespaces, LONGEST_TTL } from "@model-gateway/protocol"
import {
  DAY_MS,
  durationOrOff,
  group,
  integer,
  oneOf,
  or,
  orEmpty,
  readBy,
  someOf,
  span,
  time,
  yesOrNo
} from "../SettingValues.ts"

const BYTES_PER_MB = 1024 * 1024
/** A terabyte. */
const LARGEST_STORE_MB = 1024 * 1024

/** Some languages of files read `on` and `off` as true and false. */
const inWord = (written: unknown): unknown => (written === true ? "on" : written === false ? "off" : written)

const megabytes = integer({ from: 1, to: LARGEST_STORE_MB })

const whyNoQuota = ({
  max_mb: all,
  max_mb_per_key: perKey = 0
}: {
  readonly max_mb: number
  readonly max_mb_per_key?: number
}) =>
  perKey <= all
    ? undefined
    : () => ({
        message: `max_mb_per_key must be at most max_mb (${all}), got ${perKey}`,
        allowed: `at most ${all}`,
        found: String(perKey)
      })

export const Responses = group({
  store: readBy(inWord, oneOf("a choice for stored responses", ["on", "off"])).pipe(or("on")),
  lifetime: span.pipe(or(30 * DAY_MS)),
  max_mb: megabytes.pipe(or(1024)),
  max_mb_per_key: Schema.optionalKey(megabytes)
}).check(refuse(whyNoQuota))

export const Idempotency = group({
  max_mb: megabytes.pipe(or(512)),
  max_mb_per_key: Schema.optionalKey(megabytes)
}).check(refuse(whyNoQuota))

/** One key may hold half of all, unless the file says otherwise. */
const quotaOf = (all: number, perKey: number = all / 2): Quota => ({
  all: all * BYTES_PER_MB,
  perKey: perKey * BYTES_PER_MB
})

/** A lifetime of nothing stores nothing. */
export const responseSettings = (responses: typeof Responses.Type): Settings["responses"] => ({
  isStored: responses.store === "on" && responses.lifetime > 0,
  lifetimeMs: responses.lifetime,
  quota: quotaOf(responses.max_mb, responses.max_mb_per_key)
})

export const idempotencySettings = ({ max_mb, max_mb_per_key }: typeof Idempotency.Type): Quota =>
  quotaOf(max_mb, max_mb_per_key)

const ttl = time(
  "a time such as 60s, 1h or 7d, from 1s to 30d",
  ["s", "m", "h", "d"],
  (ms) => ms >= 1_000 && ms <= LONGEST_TTL * 1_000
)

const CacheLimits = group({
  max_mb: megabytes.pipe(or(1024)),
  max_mb_per_owner: megabytes.pipe(or(128)),
  max_entry_kb: integer({ from: 1, to: 256 }).pipe(or(256))
})

export const Cache = group({
  mode: oneOf("a mode of the cache", [...cacheModes, "never"]).pipe(or("off")),
  ttl: ttl.pipe(or(3_600_000)),
  namespace: oneOf("a namespace", cacheNamespaces).pipe(or("key")),
  operations: someOf("operations", oneOf("an operation that can be cached", cacheOperations)).pipe(
    or([...cacheOperations])
  ),
  tool_calls: yesOrNo.pipe(or(false)),
  limits: CacheLimits.pipe(orEmpty),
  collapse_wait: durationOrOff(1).pipe(or(5_000))
})

export const cacheSettings = ({ limits, ...read }: typeof Cache.Type): CacheSettings => ({
  mode: read.mode,
  ttlMs: read.ttl,
  namespace: read.namespace,
  operations: read.operations,
  toolCalls: read.tool_calls,
  quota: quotaOf(limits.max_mb, Math.min(limits.max_mb, limits.max_mb_per_owner)),
  largestEntry: limits.max_entry_kb * 1024,
  collapseMs: read.collapse_wait
})
