/** Money reserved for one attempt: the intent, the reservation, and how it ends. */
import { Effect } from "effect"
import type { Baseline } from "./Savings.ts"
import type { RosterMember } from "../collections/Roster.ts"
import type { Bound } from "../domain/pricing/Bound.ts"
import type { BudgetWindow } from "./BudgetWindow.ts"
import type { NanoUsd } from "../domain/Money.ts"
import type { Rates } from "../domain/pricing/Pricing.ts"
import type { Deployment } from "../domain/Deployment.ts"
import type { Caller } from "../keys/Caller.ts"
import type { ScopeWithBudgets } from "./ScopeBudgets.ts"
import type { ReservationRow, SettlementRow } from "./LedgerJournal.ts"
import type { UnitCounts, Usage } from "../domain/Usage.ts"
import type { OperationName } from "../domain/OperationName.ts"

/** An attempt that needs a reservation. */
export interface Intent {
  readonly requestId: string
  /** 0 for the first. */
  readonly attempt: number
  readonly caller: Caller
  readonly deployment: Deployment
  readonly operation: OperationName
  /** Upper bound of the input tokens without audio. `countInput` gives a closer one, and runs only if this one does not fit. */
  readonly inputBound: number
  /** The rest of the bound; left out: text alone, for a model whose output limit is binding. */
  readonly bound?: Bound | undefined
  /** False: nothing bounds the cost. Allowed only without a budget. */
  readonly isBound?: boolean
  /** An output limit that the deployment accepts, where its own is unknown. */
  readonly assumedOutput?: number | undefined
  readonly countInput: Effect.Effect<number>
  /** Closer units than those of `bound`, for the same case. Left out: there are none. */
  readonly countUnits?: Effect.Effect<UnitCounts> | undefined
  /** The caller's output limit for each choice, in tokens; undefined: none. */
  readonly maxOutput: number | undefined
  readonly choices: number
  readonly tags: ReadonlyArray<string>
  /** The deployment to compare the cost with; undefined where the caller named the model. */
  readonly baseline?: Baseline | undefined
  /** The most expensive service tier that may respond; the standard one if left out. */
  readonly tier?: string
  /** The standard tier may respond instead. */
  readonly orStandard?: boolean | undefined
  /**
   * The most tokens per second of each choice. Left out if that does not bound the cost: the provider charges output that is never
   * read, or does not charge by the token.
   */
  readonly outputRate?: number | undefined
}

/** The same with its text counted: its bounds are never above those of `intent`. */
export const closerIntent = (intent: Intent): Effect.Effect<Intent> => {
  const { bound, countInput, countUnits, inputBound } = intent
  const input = Effect.map(countInput, (counted) => ({ ...intent, inputBound: Math.min(inputBound, counted) }))
  if (bound === undefined || countUnits === undefined) return input
  return Effect.zipWith(input, countUnits, (closer, units) => ({
    ...closer,
    countUnits: undefined,
    bound: { ...bound, units }
  }))
}

/** Money reserved for one attempt until it is settled or released. A handle: only its ledger knows the budgets behind it. */
export interface Reservation {
  readonly id: number
  /** When it was made, epoch milliseconds. */
  readonly at: number
  readonly reserved: NanoUsd
  readonly deployment: Deployment
  /** The output limit per choice to send upstream, because the reservation covers no more; undefined: the caller's. */
  readonly maxOutput: number | undefined
  /** The limit for each vendor tool to send upstream, because the reservation covers no more uses. */
  readonly toolUses?: number | undefined
  /** Whether `reserved` is an upper bound. */
  readonly isBound: boolean
  /** The service tier to charge if the response names none. */
  readonly tier: string
  /** The number of provider calls that it covers. */
  readonly requests: number
}

/** The cost of an ended attempt: a handle until it is recorded. */
export interface Ended {
  readonly id: number
  readonly cost: NanoUsd
  /** The caller requested `auto`, and `baseline` is what its cost is compared with. */
  readonly isAuto: boolean
  readonly baseline: NanoUsd
  /** A price was unknown, and `baseline` is the cost itself. */
  readonly isIncomparable?: boolean | undefined
  readonly usage: Usage
  /** The rates that the usage was charged at; undefined if they are unknown or nothing was charged. */
  readonly rates?: Rates | undefined
  readonly estimated: boolean
  readonly serviceTier?: string | undefined
  readonly isUnpriced?: boolean | undefined
  /** The version of the prices that were charged, if they are those of another model than was requested. */
  readonly priceVersion?: string | undefined
}

/** What the ledger of one process keeps for the handle. */
export interface HeldReservation extends Reservation, RosterMember {
  readonly row: ReservationRow
  readonly baseline: Baseline | undefined
  readonly holds: ReadonlyArray<BudgetWindow>
  /** The budgets that it is reserved in. */
  readonly held: ReadonlyArray<ScopeWithBudgets>
  /** Milliseconds of the monotonic clock: setting the system clock must not end a running call. */
  readonly made: number
}

/** What an attempt adds to the request counts; `nothing` when another attempt follows. */
export type Counts = SettlementRow["counts"]

/** How an attempt ended. */
export interface Outcome {
  readonly usage: Usage
  readonly estimated: boolean
  readonly counts: Counts
  /** The tier named in the response. */
  readonly serviceTier?: string | undefined
  /** The model named in the response. */
  readonly model?: string | undefined
  /** The number of provider calls that share the usage evenly, since prices may depend on the input of one call. One if left out. */
  readonly requests?: number
}

/** An `Outcome` before it is known how the attempt counts. There was no response. */
export interface Ending extends Omit<Outcome, "counts"> {
  readonly counts?: Counts
  /** The usage will never be known: the reserved amount is charged. */
  readonly atWorst?: boolean
}
