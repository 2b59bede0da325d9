/** Whether the gateway takes new work: `/readyz` says so, and proxy calls are refused once it drains. */
import { Clock, Context, Effect, Latch, Layer } from "effect"

export class Readiness extends Context.Service<
  Readiness,
  {
    readonly isDraining: () => boolean
    /** Epoch milliseconds; undefined while it takes new work. */
    readonly drainingSince: () => number | undefined
    /** From now on new work is refused. This can't be undone. */
    readonly drain: () => void
    /** Ends the wait for requests that are still running. */
    readonly hurry: Effect.Effect<void>
    /** Completes once the wait has been ended so. */
    readonly hurried: Effect.Effect<void>
  }
>()("gateway/http/Readiness") {
  static readonly layer = Layer.effect(
    Readiness,
    Effect.gen(function* () {
      const latch = yield* Latch.make()
      const clock = yield* Clock.Clock
      let since: number | undefined
      return {
        isDraining: () => since !== undefined,
        drainingSince: () => since,
        drain: () => {
          since ??= clock.currentTimeMillisUnsafe()
        },
        hurry: Effect.asVoid(latch.open),
        hurried: latch.await
      }
    })
  )
}
