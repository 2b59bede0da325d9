/**
 * The ledger's rows, and the port that stores them: `storage` implements it. Every write is durable when its effect completes. All
 * writes of one turn of the event loop share a transaction.
 */
import { Context, type Effect } from "effect"
import type { NanoUsd } from "../domain/Money.ts"
import type { Usage } from "../domain/Usage.ts"
import type { OperationName } from "../domain/OperationName.ts"
import type { StoreUnavailable } from "../domain/Errors.ts"
import type { SpendQuery, SpendRow } from "./Spend.ts"
import type { AbandonedRule } from "../domain/AbandonedRule.ts"

/** A new ledger row: the worst case of one attempt, reserved until it settles. */
export interface ReservationRow {
  /** Unique and ascending; the ledger assigns it. */
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
  /** The operation: `chat`, or another name. */
  readonly operation: OperationName
  /** Sorted, unique, joined by commas; "" without tags. */
  readonly tags: string
  /** The names of all scopes beyond its key and team that it counts under. Left out: none. */
  readonly subjects?: ReadonlyArray<string> | undefined
  readonly reserved: NanoUsd
  /** Both null when the price is unknown. */
  readonly priceSource: string | null
  readonly priceVersion: string | null
  /** The caller requested `auto`: its savings are recorded with its cost. */
  readonly isAuto: boolean
  /** Its cost if nothing is generated: input and fees. Left out, like `perSecond`, if only `reserved` is known. */
  readonly fixed?: NanoUsd | undefined
  /** The most that each second of generation can add to its cost. */
  readonly perSecond?: NanoUsd | undefined
}

/** The amount one budget window grows by. `scope`: `key:<id>`, `team:<name>`, …; `window`: e.g. `day@Europe/Berlin`. */
export interface WindowCharge {
  readonly scope: string
  readonly window: string
  /** Start of the window, epoch milliseconds; 0 for `total`. */
  readonly start: number
}

/** The names of all scopes that it counts under. */
export const scopesOf = ({ keyId, subjects = [], team }: ReservationRow): ReadonlyArray<string> =>
  team === null ? [`key:${keyId}`, ...subjects] : [`key:${keyId}`, `team:${team}`, ...subjects]

/** How a ledger row closes. A second settlement changes nothing. */
export interface SettlementRow {
  readonly reservation: ReservationRow
  readonly settledAt: number
  readonly cost: NanoUsd
  /** What the request would have cost without `auto`, see `Baseline`; 0 where the caller named the model. */
  readonly baseline: NanoUsd
  readonly usage: Usage
  /** The gateway estimated the usage; the provider did not report it. */
  readonly estimated: boolean
  /** The service tier, unless it is the standard one. */
  readonly serviceTier?: string | undefined
  /** Some of the usage has no price and is missing in `cost`. */
  readonly isUnpriced?: boolean | undefined
  /** Replaces that of the reservation if another model responded and its prices were charged. */
  readonly priceVersion?: string | undefined
  /** What the response cost when a provider gave it, where the cache gave it again. Left out: a provider gave it. */
  readonly saved?: NanoUsd | undefined
  readonly status: "settled" | "void" | "abandoned"
  /** What this row adds to `requests` and `failed_requests`: an attempt that was followed by another adds nothing. */
  readonly counts: "request" | "failed_request" | "nothing"
  /** Every budget window that grows by `cost`. Each contains the time of the reservation. */
  readonly charges: ReadonlyArray<WindowCharge>
  /** Those of them whose quota leases shrank by `cost` (see `Grants`); undefined if one process owns all budgets. */
  readonly taken?: ReadonlyArray<WindowCharge> | undefined
}

export class LedgerJournal extends Context.Service<
  LedgerJournal,
  {
    /** The highest row id ever used; 0 in a new store. */
    readonly lastId: Effect.Effect<number, StoreUnavailable>
    /** Queues the row for this iteration's commit without waiting: the commit ends long before an upstream can respond. */
    readonly reserve: (row: ReservationRow) => Effect.Effect<void, StoreUnavailable>
    /**
     * Writes the row, its rollup and its budget windows in one transaction, and completes when they are on disk. While commits
     * fail, it completes as soon as the row is kept for later, if the reservation is on disk: a crash would charge that. A row with
     * `saved` has no reservation, and is queued without waiting.
     */
    readonly settle: (row: SettlementRow) => Effect.Effect<void, StoreUnavailable>
    /**
     * Only a process that is known to be dead loses its reservations. If one process locks the store, all rows that were open when
     * it opened the store belong to dead ones. A store that several processes share must record the owner with each row.
     *
     * Closes the rows of dead processes. Each costs what `abandonedCost` says, as an estimate. Its status is
     * `abandoned`, it counts as a failed request, and it saved nothing. Rollups are updated. The budget windows of their scopes
     * are dropped, and `openWindow` computes them anew. Each request gets a receipt, as nobody else will write one. Returns the
     * number of rows.
     */
    readonly abandonOpen: (settledAt: number, rule: AbandonedRule) => Effect.Effect<number, StoreUnavailable>
    /**
     * The sum of a budget window. The first call makes its row from the costs of all settled rows of the scope since the window
     * began. The call is queued with the writes: earlier settlements are in the sum, and later ones add to it.
     */
    readonly openWindow: (window: WindowCharge) => Effect.Effect<NanoUsd, StoreUnavailable>
    /** The spend of budget windows that were opened; null for others. Opens none. */
    readonly spentIn: (
      windows: ReadonlyArray<WindowCharge>
    ) => Effect.Effect<ReadonlyArray<NanoUsd | null>, StoreUnavailable>
    /** What `key:<id>` and `team:<name>` spent in the whole hour that begins at `hour` (epoch milliseconds), in the order of `scopes`. */
    readonly hourCosts: (
      scopes: ReadonlyArray<string>,
      hour: number
    ) => Effect.Effect<ReadonlyArray<NanoUsd>, StoreUnavailable>
    /** Highest cost first. */
    readonly spend: (query: SpendQuery) => Effect.Effect<ReadonlyArray<SpendRow>, StoreUnavailable>
  }
>()("gateway/core/LedgerJournal") {}
