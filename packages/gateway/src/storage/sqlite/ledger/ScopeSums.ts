/**
 * The sums of scopes beyond keys and teams. There may be a million of them, whose rows are in as many pages: so their sums are kept in
 * memory, and written many at a time in the order of their names. After a crash they are made from the ledger's rows.
 */
import type { DatabaseSync, StatementSync } from "node:sqlite"
import { Latch } from "effect"
import type { SettlementRow } from "../../../core/ledger/LedgerJournal.ts"
import { QUARTER_MS, type slotsIn } from "../../records/Scopes.ts"
import { addSettlement, cellOf, commonOf, rareIn, type RollupSum, type RollupSums } from "./RollupSum.ts"
import { prepareScopes, type ScopeStatements } from "./ScopeRollups.ts"

/** Scopes whose sums wait. About 10 MB. */
const MOST = 20_000

/** Scopes that one transaction writes, in a few milliseconds. */
const AT_ONCE = 250

/** As SQLite compares texts, by their bytes. JavaScript's order is another one beyond U+FFFF. */
const inOrder = (scopes: Iterable<string>): Array<string> =>
  Array.from(scopes, (scope) => [Buffer.from(scope), scope] as const)
    .sort(([a], [b]) => Buffer.compare(a, b))
    .map(([, scope]) => scope)

export class ScopeSums {
  /** Open while sums wait. */
  readonly hasAny = Latch.makeUnsafe(false)
  /** Open while as many wait as may. */
  readonly isFull = Latch.makeUnsafe(false)
  private readonly statements: ScopeStatements
  private waiting: RollupSums = new Map()
  /** Sums of which some are written, and the scopes of the others, from the last to the first. */
  private writing: RollupSums = new Map()
  private scopes: ReadonlyArray<string> = []
  /** The last row at the newest mark. */
  private markedTo = 0
  /** Something changed in a transaction that is not committed. */
  private isUncommitted = false

  constructor(db: DatabaseSync) {
    this.statements = prepareScopes(db)
  }

  /** Runs at the start of a transaction. After one that failed, the sums in memory are not those of the store's rows. */
  begin(): void {
    if (this.isUncommitted) this.addUnsummed()
  }

  committed(): void {
    this.isUncommitted = false
  }

  add(settlement: SettlementRow): void {
    const { at, subjects } = settlement.reservation
    if (subjects === undefined || subjects.length === 0) return
    this.isUncommitted = true
    for (const scope of subjects) addSettlement(this.waiting, scope, Math.floor(at / QUARTER_MS), settlement)
    if (!this.hasAny.isOpen()) this.hasAny.openUnsafe()
    if (this.waiting.size >= MOST && !this.isFull.isOpen()) this.isFull.openUnsafe()
  }

  /** A row was inserted. Its ID may be lower than that of others. */
  opened(id: number): void {
    if (id <= this.markedTo) this.statements.opened.run(id)
  }

  /** What the scope spent from the quarter of an hour `first` up to but not including `last`. */
  costIn(scope: string, { first, last }: ReturnType<typeof slotsIn>): bigint {
    let cost = (this.statements.cost.get({ scope, first, last })?.["cost"] as bigint | null | undefined) ?? 0n
    for (const sums of [this.waiting.get(scope), this.writing.get(scope)])
      for (const sum of sums ?? []) if (sum.time >= first && sum.time < last) cost += BigInt(sum.cost)
    return cost
  }

  /** Runs in a transaction: writes the next scopes. Returns whether there are more of those that waited at the first call. */
  write(): boolean {
    const isFirst = this.scopes.length === 0
    const scopes = isFirst ? inOrder(this.waiting.keys()).reverse() : this.scopes
    const sums = isFirst ? this.waiting : this.writing
    if (scopes.length === 0) return false
    const [rest, next] = [scopes.slice(0, -AT_ONCE), scopes.slice(-AT_ONCE).reverse()]
    const { begin, end, forget, reached } = this.statements
    this.isUncommitted = true
    if (isFirst) this.mark(begin)
    for (const scope of next) for (const sum of sums.get(scope)!) this.writeSum(scope, sum)
    if (rest.length > 0) reached.run(next.at(-1)!)
    else {
      end.run()
      forget.run()
    }
    // Last, because a statement that fails leaves everything as it was.
    if (isFirst) this.clearWaiting()
    for (const scope of next) sums.delete(scope)
    this.writing = sums
    this.scopes = rest
    return rest.length > 0
  }

  /** Runs in a transaction: makes the sums from the ledger's rows. */
  addUnsummed(): void {
    const { addUnsummed, forget, summed } = this.statements
    this.isUncommitted = true
    addUnsummed.run()
    this.mark(summed)
    forget.run()
    this.clearWaiting()
    this.writing = new Map()
    this.scopes = []
  }

  private mark(statement: StatementSync): void {
    this.markedTo = Number(statement.get()?.["last"])
  }

  private clearWaiting(): void {
    this.waiting = new Map()
    this.hasAny.closeUnsafe()
    this.isFull.closeUnsafe()
  }

  private writeSum(scope: string, sum: RollupSum): void {
    const cell = cellOf(sum)
    this.statements.add.run(scope, ...cell, sum.lastAt, ...commonOf(sum))
    const counts = rareIn(sum)
    if (counts !== undefined) this.statements.addRare.run(...counts, scope, ...cell)
  }
}
