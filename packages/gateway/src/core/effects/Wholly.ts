/** Runs to its end even when interrupted. What is finished already, as the books' steps nearly always are, costs nothing more. */
import { Effect, Exit } from "effect"

export const wholly = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Exit.isExit(effect) ? effect : Effect.uninterruptible(effect)
