/** Which deployments are out of rotation. A port: `storage` implements it. */
import { Context, type Effect } from "effect"
import { StoreUnavailable } from "../domain/Errors.ts"

/** Deployments that an administrator disabled. */
export class RotationRepository extends Context.Service<
  RotationRepository,
  {
    readonly disabled: Effect.Effect<ReadonlySet<string>, StoreUnavailable>
    /** All or nothing. */
    readonly setDisabled: (
      deployments: ReadonlyArray<string>,
      disabled: boolean
    ) => Effect.Effect<void, StoreUnavailable>
  }
>()("gateway/core/RotationRepository") {}
