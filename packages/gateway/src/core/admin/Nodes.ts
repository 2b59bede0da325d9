/** The gateways on one store, and the state of this one, for administrators and metrics. Requests never wait for it. */
import { Context, type Effect } from "effect"
import type { StoreUnavailable } from "../domain/Errors.ts"

/** `refusing`: the store refuses its writes. `silent`: no heartbeat for longer than its lease. */
export type NodeState = "working" | "refusing" | "silent"

export interface NodeRecord {
  /** 0: the process that owns a file. */
  readonly id: number
  readonly name: string
  /** The version of the program; "" until the node has reported it. */
  readonly version: string
  /** Epoch ms. */
  readonly joinedAt: number
  /** Milliseconds that it may work without a response from the store; null if the store is its own. */
  readonly leaseMs: number | null
  /** When the store last heard from it, in epoch milliseconds by the store's clock; null without a lease. */
  readonly heardAt: number | null
  /** Milliseconds since its oldest unwritten row was queued. */
  readonly lagMs: number
  /** Limits and budgets of which it holds a quota lease. */
  readonly sharesHeld: number
  readonly state: NodeState
  /** The node that serves this request. */
  readonly isThis: boolean
}

export interface NodeList {
  /** The longest-running first. */
  readonly nodes: ReadonlyArray<NodeRecord>
  /** Why the store could not be read; other nodes are then shown as last known. */
  readonly trouble: string | undefined
}

export interface SharingCounts {
  readonly held: () => number
  /** Quota leases that others called back from this node. */
  readonly recalls: () => number
  /** Requests for more quota that a request waited for before its provider was called. */
  readonly questions: () => number
}

export interface Vitals {
  /** Milliseconds since the lease was renewed. */
  readonly leaseAgeMs: number
  /** How far this machine's clock is ahead of the store's, in ms. */
  readonly clockAheadMs: number
  /** Groups of the ledger that were sent again to a server that had lost them. */
  readonly resentFlushes: number
}

export class Nodes extends Context.Service<
  Nodes,
  {
    readonly list: Effect.Effect<NodeList>
    /** Names of nodes whose program does not support limits of end users, sessions and models yet. */
    readonly older: Effect.Effect<ReadonlyArray<string>, StoreUnavailable>
    /** Of this node among others; undefined if the store is a file of its own. */
    readonly vitals: (() => Vitals) | undefined
    /** Undefined if this process has all limits to itself. */
    readonly sharing: SharingCounts | undefined
  }
>()("gateway/core/Nodes") {}
