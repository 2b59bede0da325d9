/**
 * Quota leases: how several processes enforce one limit. A lease (share) is the part of a limit under which one process admits
 * requests. Together they never exceed it, except by tokens beyond an estimate. Only free quota moves: of a rate what was not
 * used for a minute, of a budget what is neither spent nor reserved. Each process decides in memory; no clocks are compared.
 * A process that serves the store alone leases the whole limit, and calls nothing here.
 */
import { Context, type Effect } from "effect"
import { StoreUnavailable } from "../domain/Errors.ts"

/** Kinds of limits that are rates: requests, tokens and scores per minute, and requests at once. */
const rateKinds = ["rpm", "tpm", "parallel", "feedback"] as const

export const isRate = (kind: string): boolean => rateKinds.some((one) => one === kind)

export interface ShareName {
  /** `key:<id>` or `team:<name>`. */
  readonly scope: string
  /** One of `rateKinds`, or the name of a budget's window as the store has it: `day@Europe/Berlin`. */
  readonly kind: string
  /** Of a budget's window, epoch milliseconds; `end` is exclusive, Infinity for `total`. Both 0 for a rate. */
  readonly start: number
  readonly end: number
}

/** A process requests a larger lease. Amounts: requests, tokens or nano-USD. */
export interface QuotaRequest {
  readonly share: ShareName
  /** The whole limit, as this process knows it. */
  readonly limit: number
  /** Amount that the waiting request lacks. */
  readonly need: number
  /** Whether a smaller amount may be granted (budgets). Otherwise `need` is granted in full or not at all. */
  readonly partly: boolean
  /** Amount for the coming requests; at least `need`. */
  readonly want: number
  /** Requests have used the amount already: it is granted even without room, and all other holders are notified. */
  readonly isOwed: boolean
}

export interface QuotaGrant {
  /** What the lease grows by; 0 if nothing is free. */
  readonly amount: number
  /** Amount that is neither leased nor used after this grant. */
  readonly room: number
  /** Of a budget: the cost charged to its window by all processes; 0 for a rate. */
  readonly spent: number
  /** Milliseconds until another process has free quota at the latest; Infinity if unknown. */
  readonly freeInMs: number
}

export interface Give {
  readonly share: ShareName
  /** What the lease shrinks by. Negative after overspending a window that the process then forgot. */
  readonly amount: number
}

/** Another process lacks quota that this one may have free. */
export interface QuotaCall {
  readonly share: ShareName
  readonly need: number
  /** Whether the caller has priority if both lack quota; then the called process releases what its own requests wait for. */
  readonly goesFirst: boolean
  /** The limit is overdrawn by `need`: a process with less free quota admits nothing until its next grant. */
  readonly isOverdrawn: boolean
}

export interface Given {
  /** What the lease shrank by. */
  readonly amount: number
  /** Milliseconds until more is free; 0 if `need` was met, Infinity if unknown. */
  readonly freeInMs: number
}

/** Response for a lease that this process has released already. */
export const nothingGiven: Given = { amount: 0, freeInMs: Number.POSITIVE_INFINITY }

/** Refuses new requests while other processes may regard this one as dead. */
export const lapsed = new StoreUnavailable({
  message: "This process has not reached the store for too long: it refuses new requests until it has."
})

/** Of one budget window, over all processes. */
export interface SharedBudget {
  readonly spent: number
  /** Reserved by requests in flight. */
  readonly reserved: number
}

export interface SharedGrants {
  /** Whether leases are valid: a process that others may regard as dead admits nothing. Called for each decision. */
  readonly isInForce: () => boolean
  /** Requests quota for several leases, in order. Free quota of others is recalled first; a refusal says how long it lasts. */
  readonly ask: (asks: ReadonlyArray<QuotaRequest>) => Effect.Effect<ReadonlyArray<QuotaGrant>, StoreUnavailable>
  /** Releases free quota without waiting. It is recorded before any later request or settlement of this process. */
  readonly give: (gives: ReadonlyArray<Give>) => void
  /**
   * Registers what handles recalls, synchronously. `knows`: the kinds of leases that the listener has. `lost`: all leases
   * expired; returns the reservations of running requests.
   */
  readonly called: (
    knows: (kind: string) => boolean,
    listener: (call: QuotaCall) => Given,
    lost: () => ReadonlyArray<Give>
  ) => void
  readonly standing: (shares: ReadonlyArray<ShareName>) => Effect.Effect<ReadonlyArray<SharedBudget>, StoreUnavailable>
}

/**
 * How limits are leased; undefined where one process serves the store alone. The store subtracts a settlement's cost from the
 * leases that `SettlementRow.taken` names, in the transaction that records the row.
 */
export const Grants = Context.Reference<SharedGrants | undefined>("gateway/core/Grants", {
  defaultValue: () => undefined
})

/** How long to wait for a process whose quota is recalled. What it releases later becomes free all the same. */
export const CALL_WAIT_MS = 250
