/** Rows of the ledger as the JSON that its statements read. */
import { noUsage } from "../../../core/domain/Usage.ts"
import type { ReservationRow, SettlementRow, WindowCharge } from "../../../core/ledger/LedgerJournal.ts"
import { COUNTS, rareSums } from "../../records/Columns.ts"
import { slotsIn, subjectsText } from "../../records/Scopes.ts"
import { storable, storableOrNull } from "../connection/Texts.ts"

export const opened = (row: ReservationRow) => ({
  id: row.id,
  request_id: storable(row.requestId),
  attempt: row.attempt,
  at: row.at,
  key_id: storable(row.keyId),
  team: storable(row.team ?? ""),
  provider: storable(row.provider),
  model: storable(row.model),
  deployment: storable(row.deployment),
  tags: storable(row.tags),
  reserved: row.reserved,
  price_source: storableOrNull(row.priceSource),
  price_version: storableOrNull(row.priceVersion),
  operation: row.operation,
  subjects: storable(subjectsText(row)),
  // The savings of a row that is never settled: none.
  baseline: row.isAuto ? row.reserved : null,
  fixed: row.fixed ?? null,
  per_second: row.perSecond ?? null
})

export const outcome = ({ isUnpriced, priceVersion, reservation, serviceTier, usage, ...row }: SettlementRow) => ({
  id: reservation.id,
  status: row.status,
  settled_at: row.settledAt,
  cost: row.cost,
  estimated: row.estimated,
  counts: COUNTS[row.counts],
  baseline: reservation.isAuto ? row.baseline : null,
  unpriced: isUnpriced === true,
  other_version: storableOrNull(priceVersion ?? null),
  service_tier: serviceTier === undefined ? null : storable(serviceTier),
  input: usage.input,
  cached_input: usage.cachedInput,
  cache_write: usage.cacheWrite,
  cache_write_1h: usage.cacheWrite1h,
  output: usage.output,
  reasoning: usage.reasoning,
  audio_input: usage.audioInput,
  audio_output: usage.audioOutput,
  ...rareSums({ ...row, usage })
})

/** A row that began and ended in the same group. */
export const whole = (row: SettlementRow) => ({
  ...opened(row.reservation),
  ...outcome(row),
  ...(row.isUnpriced === true ? { price_source: null, price_version: null } : {}),
  ...(row.priceVersion === undefined ? {} : { price_version: storable(row.priceVersion) })
})

/** The end of an attempt that was not made, because its start could not be stored in time. */
export const neverSent = (reservation: ReservationRow, settledAt: number): SettlementRow => ({
  reservation,
  settledAt,
  cost: 0,
  baseline: 0,
  usage: noUsage,
  estimated: false,
  status: "void",
  counts: "nothing",
  charges: []
})

/** A window with its quarters of an hour. */
export const windowRow = (charge: WindowCharge, n: number) => ({
  n,
  scope: storable(charge.scope),
  window: charge.window,
  start: charge.start,
  ...slotsIn(charge)
})

/** Null for none, so that the statement reads nothing. */
export const textOf = (rows: ReadonlyArray<object>): string | null => (rows.length === 0 ? null : JSON.stringify(rows))
