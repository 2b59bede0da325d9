/**
 * Quota leases: how several processes enforce one limit. A lease (share) is the part of a limit that one process alone admits requests
 * under. All leases of a limit together never exceed it, except for tokens that responses used beyond their estimate. Only free quota
 * moves between processes: of a rate what was not used for a minute, of a budget what is neither spent nor reserved. So each process
 * decides in memory, and no clocks are compared.
 *
 * Where one process serves the store alone, its lease is the whole limit, and nothing here is called.
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
  /**
   * Requests have used the amount of a rate already: it is granted even without room. Then the limit is overdrawn, and all other holders
   * are notified.
   */
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
  /**
   * What the lease shrinks by. Negative if a request cost a window more than this process's lease and the process then forgot the window.
   */
  readonly amount: number
}

/** Another process lacks quota that this one may have free. */
export interface QuotaCall {
  readonly share: ShareName
  readonly need: number
  /**
   * Whether the caller has priority if both processes lack quota: the called one then also releases what its own requests wait for. Of
   * two processes it is always the same one: otherwise each would keep a part too small for any request.
   */
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
  /**
   * Whether leases are still valid: a process that others may regard as dead admits nothing. Called for each decision, so it only
   * compares clocks.
   */
  readonly isInForce: () => boolean
  /**
   * Requests more quota for several leases together. Free quota of other processes is recalled first; a refusal says how long it lasts.
   * The grants have the order of the requests.
   */
  readonly ask: (asks: ReadonlyArray<QuotaRequest>) => Effect.Effect<ReadonlyArray<QuotaGrant>, StoreUnavailable>
  /** Releases free quota without waiting. It is recorded before any later request or settlement of this process. */
  readonly give: (gives: ReadonlyArray<Give>) => void
  /**
   * Registers what handles recalls: synchronously, in one step with subtracting the amount. `knows`: the kinds of leases that the
   * listener has. `lost`: all leases expired. Running requests keep their reservations of budgets, which it returns.
   */
  readonly called: (
    knows: (kind: string) => boolean,
    listener: (call: QuotaCall) => Given,
    lost: () => ReadonlyArray<Give>
  ) => void
  readonly standing: (shares: ReadonlyArray<ShareName>) => Effect.Effect<ReadonlyArray<SharedBudget>, StoreUnavailable>
}

/**
 * How limits are leased; undefined where one process serves the store alone.
 *
 * A settlement subtracts the cost of its request from the leases: `SettlementRow.taken` names the budget windows, and the store
 * subtracts it in the transaction that records the row.
 */
export const Grants = Context.Reference<SharedGrants | undefined>("gateway/core/Grants", {
  defaultValue: () => undefined
})

/** How long to wait for a process whose quota is recalled. What it releases later becomes free all the same. */
export const CALL_WAIT_MS = 250
