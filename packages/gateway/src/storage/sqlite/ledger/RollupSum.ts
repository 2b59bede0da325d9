/** What settlements add to one row of the rollups, or of the rollups of scopes beyond keys and teams. */
import type { ReservationRow, SettlementRow } from "../../../core/ledger/LedgerJournal.ts"
import { addTo, hasRare, noUsage, rareClasses, type UsageSum } from "../../../core/domain/Usage.ts"
import { tokenCounts } from "../../records/Columns.ts"

type Cell = Pick<ReservationRow, "keyId" | "team" | "provider" | "model" | "tags">

export interface RollupSum extends Cell {
  /** The hour, or the quarter of an hour for a scope. */
  readonly time: number
  readonly usage: UsageSum
  requests: number
  failedRequests: number
  cost: number
  estimatedCost: number
  autoRequests: number
  autoCost: number
  autoBaseline: number
  cacheHits: number
  cacheSaved: number
  lastAt: number
  firstId: number
  lastId: number
  lastCostId: number
}

/** By key or scope. Most have one entry, and comparing two texts is cheaper than hashing one. */
export type RollupSums = Map<string, Array<RollupSum>>

export const addSettlement = (all: RollupSums, by: string, time: number, settlement: SettlementRow): void => {
  const { baseline, cost, counts, estimated, reservation: row, saved, usage } = settlement
  const isFree = (one: RollupSum) =>
    one.time === time && isSameCell(one, row) && hasRoom(one, cost, baseline + (saved ?? 0))
  const sums = all.get(by)
  let sum = sums?.find(isFree)
  if (sum === undefined) {
    sum = rollupSum(row, time)
    if (sums === undefined) all.set(by, [sum])
    else sums.push(sum)
  }
  if (row.isAuto) {
    if (counts !== "nothing") sum.autoRequests++
    sum.autoCost += cost
    sum.autoBaseline += baseline
  }
  if (counts !== "nothing") sum.requests++
  if (counts === "failed_request") sum.failedRequests++
  sum.cost += cost
  if (estimated) sum.estimatedCost += cost
  addTo(sum.usage, usage)
  if (saved !== undefined) {
    sum.cacheHits++
    sum.cacheSaved += saved
  }
  if (row.at > sum.lastAt) sum.lastAt = row.at
  if (row.id < sum.firstId) sum.firstId = row.id
  if (row.id > sum.lastId) sum.lastId = row.id
  if (cost !== 0 && row.id > sum.lastCostId) sum.lastCostId = row.id
}

/** The columns that identify its row, but for the scope. */
export const cellOf = ({ keyId, model, provider, tags, team, time }: RollupSum) =>
  [time, keyId, team ?? "", provider, model, tags] as const

/** In the order of `commonSums`. */
export const commonOf = (sum: RollupSum) =>
  [
    sum.requests,
    sum.failedRequests,
    sum.cost,
    sum.estimatedCost,
    sum.autoRequests,
    sum.autoCost,
    sum.autoBaseline,
    ...tokenCounts(sum.usage)
  ] as const

/** In the order of `rare`; undefined: there are none. */
export const rareIn = ({ cacheHits, cacheSaved, usage }: RollupSum): ReadonlyArray<number> | undefined =>
  hasRare(usage) || cacheHits > 0 ? [...rareClasses.map((name) => usage[name]), cacheHits, cacheSaved] : undefined

const isSameCell = (a: Cell, b: Cell): boolean =>
  a.keyId === b.keyId && a.model === b.model && a.provider === b.provider && a.team === b.team && a.tags === b.tags

const rollupSum = ({ at, id, keyId, model, provider, tags, team }: ReservationRow, time: number): RollupSum => ({
  time,
  keyId,
  team,
  provider,
  model,
  tags,
  usage: { ...noUsage },
  requests: 0,
  failedRequests: 0,
  cost: 0,
  estimatedCost: 0,
  autoRequests: 0,
  autoCost: 0,
  autoBaseline: 0,
  cacheHits: 0,
  cacheSaved: 0,
  lastAt: at,
  firstId: id,
  lastId: id,
  lastCostId: 0
})

const hasRoom = (sum: RollupSum, cost: number, baseline: number): boolean =>
  Number.isSafeInteger(sum.cost + cost) && Number.isSafeInteger(sum.autoBaseline + sum.cacheSaved + baseline)
