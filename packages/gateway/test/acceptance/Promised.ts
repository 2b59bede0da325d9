/** Promises of other people's clients, as effects. */
import { Effect } from "effect"

/** What the call resolves to; a rejection fails the test with the client's own words. */
export const resolved = <A>(call: () => PromiseLike<A>): Effect.Effect<A> => Effect.promise(call)

/** What the call rejects with; a test that gets an answer fails. */
export const rejected = <A>(call: () => PromiseLike<A>): Effect.Effect<unknown> =>
  Effect.orDie(Effect.flip(Effect.tryPromise({ try: call, catch: (error) => error })))
