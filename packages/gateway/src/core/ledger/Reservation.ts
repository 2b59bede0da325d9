/** Money held for one attempt: what is asked for, what is given, and how it ends. */
import { Effect } from "effect"
import type { Baseline } from "./Savings.ts"
import type { Bound } from "../bounds/Bounds.ts"
import type { BudgetWindow } from "./BudgetWindow.ts"
import type { NanoUsd } from "../domain/Money.ts"
import type { Deployment } from "../domain/Deployment.ts"
import type { Caller } from "../keys/Caller.ts"
import type { Held } from "./ScopeBudgets.ts"
import type { ReservationRow, SettlementRow } from "./LedgerJournal.ts"
import type { Usage } from "../domain/Usage.ts"
import type { OperationName } from "../operations/OperationName.ts"

/** One attempt that wants to be made. */
export interface Intent {
  readonly requestId: string
  /** 0 for the first. */
  readonly attempt: number
  readonly caller: Caller
  readonly deployment: Deployment
  readonly operation: OperationName
  /** Upper bound of the input tokens besides audio; asked again, more closely, only when the first does not fit. */
  readonly inputBound: number
  /** What else bounds it; left out: it is text, to a model whose output limit holds. */
  readonly bound?: Bound | undefined
  /** False: nothing bounds it. Only without a budget. */
  readonly isBound?: boolean
  /** Where the deployment's own limit is not known: an output limit that it takes. */
  readonly assumedOutput?: number | undefined
  readonly countInput: Effect.Effect<number>
  /** Output tokens the caller limits each choice to; undefined when it gave no limit. */
  readonly maxOutput: number | undefined
  readonly choices: number
  readonly tags: ReadonlyArray<string>
  /** What the cost is compared with; undefined where the caller named the model. */
  readonly baseline?: Baseline | undefined
  /** The dearest service tier it may be answered in; left out: the standard one. */
  readonly tier?: string
}

/** Money held for one attempt, until it is settled or voided: a handle, of which only its ledger knows which budgets it is held against. */
export interface Reservation {
  readonly id: number
  /** When it was made, epoch ms. */
  readonly at: number
  readonly reserved: NanoUsd
  readonly deployment: Deployment
  /** Output tokens per choice that the reservation covers, where the upstream has to be told; undefined: as the caller said. */
  readonly maxOutput: number | undefined
  /** Uses of each of the vendor's tools that it covers, where the upstream has to be told. */
  readonly toolUses?: number | undefined
  /** `reserved` is the most that it can cost. */
  readonly isBound: boolean
  /** The service tier that is booked where the answer does not say. */
  readonly tier: string
}

/** What the attempt cost, once it is over: a handle too, until it is booked. */
export interface Ended {
  /** Of the reservation. */
  readonly id: number
  readonly cost: NanoUsd
  /** The caller asked for `auto`: `baseline` is what that is compared with. */
  readonly isAuto: boolean
  readonly baseline: NanoUsd
  readonly usage: Usage
  readonly estimated: boolean
  readonly serviceTier?: string | undefined
  readonly isUnpriced?: boolean | undefined
}

/** What the ledger of one process keeps behind the handle. */
export interface HeldReservation extends Reservation {
  readonly row: ReservationRow
  readonly baseline: Baseline | undefined
  readonly holds: ReadonlyArray<BudgetWindow>
  /** Of the key and the team, as far as they have budgets. */
  readonly held: ReadonlyArray<Held>
  /** In ms of a clock that nobody sets: one that is set forward must not end what lives. */
  readonly made: number
}

/** What an attempt counts as in the numbers of requests; `nothing` when another attempt follows. */
export type Counts = SettlementRow["counts"]

/** How an attempt ended. */
export interface Outcome {
  readonly usage: Usage
  readonly estimated: boolean
  readonly counts: Counts
  /** As the answer says. */
  readonly serviceTier?: string | undefined
}

/** The same of an attempt of which nobody knows yet what it counts as: there is no answer then. */
export interface Ending extends Omit<Outcome, "counts"> {
  readonly counts?: Counts
  /** Nobody will ever know: what was held is booked. */
  readonly atWorst?: boolean
}
