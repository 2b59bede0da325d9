/** What the settlements of one group add to rollups and budget windows, summed in memory and written once before the commit. */
import type { StatementSync } from "node:sqlite"
import type { SettlementRow, WindowCharge } from "../../../core/ledger/LedgerJournal.ts"
import type { LedgerStatements } from "./LedgerStatements.ts"
import { hasColumn, HOUR_MS, scopeColumn, slotsIn, windowSpan } from "../../records/Scopes.ts"
import { GroupFailed } from "../writer/WriteOperation.ts"
import { addSettlement, cellOf, commonOf, rareIn, type RollupSum, type RollupSums } from "./RollupSum.ts"
import type { ScopeSums } from "./ScopeSums.ts"

/** What one group adds to one budget window. */
interface WindowSum {
  readonly charge: WindowCharge
  cost: number
  lastId: number
  /** The row of the window was missing, and made from the rollups. */
  isMade: boolean
}

export class LedgerSums {
  private readonly statements: LedgerStatements
  /** By key. */
  private rollups: RollupSums = new Map()
  readonly scopes: ScopeSums
  /** By scope. */
  private windows = new Map<string, Array<WindowSum>>()

  constructor(statements: LedgerStatements, scopes: ScopeSums) {
    this.statements = statements
    this.scopes = scopes
  }

  /** New maps, because an emptied map keeps its former entries alive. */
  clear(): void {
    if (this.rollups.size > 0) this.rollups = new Map()
    if (this.windows.size > 0) this.windows = new Map()
  }

  add(settlement: SettlementRow): void {
    const { at, keyId } = settlement.reservation
    addSettlement(this.rollups, keyId, Math.floor(at / HOUR_MS), settlement)
    this.scopes.add(settlement)
    for (const charge of settlement.charges) if (hasColumn(charge.scope)) this.addToWindow(charge, settlement)
  }

  /** Rollups come first, because a window without a row is computed from them. If one statement fails, the whole group fails. */
  write(): void {
    try {
      for (const sums of this.rollups.values()) for (const sum of sums) this.writeRollup(sum)
      for (const sums of this.windows.values()) for (const sum of sums) this.writeWindow(sum, sums)
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
    if (!hasColumn(scope)) return this.scopes.costIn(scope, slotsIn(charge))
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

  private addToWindow(charge: WindowCharge, { cost, reservation: row }: SettlementRow): void {
    const sums = this.windows.get(charge.scope)
    let sum = sums?.find((one) => isSameWindow(one.charge, charge) && Number.isSafeInteger(one.cost + cost))
    if (sum === undefined) {
      sum = { charge, cost: 0, lastId: 0, isMade: false }
      if (sums === undefined) this.windows.set(charge.scope, [sum])
      else sums.push(sum)
    }
    sum.cost += cost
    if (row.id > sum.lastId) sum.lastId = row.id
  }

  private writeRollup(sum: RollupSum): void {
    const cell = cellOf(sum)
    this.statements.addRollup.run(...cell, sum.lastAt, sum.firstId, sum.lastId, sum.lastCostId, ...commonOf(sum))
    const counts = rareIn(sum)
    if (counts !== undefined) this.statements.addRare.run(...counts, ...cell)
  }

  private writeWindow(sum: WindowSum, all: ReadonlyArray<WindowSum>): void {
    const { charge, cost, lastId } = sum
    const { addWindow, putWindow } = this.statements
    if (all.length > 1 && all.some((one) => one.isMade && isSameWindow(one.charge, charge))) return
    if (addWindow.run(cost, lastId, charge.scope, charge.window, charge.start).changes !== 0) return
    putWindow.run(charge.scope, charge.window, charge.start, this.spentIn(charge), this.newestCost(charge.scope))
    sum.isMade = true
  }
}

const isSameWindow = (a: WindowCharge, b: WindowCharge): boolean =>
  a === b || (a.window === b.window && a.start === b.start)

const costOf = (statement: StatementSync, parameters: Record<string, string | number>): bigint =>
  BigInt((statement.get(parameters)?.["cost"] as bigint | null | undefined) ?? 0)
