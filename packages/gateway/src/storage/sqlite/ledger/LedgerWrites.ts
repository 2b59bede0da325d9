/** The ledger's part of the group commit. Synchronous, with prepared statements, as it runs for every request. */
import type { DatabaseSync } from "node:sqlite"
import { Latch } from "effect"
import type { AbandonedRule } from "../../../core/domain/AbandonedRule.ts"
import type { ReservationRow, SettlementRow, WindowCharge } from "../../../core/ledger/LedgerJournal.ts"
import { COUNTS, rareSums, tokenCounts } from "../../records/Columns.ts"
import { hasColumn, subjectsText } from "../../records/Scopes.ts"
import { type LedgerStatements, prepare } from "./LedgerStatements.ts"
import { LedgerSums } from "./LedgerSums.ts"
import { ScopeSums } from "./ScopeSums.ts"
import type { Participant } from "../writer/WriteOperation.ts"

/** New rows between two updates of the mark below which no row is open: as many are searched after a crash. */
const MARK_EVERY = 4096

/** Milliseconds between two signs of life while attempts are open. */
export const ALIVE_EVERY_MS = 1000

/** From the last sign of life to the death of a process at most: the next sign was due, and may be late. */
const DIED_WITHIN_MS = 2 * ALIVE_EVERY_MS

export class LedgerWrites implements Participant {
  private readonly statements: LedgerStatements
  readonly scopes: ScopeSums
  private readonly sums: LedgerSums
  /** IDs of this process that are not settled. */
  private readonly open = new Set<number>()
  /** Open while `open` has entries. */
  readonly hasOpen = Latch.makeUnsafe(false)
  /** IDs of reservations whose commit failed and that wait for the next commit. */
  private readonly unwritten = new Set<number>()
  private newest = 0
  /** The newest row at the last update of the mark; undefined until the open rows of earlier processes are closed. */
  private marked: number | undefined
  private aliveAt = 0
  private readonly now: () => number

  /** `now` returns epoch milliseconds. Without it there are no signs of life. */
  constructor(db: DatabaseSync, now: () => number = () => 0) {
    this.now = now
    this.statements = prepare(db)
    this.scopes = new ScopeSums(db)
    this.sums = new LedgerSums(this.statements, this.scopes)
  }

  begin(): void {
    this.sums.clear()
    this.scopes.begin()
  }

  beforeCommit(): void {
    this.sums.write()
    if (this.marked !== undefined && this.newest - this.marked >= MARK_EVERY) this.mark()
    if (this.isSignDue) this.statements.markAlive.run((this.aliveAt = this.now()))
  }

  committed(): void {
    this.scopes.committed()
  }

  /** Called after a check that found no open row. */
  rest(): void {
    if (this.open.size === 0) this.hasOpen.closeUnsafe()
  }

  /** Whether a sign of life is due: this process has open attempts at providers. */
  get isSignDue(): boolean {
    return this.open.size > 0 && Math.abs(this.now() - this.aliveAt) >= ALIVE_EVERY_MS
  }

  /** Returns false if the row exists already. */
  reserve(row: ReservationRow): boolean {
    const { changes } = this.statements.insertReserved.run(
      // The savings of a row that is never settled: none.
      row.isAuto ? row.reserved : null,
      row.fixed ?? null,
      row.perSecond ?? null,
      ...identityOf(row)
    )
    if (changes === 0) return false
    this.open.add(row.id)
    if (!this.hasOpen.isOpen()) this.hasOpen.openUnsafe()
    if (row.id > this.newest) this.newest = row.id
    this.scopes.opened(row.id)
    return true
  }

  /** The reservation of a row is on disk. */
  reserved(id: number): void {
    if (this.unwritten.size > 0) this.unwritten.delete(id)
  }

  /** The commit of the reservation failed. */
  unreserved(id: number): void {
    this.unwritten.add(id)
  }

  /** Whether a crash would charge this row. Call it after the reservation was attempted. */
  isReserved(id: number): boolean {
    return !this.unwritten.has(id)
  }

  /** Does nothing for a closed row. A row whose reservation was lost with a failed commit is written first. */
  settle(settlement: SettlementRow): void {
    const { reservation: row } = settlement
    if (!this.close(settlement)) {
      if (!this.reserve(row)) return
      this.close(settlement)
    }
    const more = detailsOf(settlement)
    if (more !== undefined) this.statements.detail.run({ ...more, id: row.id })
    this.sums.add(settlement)
  }

  /** A response of the cache: its row had no reservation. Does nothing if the row exists already. */
  hit(settlement: SettlementRow): void {
    const { reservation, settledAt } = settlement
    const details = JSON.stringify(rareSums(settlement))
    if (this.statements.insertHit.run(settledAt, details, ...identityOf(reservation)).changes === 0) return
    this.scopes.opened(reservation.id)
    this.sums.add(settlement)
  }

  /** The settlement of a row is on disk, or there will be none. */
  settled(id: number): void {
    this.open.delete(id)
    this.reserved(id)
  }

  /** When the oldest open row up to `lastId` began, in epoch milliseconds; undefined if there is none. */
  oldestOpen(lastId: number): number | undefined {
    return (this.statements.oldestOpen.get({ last: lastId })?.["at"] as number | null) ?? undefined
  }

  /** Closes open rows up to `lastId` by the rule and returns their IDs. */
  abandon(lastId: number, settledAt: number, rule: AbandonedRule): ReadonlyArray<number> {
    const { abandonRollups, abandonWindows, abandonRows, lastAlive, listOpen } = this.statements
    const ids = listOpen.all({ last: lastId }).map((row) => Number(row["id"]))
    const aliveAt = lastAlive.get()?.["at"]
    const until = typeof aliveAt === "number" ? Math.min(aliveAt + DIED_WITHIN_MS, settledAt) : null
    abandonWindows.run({ last: lastId })
    abandonRollups.run({ last: lastId, rule, until })
    abandonRows.run({ last: lastId, at: settledAt, rule, until })
    return ids
  }

  /** The closing of abandoned rows is on disk: from now on all open rows are of this process. */
  abandoned(lastId: number): void {
    this.marked ??= lastId
  }

  /** The spend of a window. Creates its row if it is missing, and anew if rows were recorded that it did not count. */
  openWindow(charge: WindowCharge): number {
    if (!hasColumn(charge.scope)) return Number(this.sums.spentIn(charge))
    this.sums.write()
    const { readWindow, putWindow } = this.statements
    const known = readWindow.get(charge.scope, charge.window, charge.start)
    const newest = this.sums.newestCost(charge.scope)
    if (known !== undefined && Number(known["last_id"]) >= newest) return Number(known["spent"])
    const spent = this.sums.spentIn(charge)
    putWindow.run(charge.scope, charge.window, charge.start, spent, newest)
    return Number(spent)
  }

  /** Returns false if no such row is open. */
  private close({ baseline, cost, counts, estimated, reservation, settledAt, status, usage }: SettlementRow): boolean {
    const { changes } = this.statements.settleReserved.run(
      status,
      settledAt,
      cost,
      estimated ? 1 : 0,
      COUNTS[counts],
      reservation.isAuto ? baseline : null,
      ...tokenCounts(usage),
      reservation.id
    )
    return changes !== 0
  }

  /** Notes the ID below which no row is open. Losing the note with a failed commit only makes the next search longer. */
  private mark(): void {
    let oldest = this.newest + 1
    // IDs ascend, so the first is nearly always the oldest. A reservation lost with a failed commit may come later.
    for (const id of this.open) if (id < oldest) oldest = id
    this.statements.markOpen.run(oldest)
    this.marked = this.newest
  }
}

const identityOf = (row: ReservationRow) =>
  [
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
    row.operation,
    subjectsText(row)
  ] as const

/** Almost no row has any. */
const detailsOf = (row: SettlementRow) => {
  const { isUnpriced, priceVersion, reservation, serviceTier } = row
  const found = rareSums(row)
  const unpriced = isUnpriced === true && reservation.priceSource !== null
  if (found === undefined && serviceTier === undefined && priceVersion === undefined && !unpriced) return undefined
  const all = { ...found, ...(serviceTier === undefined ? {} : { service_tier: serviceTier }) }
  const details = found === undefined && serviceTier === undefined ? null : JSON.stringify(all)
  return { details, unpriced: unpriced ? 1 : 0, priceVersion: priceVersion ?? null }
}
