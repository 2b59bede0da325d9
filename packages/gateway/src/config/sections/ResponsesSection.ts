/**
 * `responses`: what is stored of answers under `/v1/responses`. `idempotency`: what is kept of answers for repeated requests.
 */
import { Schema } from "effect"
import type { Quota } from "../../core/domain/Quota.ts"
import type { Settings } from "../../core/domain/Settings.ts"
import { refuse } from "../Decode.ts"
import { DAY_MS, group, integer, oneOf, or, readBy, span } from "../SettingValues.ts"

const BYTES_PER_MB = 1024 * 1024
/** A terabyte. */
const LARGEST_STORE_MB = 1024 * 1024

/** Some languages of files read `on` and `off` as true and false. */
const inWord = (written: unknown): unknown => (written === true ? "on" : written === false ? "off" : written)

const megabytes = integer({ from: 1, to: LARGEST_STORE_MB })

interface WrittenQuota {
  readonly max_mb: number
  readonly max_mb_per_key?: number
}

const whyNoQuota = ({ max_mb: all, max_mb_per_key: perKey = 0 }: WrittenQuota) =>
  perKey <= all
    ? undefined
    : () => ({
        message: `max_mb_per_key must be at most max_mb (${all}), got ${perKey}`,
        allowed: `at most ${all}`,
        found: String(perKey)
      })

export const Responses = group(
  {
    store: readBy(inWord, oneOf("a choice for stored responses", ["on", "off"])).pipe(or("on")),
    lifetime: span.pipe(or(30 * DAY_MS)),
    max_mb: megabytes.pipe(or(1024)),
    max_mb_per_key: Schema.optionalKey(megabytes)
  },
  {
    store: "Whether responses are stored for `previous_response_id`; `off` deletes stored ones.",
    lifetime: "How long responses are stored.",
    max_mb: "The storage of all keys together, in MB; beyond it the key that uses most loses its oldest responses.",
    max_mb_per_key: ["The storage of one key, in MB.", "half of `max_mb`"]
  }
).check(refuse(whyNoQuota))

export const Idempotency = group(
  {
    max_mb: megabytes.pipe(or(512)),
    max_mb_per_key: Schema.optionalKey(megabytes)
  },
  {
    max_mb: "The storage of kept responses of all keys together, in MB.",
    max_mb_per_key: ["The storage of one key, in MB.", "half of `max_mb`"]
  }
).check(refuse(whyNoQuota))

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
