/**
 * Shares of limits, where several processes give out parts of one limit. A share is the part that one process alone gives out. All
 * shares of a limit together are never more than the limit, but for tokens that answers used beyond what was expected of them. A share
 * moves only while it is free: of a rate what nobody used for a minute, of a budget what is neither spent nor reserved. So each process
 * decides in memory, and no clocks are compared.
 *
 * Where one process owns all, a share is the limit, and nothing here is ever asked.
 */
import { Context, type Effect } from "effect"
import { StoreUnavailable } from "../domain/Errors.ts"

/** What a share is of. Rates: requests, tokens and scores per minute, and requests at once. */
const rateKinds = ["rpm", "tpm", "parallel", "feedback"] as const

export const isRate = (kind: string): boolean => rateKinds.some((one) => one === kind)

export interface ShareName {
  /** `key:<id>` or `team:<name>`. */
  readonly scope: string
  /** One of `rateKinds`, or the name of a budget's window as the store has it: `day@Europe/Berlin`. */
  readonly kind: string
  /** Of a budget's window, epoch ms; `end` is exclusive, Infinity for `total`. Both 0 for a rate. */
  readonly start: number
  readonly end: number
}

/** A process asks for more of a limit. Amounts: requests, tokens or nano-USD. */
export interface QuotaRequest {
  readonly share: ShareName
  /** The whole limit, as this process knows it. */
  readonly limit: number
  /** What is missing for the request that waits. */
  readonly need: number
  /** Whether less is of use, too, of a budget. Else it is that or nothing. */
  readonly partly: boolean
  /** What would do for some time; at least `need`. */
  readonly want: number
  /**
   * Requests have used it already, of a rate: it is granted whether there is room or not. Without room the limit is overdrawn, and all others
   * who hold some of it are told.
   */
  readonly isOwed: boolean
}

export interface QuotaGrant {
  /** What the share grows by; 0 where nothing is free. */
  readonly amount: number
  /** What nobody holds and nobody has used, after this grant. */
  readonly room: number
  /** Of a budget: what is booked in its window, by whomever; 0 for a rate. */
  readonly spent: number
  /** Milliseconds until another process has something free at the latest; Infinity where none knows of any. */
  readonly freeInMs: number
}

export interface Give {
  readonly share: ShareName
  /**
   * What the share has shrunk by. Below zero where a request cost a window more than this process held of it, which then forgot the
   * window: its books are even after that.
   */
  readonly amount: number
}

/** Somebody is short of what this process may have to spare. */
export interface QuotaCall {
  readonly share: ShareName
  readonly need: number
  /**
   * Where both are short, who is short goes before who is called, which then gives what its own requests wait for, too. Of two processes it is
   * always the same one: else each would keep a part that is too small for anything.
   */
  readonly goesFirst: boolean
  /** The limit is overdrawn by `need`: who has less than that free gives out nothing until it was granted more. */
  readonly isOverdrawn: boolean
}

export interface Given {
  /** What the share has shrunk by. */
  readonly amount: number
  /** Milliseconds until more is free; 0 where `need` was met, Infinity where nobody knows. */
  readonly freeInMs: number
}

/** Of a share that is not remembered: what was free of it went back before. */
export const nothingGiven: Given = { amount: 0, freeInMs: Number.POSITIVE_INFINITY }

/** What a process that others may hold for dead says to new work. */
export const lapsed = new StoreUnavailable({
  message: "This process has not reached the store for too long: it refuses new requests until it has."
})

/** Of one budget window, over all processes. */
export interface SharedBudget {
  readonly spent: number
  /** Held by requests in flight. */
  readonly reserved: number
}

export interface SharedGrants {
  /**
   * Whether what was granted may still be given out: a process that others may hold for dead gives out nothing. It is asked with each
   * decision, so it only looks at clocks.
   */
  readonly isInForce: () => boolean
  /**
   * Asks for more of several shares at once. What is held elsewhere, and free, is called back first; the answer then tells how
   * long a refusal lasts. The answers come in the order of the questions.
   */
  readonly ask: (asks: ReadonlyArray<QuotaRequest>) => Effect.Effect<ReadonlyArray<QuotaGrant>, StoreUnavailable>
  /** Gives back what is free, without waiting. It is in the books before anything that this process asks or books later. */
  readonly give: (gives: ReadonlyArray<Give>) => void
  /**
   * Who answers when a share is called back: at once, in one step with taking the amount off. The share is of a kind that the
   * listener `knows`; one that it does not remember has nothing to give. `lost`: all shares are somebody else's by now. What requests
   * under way hold of budgets is kept, and told.
   */
  readonly called: (
    knows: (kind: string) => boolean,
    listener: (call: QuotaCall) => Given,
    lost: () => ReadonlyArray<Give>
  ) => void
  readonly standing: (shares: ReadonlyArray<ShareName>) => Effect.Effect<ReadonlyArray<SharedBudget>, StoreUnavailable>
}

/**
 * How limits are shared out; undefined where this process owns all of them.
 *
 * What a request cost leaves its shares by the settlement: `SettlementRow.taken` names the budget windows whose shares shrank by its
 * cost, and they shrink in the books in the same step in which the row is booked.
 */
export const Grants = Context.Reference<SharedGrants | undefined>("gateway/core/Grants", {
  defaultValue: () => undefined
})

/** Since a holder was called: then it is not waited for any more. What it gives later is free all the same. */
export const CALL_WAIT_MS = 250
