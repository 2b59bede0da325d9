/** Keys that come from another gateway, as a port: `storage` implements it. */
import { Context, type Effect } from "effect"
import type { NewAuditEntry } from "../audit/AuditRepository.ts"
import type { StoreUnavailable } from "../domain/Errors.ts"
import type { NanoUsd } from "../domain/Money.ts"
import type { StoredKey } from "./KeyRepository.ts"

export interface ImportedKey {
  readonly key: StoredKey
  /** What was spent there of its budgets: booked as one settled row of the ledger, which counts as no request. */
  readonly spent: NanoUsd
  readonly entry: NewAuditEntry
}

export class KeyImports extends Context.Service<
  KeyImports,
  {
    /**
     * All of them with their spending and their entries, in one transaction, or nothing. A key whose id is there stays as it is. Completes
     * with the ids that were added. It is for a store that no `KeyStore` has opened yet: one that has may not know them.
     */
    readonly add: (keys: ReadonlyArray<ImportedKey>, at: number) => Effect.Effect<ReadonlySet<string>, StoreUnavailable>
  }
>()("gateway/core/KeyImports") {}
