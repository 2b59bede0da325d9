/** The ledger in the store: rows, rollups and budget windows, written by the group commit. */
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import {
  LedgerJournal,
  type ReservationRow,
  type SettlementRow,
  type StoreUnavailable,
  type WindowCharge
} from "../../core/Store.ts"
import { LedgerWrites } from "./LedgerWrites.ts"
import { orUnavailable } from "./Reads.ts"
import { makeSpend } from "./Spend.ts"
import { type Operation, Writer } from "./Writer.ts"

type Resume<A> = (effect: Effect.Effect<A, StoreUnavailable>) => void

export const layer = Layer.effect(
  LedgerJournal,
  Effect.gen(function* () {
    const writer = yield* Writer
    const sql = yield* SqlClient.SqlClient
    const writes = new LedgerWrites(writer.db)
    writer.join(writes)

    const lastId = sql<{ id: number }>`SELECT coalesce(max(id), 0) AS id FROM ledger`.pipe(
      Effect.map((rows) => rows[0]!.id),
      orUnavailable
    )
    // Rows up to here were opened by processes before this one.
    const inherited = yield* lastId

    const reserve = (row: ReservationRow): Effect.Effect<void, StoreUnavailable> =>
      Effect.suspend(() => {
        // While the store is down a reservation waits for its commit: new work is refused until one succeeds again.
        if (writer.trouble !== undefined) {
          return Effect.uninterruptible(
            Effect.callback<void, StoreUnavailable>((resume) => writer.add(new Reserve(writes, row, resume)))
          )
        }
        writer.add(new Reserve(writes, row, undefined))
        return Effect.void
      })

    const settle = (row: SettlementRow): Effect.Effect<void, StoreUnavailable> =>
      Effect.callback<void, StoreUnavailable>((resume) => writer.add(new Settle(writes, row, resume)))

    const abandonOpen = Effect.fn("LedgerJournal.abandonOpen")((settledAt: number) =>
      writer
        .write(() => writes.abandon(inherited, settledAt))
        .pipe(Effect.tap(() => Effect.sync(() => writes.abandoned(inherited))))
    )

    const openWindow = Effect.fn("LedgerJournal.openWindow")((window: WindowCharge) =>
      Effect.callback<number, StoreUnavailable>((resume) => writer.add(new OpenWindow(writes, window, resume)))
    )

    return { lastId, reserve, settle, abandonOpen, openWindow, spend: makeSpend(sql) }
  })
)

class Reserve implements Operation {
  readonly isOwed = false
  private readonly writes: LedgerWrites
  private readonly row: ReservationRow
  private readonly resume: Resume<void> | undefined

  constructor(writes: LedgerWrites, row: ReservationRow, resume: Resume<void> | undefined) {
    this.writes = writes
    this.row = row
    this.resume = resume
  }

  run(): void {
    this.writes.reserve(this.row)
  }

  committed(): void {
    this.resume?.(Effect.void)
  }

  refused(failure: Effect.Effect<never, StoreUnavailable>): void {
    // Who waited for it has nothing to settle. Who did not settles it with its whole row.
    if (this.resume === undefined) return
    this.writes.settled(this.row.id)
    this.resume(failure)
  }
}

class Settle implements Operation {
  readonly isOwed = true
  private readonly writes: LedgerWrites
  private readonly row: SettlementRow
  private readonly resume: Resume<void>

  constructor(writes: LedgerWrites, row: SettlementRow, resume: Resume<void>) {
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

  refused(failure: Effect.Effect<never, StoreUnavailable>): void {
    this.resume(failure)
  }
}

class OpenWindow implements Operation {
  readonly isOwed = false
  private readonly writes: LedgerWrites
  private readonly window: WindowCharge
  private readonly resume: Resume<number>
  private spent = 0

  constructor(writes: LedgerWrites, window: WindowCharge, resume: Resume<number>) {
    this.writes = writes
    this.window = window
    this.resume = resume
  }

  run(): void {
    this.spent = this.writes.openWindow(this.window)
  }

  committed(): void {
    this.resume(Effect.succeed(this.spent))
  }

  refused(failure: Effect.Effect<never, StoreUnavailable>): void {
    this.resume(failure)
  }
}
