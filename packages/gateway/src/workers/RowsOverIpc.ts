/** Rows of the ledger between processes: a line of numbers each, as there are two for every request. */
import type { OperationName } from "../core/domain/OperationName.ts"
import type { ReservationRow, WindowCharge } from "../core/ledger/LedgerJournal.ts"
import type { Closing } from "../core/ledger/LedgerOwner.ts"
import type { Name, NameOf, Names } from "../storage/records/receipts/PageNames.ts"
import { decodeUsage, encodeUsage, type UsageLine } from "../storage/records/receipts/ReceiptPages.ts"

export type ReservationLine = readonly [
  id: number,
  requestId: string,
  attempt: number,
  at: number,
  keyId: Name,
  team: Name,
  provider: Name,
  model: Name,
  deployment: Name,
  operation: Name,
  tags: Name,
  reserved: number,
  priceSource: Name,
  priceVersion: Name,
  isAuto: 0 | 1,
  fixed: number | null,
  perSecond: number | null
]

export type SettlementLine = readonly [
  settledAt: number,
  cost: number,
  baseline: number,
  usage: UsageLine,
  estimated: 0 | 1,
  serviceTier: Name,
  isUnpriced: 0 | 1,
  status: Name,
  counts: Name,
  priceVersion: Name,
  charges: ReadonlyArray<number>,
  /** How many of the charges, from the first on, its cost has left the shares of; other ones by themselves. Left out: there are no shares. */
  taken?: number | ReadonlyArray<number>
]

/** A row that begins, or one that closes, by its number. */
export type RowLine = ReservationLine | readonly [id: number, line: SettlementLine]

export const isReservation = (line: RowLine): line is ReservationLine => line.length > 2

export const reservationLine = (row: ReservationRow, name: NameOf): ReservationLine => [
  row.id,
  row.requestId,
  row.attempt,
  row.at,
  name(row.keyId),
  name(row.team),
  name(row.provider),
  name(row.model),
  name(row.deployment),
  name(row.operation),
  name(row.tags),
  row.reserved,
  name(row.priceSource),
  name(row.priceVersion),
  row.isAuto ? 1 : 0,
  row.fixed ?? null,
  row.perSecond ?? null
]

export const reservationOf = (line: ReservationLine, { texts }: Names): ReservationRow => {
  const [id, requestId, attempt, at, keyId, team, provider, model, deployment, operation, tags, reserved, ...rest] =
    line
  const [priceSource, priceVersion, isAuto, fixed, perSecond] = rest
  return {
    id,
    requestId,
    attempt,
    at,
    keyId: texts[keyId]!,
    team: texts[team] ?? null,
    provider: texts[provider]!,
    model: texts[model]!,
    deployment: texts[deployment]!,
    operation: texts[operation] as OperationName,
    tags: texts[tags]!,
    reserved,
    priceSource: texts[priceSource] ?? null,
    priceVersion: texts[priceVersion] ?? null,
    isAuto: isAuto === 1,
    fixed: fixed ?? undefined,
    perSecond: perSecond ?? undefined
  }
}

export const settlementLine = (row: Closing, name: NameOf): SettlementLine => {
  const { charges, taken } = row
  const line = [
    row.settledAt,
    row.cost,
    row.baseline,
    encodeUsage(row.usage),
    row.estimated ? 1 : 0,
    name(row.serviceTier ?? null),
    row.isUnpriced === true ? 1 : 0,
    name(row.status),
    name(row.counts),
    name(row.priceVersion ?? null),
    chargeLine(charges, name)
  ] as const
  if (taken === undefined) return line
  const isFirst = taken.every((charge, index) => charge === charges[index])
  return [...line, isFirst ? taken.length : chargeLine(taken, name)]
}

export const closingOf = (line: SettlementLine, names: Names): Closing => {
  const [settledAt, cost, baseline, usage, estimated, serviceTier, isUnpriced, status, counts, ...rest] = line
  const [priceVersion, charged, taken] = rest
  const { texts } = names
  const charges = chargesOf(charged, names)
  return {
    settledAt,
    cost,
    baseline,
    usage: decodeUsage(usage),
    estimated: estimated === 1,
    serviceTier: texts[serviceTier],
    isUnpriced: isUnpriced === 1,
    priceVersion: texts[priceVersion],
    status: texts[status] as Closing["status"],
    counts: texts[counts] as Closing["counts"],
    charges,
    taken: typeof taken === "number" ? charges.slice(0, taken) : taken && chargesOf(taken, names)
  }
}

/** Scope, window and start of each. */
const chargeLine = (charges: ReadonlyArray<WindowCharge>, name: NameOf): ReadonlyArray<number> =>
  charges.flatMap(({ scope, start, window }) => [name(scope), name(window), start])

const chargesOf = (line: ReadonlyArray<number>, { texts }: Names): ReadonlyArray<WindowCharge> =>
  Array.from({ length: line.length / 3 }, (_, index) => ({
    scope: texts[line[index * 3]!]!,
    window: texts[line[index * 3 + 1]!]!,
    start: line[index * 3 + 2]!
  }))
