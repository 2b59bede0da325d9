/**
 * `responses`: what is stored of answers under `/v1/responses`.
 */
import type { Settings } from "../../core/domain/Settings.ts"
import { DAY_MS, group, integer, oneOf, or, readBy, span } from "../Values.ts"

const BYTES_PER_MB = 1024 * 1024
/** A terabyte. */
const LARGEST_STORE_MB = 1024 * 1024

/** Some languages of files read `on` and `off` as true and false. */
const inWord = (written: unknown): unknown => (written === true ? "on" : written === false ? "off" : written)

export const Responses = group({
  store: readBy(inWord, oneOf("a choice for stored responses", ["on", "off"])).pipe(or("on")),
  lifetime: span.pipe(or(30 * DAY_MS)),
  max_mb: integer({ from: 1, to: LARGEST_STORE_MB }).pipe(or(1024))
})

/** A lifetime of nothing stores nothing. */
export const responseSettings = (responses: typeof Responses.Type): Settings["responses"] => ({
  isStored: responses.store === "on" && responses.lifetime > 0,
  lifetimeMs: responses.lifetime,
  maxBytes: responses.max_mb * BYTES_PER_MB
})
