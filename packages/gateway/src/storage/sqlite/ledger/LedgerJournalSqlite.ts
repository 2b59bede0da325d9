/** The ledger in the store: rows, rollups and budget windows, written by the group commit. */
import { Clock, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { AbandonedRule } from "../../../core/domain/AbandonedRule.ts"
import {
  LedgerJournal,
  type ReservationRow,
  type SettlementRow,
  type WindowCharge
} from "../../../core/ledger/LedgerJournal.ts"
import type { StoreUnavailable } from "../../../core/domain/Errors.ts"
import { abandonedReceipts } from "../receipts/SqliteAbandonedReceipts.ts"
import { Blocks } from "./RollupCompaction.ts"
import { ALIVE_EVERY_MS, LedgerWrites } from "./LedgerWrites.ts"
import { exactly, orUnavailable } from "../file/Reads.ts"
import { KeepReceipts } from "../../records/receipts/KeepReceipts.ts"
import { PageDraft } from "../../records/receipts/PageDraft.ts"
import { ReceiptWrites } from "../receipts/SqliteReceiptWrites.ts"
import { hasColumn, HOUR_MS, QUARTER_MS, scopeRow, slotsIn } from "../../records/Scopes.ts"
import { scopesIn } from "../../records/SpendSums.ts"
import { makeSpend } from "./SqliteSpend.ts"
import { UnawaitedWrite, type WriteOperation } from "../writer/WriteOperation.ts"
import { Writer } from "../writer/Writer.ts"

/** How long sums of scopes wait, and the pause after failed commits. The next start sums up what waits when the process dies. */
const SCOPES_WAIT = "30 seconds"
const RETRY = "1 second"

type ResumeOperation<A> = (effect: Effect.Effect<A, StoreUnavailable>) => void

export const layer = Layer.effect(
  LedgerJournal,
  Effect.gen(function* () {
    const writer = yield* Writer
    const sql = yield* SqlClient.SqlClient
    const clock = yield* Clock.Clock
    const writes = new LedgerWrites(writer.db, () => clock.currentTimeMillisUnsafe())
    writer.join(writes)
    const blocks = new Blocks(writer, writer.db)

    const lastId = sql<{ id: number }>`SELECT coalesce(max(id), 0) AS id FROM ledger`.pipe(
      Effect.map((rows) => rows[0]!.id),
      orUnavailable
    )
    // Earlier processes opened the rows up to this ID.
    const inherited = yield* lastId

    const reserve = (row: ReservationRow): Effect.Effect<void, StoreUnavailable> =>
      Effect.suspend(() => {
        if (writer.trouble !== undefined) return Effect.fail(writer.trouble)
        writer.add(new Reserve(writes, row))
        return Effect.void
      })

    const settle = (row: SettlementRow): Effect.Effect<void, StoreUnavailable> =>
      Effect.callback((resume) => {
        blocks.books(row.reservation.at)
        if (row.saved === undefined) return writer.add(new SettleOperation(writes, row, resume))
        // A response of the cache, which costs nothing: no caller awaits its row.
        writer.add(new UnawaitedWrite(() => writes.hit(row), true))
        resume(Effect.void)
      })

    const keepReceipts = yield* KeepReceipts
    const receipts = new ReceiptWrites(writer.db)
    const abandonOpen = Effect.fn("LedgerJournal.abandonOpen")((settledAt: number, rule: AbandonedRule) =>
      writer
        .write((db) => {
          const oldest = writes.oldestOpen(inherited)
          if (oldest !== undefined) blocks.unlist(Math.floor(oldest / HOUR_MS))
          const ids = writes.abandon(inherited, settledAt, rule)
          // Only this process can report them now.
          if (keepReceipts > 0 && ids.length > 0) receipts.insert(PageDraft.of(abandonedReceipts(db, ids, rule)))
          writes.scopes.addUnsummed()
          return ids.length
        })
        .pipe(Effect.tap(() => Effect.sync(() => writes.abandoned(inherited))))
    )

    const openWindow = (window: WindowCharge) =>
      Effect.callback<number, StoreUnavailable>((resume) => writer.add(new OpenWindow(writes, window, resume)))

    const spentIn = Effect.fn("LedgerJournal.spentIn")((windows: ReadonlyArray<WindowCharge>) =>
      exactly(sql<{ spent: bigint | null }>`SELECT (SELECT spent FROM budget_windows
          WHERE scope = value ->> 'scope' AND "window" = value ->> 'window' AND start = value ->> 'start') AS spent
        FROM json_each(${JSON.stringify(windows)}) ORDER BY key`).pipe(
        Effect.map((rows) =>
          windows.map((window, index) => {
            if (!hasColumn(window.scope)) return Number(writes.scopes.costIn(window.scope, slotsIn(window)))
            const { spent } = rows[index]!
            return spent === null ? null : Number(spent)
          })
        ),
        orUnavailable
      )
    )

    // Without the hint SQLite uses the primary key for a team, and reads all rows of the hour.
    const hourCosts = Effect.fn("LedgerJournal.hourCosts")((scopes: ReadonlyArray<string>, hour: number) =>
      exactly(sql<{ cost: bigint }>`SELECT
          coalesce((SELECT sum(cost) FROM rollup INDEXED BY rollup_by_key WHERE key_id = value ->> 'key_id' AND hour = ${hour / HOUR_MS}), 0) +
          coalesce((SELECT sum(cost) FROM rollup INDEXED BY rollup_by_team WHERE team = value ->> 'team' AND hour = ${hour / HOUR_MS}), 0) AS cost
        FROM json_each(${JSON.stringify(scopes.map(scopeRow))}) ORDER BY key`).pipe(
        Effect.map((rows) => {
          const slots = { first: hour / QUARTER_MS, last: (hour + HOUR_MS) / QUARTER_MS }
          return scopes.map((scope, index) =>
            hasColumn(scope) ? Number(rows[index]!.cost) : Number(writes.scopes.costIn(scope, slots))
          )
        }),
        orUnavailable
      )
    )

    const giveSign = Effect.sync(() => {
      // A commit with only the sign of life in it, synced like every operation that must be kept.
      if (writes.isSignDue && writer.trouble === undefined) writer.add(new UnawaitedWrite(() => {}, true))
      writes.rest()
    })
    const inTime = Effect.andThen(Effect.sleep(ALIVE_EVERY_MS), giveSign)
    yield* Effect.forkScoped(Effect.forever(Effect.andThen(writes.hasOpen.await, inTime)))
    yield* Effect.forkScoped(blocks.keepUp)

    // A crash left sums unwritten.
    yield* writer.write(() => writes.scopes.addUnsummed())
    const writeScopes = Effect.gen(function* () {
      while (yield* writer.write(() => writes.scopes.write())) yield* Effect.yieldNow
    })
    const { hasAny, isFull } = writes.scopes
    const whenDue = hasAny.await.pipe(
      Effect.andThen(Effect.timeoutOption(isFull.await, SCOPES_WAIT)),
      Effect.andThen(writeScopes),
      // Commits fail.
      Effect.catch(() => Effect.sleep(RETRY))
    )
    yield* Effect.forkScoped(Effect.forever(whenDue))
    yield* Effect.addFinalizer(() => Effect.ignore(writeScopes))

    const read = makeSpend(sql)
    // It reads rows that are not summed up as well, but slowly.
    const spend: typeof read = (query) =>
      scopesIn(query) === undefined ? read(query) : Effect.andThen(Effect.ignore(writeScopes), read(query))
    return { lastId, reserve, settle, abandonOpen, openWindow, spentIn, hourCosts, spend }
  })
)

/** No caller awaits it: by the time its commit fails, the provider has been called. From then on it must be kept. */
class Reserve implements WriteOperation {
  readonly isRequired = true
  readonly isAwaited = false
  private readonly writes: LedgerWrites
  private readonly row: ReservationRow

  constructor(writes: LedgerWrites, row: ReservationRow) {
    this.writes = writes
    this.row = row
  }

  run(): void {
    this.writes.reserve(this.row)
  }

  committed(): void {
    this.writes.reserved(this.row.id)
  }

  refused(): void {
    this.writes.unreserved(this.row.id)
  }
}

/**
 * The response waits for it, but not while commits fail: once the reservation is on disk and the settlement kept, a crash
 * charges the worst case. A response without a durable reservation is not sent.
 */
class SettleOperation implements WriteOperation {
  readonly isRequired = true
  readonly isAwaited = true
  readonly canBatch = true
  private readonly writes: LedgerWrites
  private readonly row: SettlementRow
  private readonly resume: ResumeOperation<void>

  constructor(writes: LedgerWrites, row: SettlementRow, resume: ResumeOperation<void>) {
    this.writes = writes
    this.row = row
    this.resume = resume
  }

  run(): void {
    this.writes.settle(this.row)
  }

  committed(): void {
    this.writes.settled(this.row.reservation.id)
    this.resume(Effect.void)
  }

  refused(failure: Effect.Effect<never, StoreUnavailable>, isKept: boolean): void {
    const { id, requestId } = this.row.reservation
    if (isKept) this.resume(this.writes.isReserved(id) ? Effect.void : failure)
    else this.resume(Effect.andThen(Effect.logError(`The settlement of ${requestId} is lost: ${LOST}`), failure))
  }
}

/** What happens to the row of a lost settlement. */
const LOST = "the next start charges its reservation by store.abandoned."

class OpenWindow implements WriteOperation {
  readonly isRequired = false
  isAwaited = true
  readonly canBatch = true
  private readonly writes: LedgerWrites
  private readonly window: WindowCharge
  private readonly resume: ResumeOperation<number>
  private spent = 0

  constructor(writes: LedgerWrites, window: WindowCharge, resume: ResumeOperation<number>) {
    this.writes = writes
    this.window = window
    this.resume = resume
  }

  run(): void {
    this.spent = this.writes.openWindow(this.window)
    // Nothing was written that has to be on the disk.
    this.isAwaited = hasColumn(this.window.scope)
  }

  committed(): void {
    this.resume(Effect.succeed(this.spent))
  }

  refused(failure: Effect.Effect<never, StoreUnavailable>): void {
    this.resume(failure)
  }
}
