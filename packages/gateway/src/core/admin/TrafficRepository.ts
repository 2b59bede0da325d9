/** Stored traffic. A port: `storage` implements it. */
import { Context, type Effect } from "effect"
import type { StoreUnavailable } from "../domain/Errors.ts"
import type { TrafficCut, Grain, TrafficRow } from "./TrafficRow.ts"

export interface TrafficSlice {
  readonly cut: TrafficCut
  readonly grain: Grain
  /** Epoch ms: from inclusive, to exclusive. */
  readonly from: number
  readonly to: number
  /** Only this key, or this team. */
  readonly key?: string | undefined
  readonly team?: string | undefined
}

export class TrafficRepository extends Context.Service<
  TrafficRepository,
  {
    /** Adds to the rows of the same name: several processes may count the same minute. All or none. */
    readonly add: (rows: ReadonlyArray<TrafficRow>) => Effect.Effect<void, StoreUnavailable>
    /** Gives each row to `visit`, in no order, with pauses for other work. */
    readonly read: (slice: TrafficSlice, visit: (row: TrafficRow) => void) => Effect.Effect<void, StoreUnavailable>
    /** Deletes rows of a grain that begin before a time, epoch milliseconds. */
    readonly prune: (grain: Grain, before: number) => Effect.Effect<void, StoreUnavailable>
  }
>()("gateway/core/TrafficRepository") {}
