/** Stored end users, as a port: `storage` implements it. Every write is durable and in force everywhere when its effect completes. */
import { Context, type Effect, type Option, type Stream } from "effect"
import type { NewAuditEntry } from "../domain/AuditRepository.ts"
import type { Budget, Limits, ModelRule } from "../domain/Budget.ts"
import type { StoreUnavailable } from "../domain/Errors.ts"
import type { ChangeNotice, IdPage } from "./KeyRepository.ts"

/** What somebody set for one end user. What is null comes from the template of its key or team. */
export interface EndUserRecord {
  /** `team:<name>`, or `key:<id>` for keys without a team. */
  readonly owner: string
  readonly id: string
  readonly name: string | null
  readonly limits: Limits | null
  readonly budgets: ReadonlyArray<Budget> | null
  readonly modelRules: ReadonlyArray<ModelRule> | null
  readonly blocked: boolean
  readonly metadata: { readonly [name: string]: unknown }
  /** Epoch ms. */
  readonly updatedAt: number
}

export interface EndUserFilter {
  /** 1 to 1000. */
  readonly limit: number
  /** The last scope of the previous page. */
  readonly after: string | undefined
  readonly owner: string | undefined
  /** Part of an id or a name; case is ignored. */
  readonly search: string | undefined
}

export class EndUserRepository extends Context.Service<
  EndUserRepository,
  {
    readonly find: (scope: string) => Effect.Effect<Option.Option<EndUserRecord>, StoreUnavailable>
    readonly put: (record: EndUserRecord, entry?: NewAuditEntry) => Effect.Effect<void, StoreUnavailable>
    /** False: there was none. */
    readonly delete: (scope: string, entry?: NewAuditEntry) => Effect.Effect<boolean, StoreUnavailable>
    /** By scope. */
    readonly list: (
      filter: EndUserFilter
    ) => Effect.Effect<{ readonly endUsers: ReadonlyArray<EndUserRecord>; readonly hasMore: boolean }, StoreUnavailable>
    /** A page of the names of all scopes, in order and after a given one. */
    readonly ids: (after: string) => Effect.Effect<IdPage, StoreUnavailable>
    /** What others made or changed, as `KeyRepository.changes`. */
    readonly changes: Stream.Stream<ChangeNotice>
  }
>()("gateway/core/EndUserRepository") {}
