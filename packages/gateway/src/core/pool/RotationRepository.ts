/** Which deployments are out of rotation. A port: `storage` implements it. */
import { Context, type Effect } from "effect"
import type { NewAuditEntry } from "../audit/AuditRepository.ts"
import { StoreUnavailable } from "../domain/Errors.ts"

/** Deployments that an administrator disabled. */
export class RotationRepository extends Context.Service<
  RotationRepository,
  {
    readonly disabled: Effect.Effect<ReadonlySet<string>, StoreUnavailable>
    /** All or nothing, with the entries of the audit log. */
    readonly setDisabled: (
      deployments: ReadonlyArray<string>,
      disabled: boolean,
      entries?: ReadonlyArray<NewAuditEntry>
    ) => Effect.Effect<void, StoreUnavailable>
  }
>()("gateway/core/RotationRepository") {}
