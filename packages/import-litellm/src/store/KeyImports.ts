/** Keys and teams that come from another gateway, as a port: `storage` implements it. */
import { Context, type Effect } from "effect"
import type { NewAuditEntry } from "@model-gateway/gateway/internal/core/domain/AuditRepository"
import type { StoreUnavailable } from "@model-gateway/gateway/internal/core/domain/Errors"
import type { NanoUsd } from "@model-gateway/gateway/internal/core/domain/Money"
import type { StoredKey, TeamRecord } from "@model-gateway/gateway/internal/core/keys/KeyRepository"

export interface ImportedKey {
  readonly key: StoredKey
  /** What was spent there of its budgets: booked as one settled row of the ledger, which counts as no request. */
  readonly spent: NanoUsd
  readonly entry: NewAuditEntry
}

export interface ImportedTeam {
  readonly team: TeamRecord
  /** What was spent there of its budgets beside what its keys bring: booked in the same way, to no key. */
  readonly spent: NanoUsd
  readonly entry: NewAuditEntry
}

export interface Imported {
  readonly keys: ReadonlyArray<ImportedKey>
  readonly teams: ReadonlyArray<ImportedTeam>
}

/** Ids of keys and names of teams that were added. */
export interface AddedKeys {
  readonly keys: ReadonlySet<string>
  readonly teams: ReadonlySet<string>
}

export class KeyImports extends Context.Service<
  KeyImports,
  {
    /**
     * All of them with their spending and their entries, in one transaction, or nothing. A key whose id is there stays as it is, and so
     * does a team whose name is. It is for a store that no `KeyStore` has opened yet: one that has may not know them.
     */
    readonly add: (imported: Imported, at: number) => Effect.Effect<AddedKeys, StoreUnavailable>
  }
>()("gateway/core/KeyImports") {}
