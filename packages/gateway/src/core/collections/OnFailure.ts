/** As `Effect.onError`. A success, which is what nearly every request ends with, costs one step and not three. */
import { type Cause, Effect, Exit } from "effect"

export const onFailure = <A, E, R, R2>(
  effect: Effect.Effect<A, E, R>,
  cleanUp: (cause: Cause.Cause<E>) => Effect.Effect<void, never, R2>
): Effect.Effect<A, E, R | R2> =>
  Effect.onExitPrimitive(effect, (exit) => (Exit.isFailure(exit) ? cleanUp(exit.cause) : undefined))
