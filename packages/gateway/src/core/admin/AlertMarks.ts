/** Which alerts were raised and delivered. A port: `storage` implements it. */
import { Context, type Effect } from "effect"
import type { StoreUnavailable } from "../domain/Errors.ts"

export interface RaisedAlert {
  /** Equal for the same condition in the same window, so that an alert is raised once, by the first process. */
  readonly id: string
  /** Epoch ms. */
  readonly raisedAt: number
  /** Which of the configured alerts it is of: `alertIdentity`. Rows of earlier versions hold the receiver's URL. */
  readonly alert: string
  /** The JSON to send. */
  readonly body: string
}

export class AlertMarks extends Context.Service<
  AlertMarks,
  {
    /** False: it was raised before. */
    readonly raise: (alert: RaisedAlert) => Effect.Effect<boolean, StoreUnavailable>
    /** Neither delivered nor given up, oldest first. */
    readonly pending: Effect.Effect<ReadonlyArray<RaisedAlert>, StoreUnavailable>
    /** Delivered, or given up. */
    readonly done: (id: string, at: number) => Effect.Effect<void, StoreUnavailable>
    /** Forgets those that were raised before a time, epoch milliseconds. */
    readonly prune: (before: number) => Effect.Effect<void, StoreUnavailable>
  }
>()("gateway/core/AlertMarks") {}
