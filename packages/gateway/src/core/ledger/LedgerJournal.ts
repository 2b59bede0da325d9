/**
 * The ledger's rows and the port that keeps them: `storage` implements it. Every write is durable when its effect completes, and
 * joins the other writes of the same turn of the event loop in one transaction.
 */
import { Context, type Effect } from "effect"
import type { NanoUsd } from "../domain/Money.ts"
import type { Usage } from "../domain/Usage.ts"
import type { OperationName } from "../operations/OperationName.ts"
import { StoreUnavailable } from "../domain/Errors.ts"
import type { SpendQuery, SpendRow } from "./Spend.ts"
import { AbandonedRule } from "../domain/AbandonedRule.ts"

/** A ledger row when it is opened: the worst case of one attempt, held until it settles. */
export interface ReservationRow {
  /** Unique and ascending, given by the ledger. */
  readonly id: number
  readonly requestId: string
  /** 0 for the first attempt. */
  readonly attempt: number
  readonly at: number
  readonly keyId: string
  readonly team: string | null
  readonly provider: string
  readonly model: string
  readonly deployment: string
  /** What was asked for: `chat`, or the name of another operation. */
  readonly operation: OperationName
  /** Canonical: sorted, unique, joined by commas; "" without tags. */
  readonly tags: string
  readonly reserved: NanoUsd
  /** Both null when the price is unknown. */
  readonly priceSource: string | null
  readonly priceVersion: string | null
  /** The caller asked for `auto`: what that saved is booked beside what it cost. */
  readonly isAuto: boolean
}

/** The amount one budget window grows by. `scope`: `key:<id>` or `team:<name>`; `window`: e.g. `day@Europe/Berlin`. */
export interface WindowCharge {
  readonly scope: string
  readonly window: string
  /** Start of the window, epoch ms; 0 for `total`. */
  readonly start: number
}

/** How a ledger row closes. Settling twice changes nothing. */
export interface SettlementRow {
  readonly reservation: ReservationRow
  readonly settledAt: number
  readonly cost: NanoUsd
  /** What `auto` is compared with, see `Baseline`; 0 where the caller named the model. */
  readonly baseline: NanoUsd
  readonly usage: Usage
  /** The usage was counted here, not by the provider. */
  readonly estimated: boolean
  /** The service tier, where it is not the standard one. */
  readonly serviceTier?: string | undefined
  /** Something that was used has no price: `cost` is without it. */
  readonly isUnpriced?: boolean | undefined
  readonly status: "settled" | "void"
  /** What this row counts as in `requests` and `failed_requests`: attempts that another followed count as nothing. */
  readonly counts: "request" | "failed_request" | "nothing"
  /** Every budget window that grows by `cost`; the reservation's time is in all of them. */
  readonly charges: ReadonlyArray<WindowCharge>
}

export class LedgerJournal extends Context.Service<
  LedgerJournal,
  {
    /** The highest row id ever used; 0 in a new store. */
    readonly lastId: Effect.Effect<number, StoreUnavailable>
    /** Queues the row for this turn's commit without waiting for it; the commit comes long before an upstream can answer. */
    readonly reserve: (row: ReservationRow) => Effect.Effect<void, StoreUnavailable>
    /**
     * Row, rollup and budget windows in one transaction; completes when it is on disk. While the store is in trouble it completes
     * once it is kept to be written later, provided that its reservation is on disk: a crash would book that.
     */
    readonly settle: (row: SettlementRow) => Effect.Effect<void, StoreUnavailable>
    /**
     * A reservation belongs to the process that made it, and only a process that is known to be dead loses its own. A store that one
     * process locks knows that of all rows that were there when it was opened; one that several share has to keep with each row
     * who made it.
     *
     * Closes the rows that such a process left open: each costs its worst case, as an estimate, or nothing, by the
     * rule; with status `abandoned`, counted as a failed request; `auto` saved nothing with it. Rollups follow; the budget
     * windows of their scopes are dropped, so that `openWindow` computes them anew; each request gets a receipt, since nobody else
     * will tell of it. How many rows there were.
     */
    readonly abandonOpen: (settledAt: number, rule: AbandonedRule) => Effect.Effect<number, StoreUnavailable>
    /**
     * What a budget window has grown to. Its row is made on the first call, from the costs of all settled rows of the scope since
     * the window's start. It takes its place in the queue of writes: settlements queued before are in the answer, those queued
     * after add to it.
     */
    readonly openWindow: (window: WindowCharge) => Effect.Effect<NanoUsd, StoreUnavailable>
    /** Dearest first. */
    readonly spend: (query: SpendQuery) => Effect.Effect<ReadonlyArray<SpendRow>, StoreUnavailable>
  }
>()("gateway/core/LedgerJournal") {}
