/** The pieces of a response, which come as a `Pull`, as a stream. */
import { type Array, Effect, type Pull, Stream } from "effect"

export const streamOf = <A, E>(pull: Pull.Pull<Array.NonEmptyReadonlyArray<A>, E>): Stream.Stream<A, E> =>
  Stream.fromPull(Effect.succeed(pull))
