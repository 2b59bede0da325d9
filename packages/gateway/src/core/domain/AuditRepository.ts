/** What administrators did. A port: `storage` implements it. Entries are added and read, never changed. */
import { Context, type Effect } from "effect"
import type { StoreUnavailable } from "./Errors.ts"
import type { Visibility } from "./Principal.ts"
import type { Actor } from "./Actor.ts"

export interface NewAuditEntry {
  /** Epoch ms. */
  readonly at: number
  readonly actor: Actor
  /** What was done: `keys.create`, `teams.delete` … */
  readonly action: string
  /** To what: an id or a name; "" where there is only one. */
  readonly target: string
  /** As the API shows it, without secrets; null: there was or is nothing. */
  readonly before: unknown
  readonly after: unknown
}

/** The entry of a change, which is written with it: all of both, or nothing. Null: there was or is nothing. */
export type NoteOf<A> = (before: A | null, after: A | null) => NewAuditEntry

export interface AuditEntry extends NewAuditEntry {
  /** Ascending. */
  readonly id: number
}

export interface AuditFilter {
  readonly visibility: Visibility
  /** 1 to 1000. */
  readonly limit: number
  /** The id of the last entry of the previous page. */
  readonly after: number | undefined
  readonly actor: string | undefined
  readonly action: string | undefined
  readonly target: string | undefined
  /** Epoch ms: from inclusive, to exclusive. */
  readonly from: number | undefined
  readonly to: number | undefined
}

export class AuditRepository extends Context.Service<
  AuditRepository,
  {
    /** For what changes nothing in the store. On disk when it completes. */
    readonly add: (entry: NewAuditEntry) => Effect.Effect<void, StoreUnavailable>
    /** Newest first. */
    readonly list: (
      filter: AuditFilter
    ) => Effect.Effect<{ readonly entries: ReadonlyArray<AuditEntry>; readonly hasMore: boolean }, StoreUnavailable>
  }
>()("gateway/core/AuditRepository") {}
