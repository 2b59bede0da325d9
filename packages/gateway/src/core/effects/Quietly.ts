/** As `Effect.ignore`. What has succeeded already, as the limits' steps nearly always have, costs nothing more. */
import { Effect, Exit } from "effect"

export const quietly = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<void, never, R> =>
  Exit.isExit(effect) && Exit.isSuccess(effect) ? Effect.void : Effect.ignore(effect)
