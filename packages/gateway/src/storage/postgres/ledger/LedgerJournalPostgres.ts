/** The ledger in Postgres: rows, rollups and the spend of budgets, written in groups. */
import { PgClient } from "@effect/sql-pg/PgClient"
import { Clock, Context, Effect, Layer } from "effect"
import { AbandonedRule } from "../../../core/domain/AbandonedRule.ts"
import type { StoreUnavailable } from "../../../core/domain/Errors.ts"
import {
  LedgerJournal,
  type ReservationRow,
  type SettlementRow,
  type WindowCharge
} from "../../../core/ledger/LedgerJournal.ts"
import { KeepReceipts } from "../../records/receipts/KeepReceipts.ts"
import { orUnavailable } from "../connection/PostgresErrors.ts"
import { storable } from "../connection/Texts.ts"
import { Node } from "../nodes/Node.ts"
import { type DeadNode, keepReaping } from "../nodes/Reaper.ts"
import { abandonedReceipts } from "../receipts/PostgresAbandonedReceipts.ts"
import { PageDraft } from "../../records/receipts/PageDraft.ts"
import { insertPage } from "../receipts/PostgresReceiptWrites.ts"
import { Flusher } from "./Flusher.ts"
import { windowRow } from "./PostgresRows.ts"
import { HOUR_MS, scopeRow } from "../../records/Scopes.ts"
import { makeSpend } from "./PostgresSpend.ts"
import * as Statements from "./Statements.ts"

/** Whether an attempt waits until its start is in the store. `behind` saves some milliseconds. */
export const Reserving = Context.Reference<"wait" | "behind">("gateway/storage/Reserving", {
  defaultValue: () => "wait"
})

export const layer = Layer.effect(
  LedgerJournal,
  Effect.gen(function* () {
    const sql = yield* PgClient
    const node = yield* Node
    const flusher = yield* Flusher
    const keepReceipts = yield* KeepReceipts
    const reserving = yield* Reserving

    // Each node counts its own IDs, and node numbers are never reused. The highest of all is still useful to operators.
    const lastId = Effect.map(
      orUnavailable(
        sql<{ id: number }>`SELECT greatest(
          (SELECT max(id) FROM ledger WHERE node = ${node.id}), (SELECT max(id) FROM attempts_open WHERE node = ${node.id}), 0
        ) AS id`
      ),
      ([row]) => row?.id ?? 0
    )

    const reserve = (row: ReservationRow): Effect.Effect<void, StoreUnavailable> =>
      Effect.suspend(() => {
        const trouble = flusher.trouble ?? node.trouble()
        if (trouble !== undefined) return Effect.fail(trouble)
        if (reserving === "wait") return Effect.callback((resume) => flusher.open(row, resume))
        flusher.open(row)
        return Effect.void
      })

    const settle = (row: SettlementRow): Effect.Effect<void, StoreUnavailable> =>
      Effect.suspend(() => {
        if (row.saved === undefined) return Effect.callback((resume) => flusher.close(row, resume))
        if (!flusher.isFull) flusher.close(row, undefined)
        return Effect.void
      })

    const openWindow = Effect.fn("LedgerJournal.openWindow")((window: WindowCharge) =>
      Effect.callback<number, StoreUnavailable>((resume) => flusher.openWindow(window, resume))
    )

    const spentIn = Effect.fn("LedgerJournal.spentIn")((windows: ReadonlyArray<WindowCharge>) =>
      sql
        .unsafe<{ spent: string | null; known: boolean }>(Statements.knownWindows, [
          JSON.stringify(windows.map(windowRow))
        ])
        .pipe(
          Effect.map((rows) => rows.map(({ known, spent }) => (known ? Number(spent ?? 0) : null))),
          orUnavailable
        )
    )

    const hourCosts = Effect.fn("LedgerJournal.hourCosts")((scopes: ReadonlyArray<string>, hour: number) =>
      sql
        .unsafe<{ cost: string }>(Statements.hourCosts, [
          JSON.stringify(scopes.map((scope, n) => scopeRow(storable(scope), n))),
          hour / HOUR_MS
        ])
        .pipe(
          Effect.map((rows) => rows.map(({ cost }) => Number(cost))),
          orUnavailable
        )
    )

    /** Closes what dead gateways left open, and frees their quota. Runs in a transaction. */
    const bury = (settledAt: number, rule: AbandonedRule, dead: ReadonlyArray<DeadNode> = []) =>
      Effect.gen(function* () {
        const rows = yield* sql.unsafe<{ node: number; id: number; request_id: string; at: number }>(
          Statements.abandon,
          [BigInt(settledAt), rule, JSON.stringify(dead)]
        )
        yield* sql.unsafe(Statements.freeShares)
        // Only this gateway can report them now.
        if (keepReceipts > 0 && rows.length > 0)
          yield* insertPage(sql, PageDraft.of(yield* abandonedReceipts(sql, rows, rule)))
        return rows.length
      })

    const abandonOpen = Effect.fn("LedgerJournal.abandonOpen")((settledAt: number, rule: AbandonedRule) =>
      bury(settledAt, rule).pipe(sql.withTransaction, orUnavailable)
    )
    const rule = yield* AbandonedRule
    const clock = yield* Clock.Clock
    yield* keepReaping(sql, node, (dead) => Effect.suspend(() => bury(clock.currentTimeMillisUnsafe(), rule, dead)))

    const spend = makeSpend(sql)
    return { lastId, reserve, settle, abandonOpen, openWindow, spentIn, hourCosts, spend }
  })
)
