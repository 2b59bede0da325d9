/**
 * The ledger's part of the group commit: rows one by one, rollups and budget windows summed up over the group and written once.
 * Synchronous, prepared statements only: this runs for every request.
 */
import type { StatementSync } from "node:sqlite"
import type { ReservationRow, SettlementRow, WindowCharge } from "../../core/Store.ts"
import type { Usage } from "../../core/Usage.ts"
import { type Participant, GroupFailed, type Writer } from "./Writer.ts"
import * as Statements from "./LedgerStatements.ts"
import { HOUR_MS, scopeColumn, windowSpan } from "./Scopes.ts"

/** What one group adds to one row of the rollup. */
interface RollupSum {
  readonly row: ReservationRow
  readonly hour: number
  requests: number
  failedRequests: number
  cost: number
  estimatedCost: number
  readonly usage: { -readonly [K in keyof Usage]: Usage[K] }
  lastAt: number
  lastId: number
}

/** What one group adds to one budget window. `outside`: the part from rows that are not of its time, which no sum of rows shows. */
interface WindowSum {
  readonly charge: WindowCharge
  cost: number
  outside: number
  lastId: number
}

const COUNTS = { nothing: 0, request: 1, failed_request: 2 } as const

export class LedgerWrites implements Participant {
  private readonly statements: Statements.LedgerStatements
  private readonly rollups = new Map<string, RollupSum>()
  private readonly windows = new Map<string, WindowSum>()

  constructor(db: Writer["Service"]["db"]) {
    this.statements = Statements.prepare(db)
  }

  begin(): void {
    this.rollups.clear()
    this.windows.clear()
  }

  beforeCommit(): void {
    this.writeSums()
  }

  reserve(row: ReservationRow): void {
    const { insertReserved } = this.statements
    insertReserved.run(
      row.id,
      row.requestId,
      row.attempt,
      row.at,
      row.keyId,
      row.team ?? "",
      row.provider,
      row.model,
      row.deployment,
      row.tags,
      row.reserved,
      row.priceSource,
      row.priceVersion
    )
  }

  settle(settlement: SettlementRow): void {
    if (!this.close(settlement)) return
    this.addToRollup(settlement)
    for (const charge of settlement.charges) this.addToWindow(charge, settlement)
  }

  /** Closes rows up to `lastId` that are still open, at their worst case. How many there were. */
  abandon(lastId: number, settledAt: number): number {
    const { abandonRollups, abandonWindows, abandonRows } = this.statements
    abandonWindows.run(lastId, lastId)
    abandonRollups.run(lastId)
    return Number(abandonRows.run(settledAt, lastId).changes)
  }

  /** The spend of a window, whose row is made if there is none, and made anew if rows were booked that it did not count. */
  openWindow(charge: WindowCharge): number {
    this.writeSums()
    const { readWindow, putWindow } = this.statements
    const known = readWindow.get(charge.scope, charge.window, charge.start)
    const newest = this.newestOf(charge)
    if (known !== undefined && Number(known["last_id"]) >= newest) return Number(known["spent"])
    const spent = this.sumOf(charge)
    putWindow.run(charge.scope, charge.window, charge.start, spent, newest)
    return Number(spent)
  }

  /** False when the row was closed before. A row whose reservation was lost with a failed commit is written whole. */
  private close(settlement: SettlementRow): boolean {
    const { settleReserved, insertSettled } = this.statements
    if (bindSettlement(settleReserved, settlement, settlement.reservation.id) !== 0) return true
    return bindWhole(insertSettled, settlement) !== 0
  }

  private addToRollup(settlement: SettlementRow): void {
    const { cost, counts, estimated, reservation: row, usage } = settlement
    const hour = Math.floor(row.at / HOUR_MS)
    const key = `${hour}\n${row.keyId}\n${row.team ?? ""}\n${row.provider}\n${row.model}\n${row.tags}`
    let sum = this.rollups.get(key)
    if (sum === undefined || !Number.isSafeInteger(sum.cost + cost)) {
      if (sum !== undefined) this.writeSums()
      sum = {
        row,
        hour,
        requests: 0,
        failedRequests: 0,
        cost: 0,
        estimatedCost: 0,
        usage: zero(),
        lastAt: 0,
        lastId: 0
      }
      this.rollups.set(key, sum)
    }
    if (counts !== "nothing") sum.requests++
    if (counts === "failed_request") sum.failedRequests++
    sum.cost += cost
    if (estimated) sum.estimatedCost += cost
    addUsage(sum.usage, usage)
    if (row.at > sum.lastAt) sum.lastAt = row.at
    if (cost !== 0 && row.id > sum.lastId) sum.lastId = row.id
  }

  private addToWindow(charge: WindowCharge, { cost, reservation: row }: SettlementRow): void {
    const key = `${charge.scope}\n${charge.window}\n${charge.start}`
    let sum = this.windows.get(key)
    if (sum === undefined || !Number.isSafeInteger(sum.cost + cost)) {
      if (sum !== undefined) this.writeSums()
      sum = { charge, cost: 0, outside: 0, lastId: 0 }
      this.windows.set(key, sum)
    }
    sum.cost += cost
    if (row.at < charge.start) sum.outside += cost
    if (row.id > sum.lastId) sum.lastId = row.id
  }

  /** Rollups first: a window without a row is summed up from them. Half of the sums of a group is worse than none. */
  private writeSums(): void {
    try {
      for (const sum of this.rollups.values()) this.writeRollup(sum)
      this.rollups.clear()
      for (const sum of this.windows.values()) this.writeWindow(sum)
      this.windows.clear()
    } catch (cause) {
      throw new GroupFailed("Sums of the ledger could not be written", { cause })
    }
  }

  private writeRollup(sum: RollupSum): void {
    const { row, usage } = sum
    this.statements.addRollup.run(
      sum.hour,
      row.keyId,
      row.team ?? "",
      row.provider,
      row.model,
      row.tags,
      sum.requests,
      sum.failedRequests,
      sum.cost,
      sum.estimatedCost,
      usage.input,
      usage.cachedInput,
      usage.cacheWrite,
      usage.cacheWrite1h,
      usage.output,
      usage.reasoning,
      usage.audioInput,
      usage.audioOutput,
      sum.lastAt,
      sum.lastId
    )
  }

  private writeWindow({ charge, cost, lastId, outside }: WindowSum): void {
    const { addWindow, putWindow } = this.statements
    if (addWindow.run(cost, lastId, charge.scope, charge.window, charge.start).changes !== 0) return
    const spent = this.sumOf(charge) + BigInt(outside)
    putWindow.run(charge.scope, charge.window, charge.start, spent, this.newestOf(charge))
  }

  /** The newest row of the scope that cost something. */
  private newestOf(charge: WindowCharge): number {
    const { column, subject } = scopeColumn(charge.scope)
    return Number(this.statements.lastOfScope[column].get(subject, subject)?.["last_id"] ?? 0)
  }

  /** What the rollups say, and the ledger for hours that begin before the window or end after it. */
  private sumOf(charge: WindowCharge): bigint {
    const { column, subject } = scopeColumn(charge.scope)
    const { end, start } = windowSpan(charge)
    const first = Math.ceil(start / HOUR_MS)
    const last = Math.floor(end / HOUR_MS)
    const { sumRollup, sumRows } = this.statements
    const sum = (statement: StatementSync, from: number, to: number) =>
      BigInt((statement.get(subject, from, to)?.["cost"] as bigint | null | undefined) ?? 0)
    return (
      sum(sumRows[column], start, Math.min(first * HOUR_MS, end)) +
      sum(sumRollup[column], first, last) +
      sum(sumRows[column], Math.max(last * HOUR_MS, first * HOUR_MS), end)
    )
  }
}

const bindSettlement = (statement: StatementSync, settlement: SettlementRow, id: number): number | bigint => {
  const { usage } = settlement
  return statement.run(
    settlement.status,
    settlement.settledAt,
    settlement.cost,
    settlement.estimated ? 1 : 0,
    COUNTS[settlement.counts],
    usage.input,
    usage.cachedInput,
    usage.cacheWrite,
    usage.cacheWrite1h,
    usage.output,
    usage.reasoning,
    usage.audioInput,
    usage.audioOutput,
    id
  ).changes
}

const bindWhole = (statement: StatementSync, settlement: SettlementRow): number | bigint => {
  const { reservation: row, usage } = settlement
  return statement.run(
    row.id,
    row.requestId,
    row.attempt,
    row.at,
    row.keyId,
    row.team ?? "",
    row.provider,
    row.model,
    row.deployment,
    row.tags,
    row.reserved,
    row.priceSource,
    row.priceVersion,
    settlement.status,
    settlement.settledAt,
    settlement.cost,
    settlement.estimated ? 1 : 0,
    COUNTS[settlement.counts],
    usage.input,
    usage.cachedInput,
    usage.cacheWrite,
    usage.cacheWrite1h,
    usage.output,
    usage.reasoning,
    usage.audioInput,
    usage.audioOutput
  ).changes
}

const zero = (): RollupSum["usage"] => ({
  input: 0,
  cachedInput: 0,
  cacheWrite: 0,
  cacheWrite1h: 0,
  output: 0,
  reasoning: 0,
  audioInput: 0,
  audioOutput: 0
})

const addUsage = (sum: RollupSum["usage"], usage: Usage): void => {
  sum.input += usage.input
  sum.cachedInput += usage.cachedInput
  sum.cacheWrite += usage.cacheWrite
  sum.cacheWrite1h += usage.cacheWrite1h
  sum.output += usage.output
  sum.reasoning += usage.reasoning
  sum.audioInput += usage.audioInput
  sum.audioOutput += usage.audioOutput
}
