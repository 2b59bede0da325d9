/** Whether the gateway takes new work: `/readyz` says so, and proxy calls are refused once it drains. */
import { Clock, Context, Effect, Latch, Layer } from "effect"

export class Readiness extends Context.Service<
  Readiness,
  {
    readonly isDraining: () => boolean
    /** Epoch milliseconds; undefined while it takes new work. */
    readonly drainingSince: () => number | undefined
    /** From here on nothing new is taken. It can't be undone. */
    readonly drain: () => void
    /** Those still at work when it drains are not waited for. */
    readonly hurry: Effect.Effect<void>
    /** Completes once somebody is in a hurry. */
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
