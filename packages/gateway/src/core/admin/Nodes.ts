/** The gateways that work on one store, and how this one stands with it: for administrators and metrics, never on a request's way. */
import { Context, type Effect } from "effect"
import type { StoreUnavailable } from "../domain/Errors.ts"

/**
 * `refusing`: it lives, and takes on no new work, since the store refuses its writes. `silent`: the store has not heard of it for longer than
 * its lease.
 */
export type NodeState = "working" | "refusing" | "silent"

export interface NodeRecord {
  /** 0: the process that owns a file. */
  readonly id: number
  readonly name: string
  /** Of the program; "" until the node has told it. */
  readonly version: string
  /** Epoch ms. */
  readonly joinedAt: number
  /** Milliseconds for which it may work without a word from the store; null: the store is its own. */
  readonly leaseMs: number | null
  /** When the store last heard of it, epoch ms by the store's clock; null where there is no lease. */
  readonly heardAt: number | null
  /** How long its oldest unwritten row has been waiting, in ms. */
  readonly lagMs: number
  /** Limits and budgets of which it holds a share. */
  readonly sharesHeld: number
  readonly state: NodeState
  /** It is the one that was asked. */
  readonly isThis: boolean
}

export interface NodeList {
  /** The longest at work first. */
  readonly nodes: ReadonlyArray<NodeRecord>
  /** Why the store could not be asked: what is told of others is what was last known of them. */
  readonly trouble: string | undefined
}

/** What of sharing limits with other nodes is worth watching. */
export interface SharingCounts {
  /** Limits and budgets of which this node holds a share. */
  readonly held: () => number
  /** Shares that others called back from this node. */
  readonly recalls: () => number
  /** Questions for a larger share that a request waited for before its provider was asked. */
  readonly questions: () => number
}

export interface Vitals {
  /** Milliseconds since the lease was renewed. */
  readonly leaseAgeMs: number
  /** How far this machine's clock is ahead of the store's, in ms. */
  readonly clockAheadMs: number
  /** Groups of the ledger that were said again to a server that had lost them. */
  readonly resentFlushes: number
}

export class Nodes extends Context.Service<
  Nodes,
  {
    readonly list: Effect.Effect<NodeList>
    /** Names of nodes whose program does not know the limits of end users, sessions and models yet. */
    readonly older: Effect.Effect<ReadonlyArray<string>, StoreUnavailable>
    /** Of this node among others; undefined: the store is a file of its own. */
    readonly vitals: (() => Vitals) | undefined
    /** undefined: this process has all limits to itself. */
    readonly sharing: SharingCounts | undefined
  }
>()("gateway/core/Nodes") {}
