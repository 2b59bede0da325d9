/** Promises of other people's clients, as effects. */
import { Effect } from "effect"

/** What the call resolves to; a rejection fails the test with the client's own words. */
export const resolved = <A>(call: () => PromiseLike<A>): Effect.Effect<A> => Effect.promise(call)

/** What the call rejects with; a call that is answered fails the test. */
export const rejected = (call: () => PromiseLike<unknown>): Effect.Effect<unknown> =>
  Effect.promise(() =>
    call().then(
      () => Promise.reject(new Error("the call was to be refused and was answered")),
      (error: unknown) => error
    )
  )
