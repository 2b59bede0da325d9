/** What the settlements of one group add to rollups and budget windows, summed in memory and written once before the commit. */
import type { StatementSync } from "node:sqlite"
import type { ReservationRow, SettlementRow, WindowCharge } from "../../../core/ledger/LedgerJournal.ts"
import { addTo, hasRare, noUsage, rareClasses, type UsageSum } from "../../../core/domain/Usage.ts"
import { tokenCounts } from "../../records/Columns.ts"
import type { LedgerStatements } from "./LedgerStatements.ts"
import { hasColumn, HOUR_MS, QUARTER_MS, scopeColumn, slotsIn, windowSpan } from "../../records/Scopes.ts"
import { GroupFailed } from "../writer/WriteOperation.ts"

/** What one group adds to one row of the rollup, or of the rollup of a scope beyond keys and teams. */
interface RollupSum {
  /** Undefined for the rollup of keys and teams. */
  readonly scope: string | undefined
  /** Any row of the group: its dimensions are the same in all. */
  readonly row: ReservationRow
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

/** What one group adds to one budget window. */
interface WindowSum {
  readonly charge: WindowCharge
  cost: number
  lastId: number
}

/** About 6 MB. */
const MOST_PLACES = 50_000

type Values = ReadonlyArray<string | number>

export class LedgerSums {
  private readonly statements: LedgerStatements
  /** By key or scope. Most groups have one entry of each, and comparing two texts is cheaper than hashing one. */
  private rollups = new Map<string, Array<RollupSum>>()
  /** By scope. */
  private windows = new Map<string, Array<WindowSum>>()
  /**
   * Where the newest rollup of a scope probably is: finding it by its names reads a page of an index, which no other scope shares. Of one
   * quarter of an hour.
   */
  private places = new Map<string, number>()
  private quarter = 0

  constructor(statements: LedgerStatements) {
    this.statements = statements
  }

  /** New maps, because an emptied map keeps its former entries alive. */
  clear(): void {
    if (this.rollups.size > 0) this.rollups = new Map()
    if (this.windows.size > 0) this.windows = new Map()
  }

  add(settlement: SettlementRow): void {
    const { at, keyId, subjects } = settlement.reservation
    this.addToRollup(keyId, undefined, Math.floor(at / HOUR_MS), settlement)
    if (subjects !== undefined)
      for (const scope of subjects) this.addToRollup(scope, scope, Math.floor(at / QUARTER_MS), settlement)
    for (const charge of settlement.charges) if (hasColumn(charge.scope)) this.addToWindow(charge, settlement)
  }

  /** Rollups come first, because a window without a row is computed from them. If one statement fails, the whole group fails. */
  write(): void {
    try {
      for (const sums of this.rollups.values()) for (const sum of sums) this.writeRollup(sum)
      for (const sums of this.windows.values()) for (const sum of sums) this.writeWindow(sum)
      this.clear()
    } catch (cause) {
      throw new GroupFailed("Sums of the ledger could not be written", { cause })
    }
  }

  /** The ID of the newest row of the scope with a cost; 0 if there is none. */
  newestCost(scope: string): number {
    const { column, subject } = scopeColumn(scope)
    return Number(this.statements.newestCost[column].get({ subject })?.["id"] ?? 0)
  }

  /** All recorded cost in the time of a window: from rollups, and from rows for hours that are only partly in it. */
  spentIn(charge: WindowCharge): bigint {
    const { scope } = charge
    if (!hasColumn(scope)) {
      if (this.rollups.has(scope)) this.write()
      return costOf(this.statements.sumScope, { scope, ...slotsIn(charge) })
    }
    const { column, subject } = scopeColumn(charge.scope)
    const { end, start } = windowSpan(charge)
    const first = Math.ceil(start / HOUR_MS)
    const last = Math.max(first, Math.floor(end / HOUR_MS))
    const { sumRollups, sumRows } = this.statements
    const rows = (from: number, to: number) => {
      if (from >= to) return 0n
      const hours = { first: Math.floor(from / HOUR_MS), last: Math.floor((to - 1) / HOUR_MS) }
      return costOf(sumRows[column], { subject, from, to, ...hours })
    }
    return (
      rows(start, Math.min(first * HOUR_MS, end)) +
      costOf(sumRollups[column], { subject, first, last }) +
      rows(last * HOUR_MS, end)
    )
  }

  private addToRollup(by: string, scope: string | undefined, time: number, settlement: SettlementRow): void {
    const { baseline, cost, counts, estimated, reservation: row, saved, usage } = settlement
    let sum = this.rollups.get(by)?.find((one) => one.time === time && isSameCell(one.row, row))
    if (sum === undefined || !hasRoom(sum, cost, baseline + (saved ?? 0))) {
      if (sum !== undefined) this.write()
      sum = rollupSum(row, scope, time)
      put(this.rollups, by, sum)
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

  private addToWindow(charge: WindowCharge, { cost, reservation: row }: SettlementRow): void {
    let sum = this.windows.get(charge.scope)?.find((one) => isSameWindow(one.charge, charge))
    if (sum === undefined || !Number.isSafeInteger(sum.cost + cost)) {
      if (sum !== undefined) this.write()
      sum = { charge, cost: 0, lastId: 0 }
      put(this.windows, charge.scope, sum)
    }
    sum.cost += cost
    if (row.id > sum.lastId) sum.lastId = row.id
  }

  private writeRollup(sum: RollupSum): void {
    const { row, scope, time } = sum
    const { addRare, addRareOfScope, addRollup } = this.statements
    const cell = [time, row.keyId, row.team ?? "", row.provider, row.model, row.tags]
    if (scope === undefined) {
      addRollup.run(...cell, sum.lastAt, sum.firstId, sum.lastId, sum.lastCostId, ...commonOf(sum))
    } else this.writeScope(scope, time, [scope, ...cell], [sum.lastAt, ...commonOf(sum)])
    const counts = rareIn(sum)
    if (counts === undefined) return
    if (scope === undefined) addRare.run(...counts, ...cell)
    else addRareOfScope.run(...counts, scope, ...cell)
  }

  private writeScope(scope: string, quarter: number, cell: Values, added: Values): void {
    const { addScope, addScopeAt } = this.statements
    const place = this.places.get(scope)
    if (place !== undefined && addScopeAt.run(...added, place, ...cell).changes !== 0) return
    const put = Number(addScope.get(...cell, ...added)?.["rowid"])
    if (quarter > this.quarter) this.places.clear()
    this.quarter = Math.max(this.quarter, quarter)
    if (this.places.size < MOST_PLACES) this.places.set(scope, put)
  }

  private writeWindow({ charge, cost, lastId }: WindowSum): void {
    const { addWindow, putWindow } = this.statements
    if (addWindow.run(cost, lastId, charge.scope, charge.window, charge.start).changes !== 0) return
    putWindow.run(charge.scope, charge.window, charge.start, this.spentIn(charge), this.newestCost(charge.scope))
  }
}

/** In the order of `commonSums`. */
const commonOf = (sum: RollupSum) => [
  sum.requests,
  sum.failedRequests,
  sum.cost,
  sum.estimatedCost,
  sum.autoRequests,
  sum.autoCost,
  sum.autoBaseline,
  ...tokenCounts(sum.usage)
]

/** In the order of `rare`; undefined: there are none. */
const rareIn = ({ cacheHits, cacheSaved, usage }: RollupSum): ReadonlyArray<number> | undefined =>
  hasRare(usage) || cacheHits > 0 ? [...rareClasses.map((name) => usage[name]), cacheHits, cacheSaved] : undefined

const isSameCell = (a: ReservationRow, b: ReservationRow): boolean =>
  a.keyId === b.keyId && a.model === b.model && a.provider === b.provider && a.team === b.team && a.tags === b.tags

const isSameWindow = (a: WindowCharge, b: WindowCharge): boolean =>
  a === b || (a.window === b.window && a.start === b.start)

const put = <Sum>(all: Map<string, Array<Sum>>, key: string, sum: Sum): void => {
  const sums = all.get(key)
  if (sums === undefined) all.set(key, [sum])
  else sums.push(sum)
}

const costOf = (statement: StatementSync, parameters: Record<string, string | number>): bigint =>
  BigInt((statement.get(parameters)?.["cost"] as bigint | null | undefined) ?? 0)

const rollupSum = (row: ReservationRow, scope: string | undefined, time: number): RollupSum => ({
  scope,
  row,
  time,
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
  lastAt: row.at,
  firstId: row.id,
  lastId: row.id,
  lastCostId: 0
})

const hasRoom = (sum: RollupSum, cost: number, baseline: number): boolean =>
  Number.isSafeInteger(sum.cost + cost) && Number.isSafeInteger(sum.autoBaseline + sum.cacheSaved + baseline)
