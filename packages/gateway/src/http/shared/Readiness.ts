/** Whether the gateway takes new work: `/readyz` reports it, and proxy calls are refused once it drains. */
import { Clock, Context, Effect, Latch, Layer } from "effect"

export class Readiness extends Context.Service<
  Readiness,
  {
    readonly isDraining: () => boolean
    /** When the stop began, in epoch milliseconds; undefined before that. */
    readonly stoppingSince: () => number | undefined
    /** `/readyz` returns 503 from now on, so that load balancers send no more requests. Requests are still served. */
    readonly leave: () => void
    /** New work is refused from now on. This can't be undone. */
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
      let isDraining = false
      const leave = () => {
        since ??= clock.currentTimeMillisUnsafe()
      }
      return {
        isDraining: () => isDraining,
        stoppingSince: () => since,
        leave,
        drain: () => {
          leave()
          isDraining = true
        },
        hurry: Effect.asVoid(latch.open),
        hurried: latch.await
      }
    })
  )
}
