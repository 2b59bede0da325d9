/** Which deployments are out of rotation. A port: `storage` implements it. */
import { Context, type Effect, type Stream } from "effect"
import type { NewAuditEntry } from "../domain/AuditRepository.ts"
import { StoreUnavailable } from "../domain/Errors.ts"

/** Of another process. `reset`: an administrator forgave a deployment its failures. */
export type RotationChange = { readonly what: "rotation" } | { readonly what: "reset"; readonly id: string }

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
    /** Tells other processes, and nobody else, to forgive deployments their failures. In force there when it completes. */
    readonly reset: (deployments: ReadonlyArray<string>) => Effect.Effect<void, StoreUnavailable>
    /** What others change from the moment on from which it is followed. A change is in force here when the next is asked for. */
    readonly changes: Stream.Stream<RotationChange>
  }
>()("gateway/core/RotationRepository") {}
