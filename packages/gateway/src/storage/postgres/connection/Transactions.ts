/** Transactions whose failures are all typed, and writes that wait for a server that starts again. */
import type { PgClient } from "@effect/sql-pg/PgClient"
import { Cause, Duration, Effect, Schedule } from "effect"
import { SqlError } from "effect/sql"
import { isAboutValues } from "./PostgresErrors.ts"

/** Milliseconds from a failure to the next try; doubled each time, up to the second figure. */
export const FIRST_RETRY = 10
export const LONGEST_RETRY = 1_000

/** Milliseconds for which everybody waits for a store that is gone: a server that starts again is back by then. */
export const PATIENCE_MS = 5_000

/**
 * `effect/sql` rolls back a transaction that fails, and reports a rollback that fails, too, as a defect. On a lost connection both
 * fail, and a defect is a 500 or the end of a fiber. Here the transaction fails with the error of the statement.
 */
export const withTypedTransactions = (client: PgClient): PgClient => {
  const { withTransaction } = client
  return Object.assign(client, {
    withTransaction: <R, E, A>(self: Effect.Effect<A, E, R>) =>
      Effect.catchCause(withTransaction(self), (cause) => Effect.failCause(typed(cause)))
  })
}

const typed = <E>(cause: Cause.Cause<E>): Cause.Cause<E | SqlError.SqlError> => {
  const others = cause.reasons.filter((reason) => !(Cause.isDieReason(reason) && SqlError.isSqlError(reason.defect)))
  if (others.length > 0) return Cause.fromReasons(others)
  const [first] = cause.reasons.filter(Cause.isDieReason)
  return first === undefined ? cause : Cause.fail(first.defect as SqlError.SqlError)
}

const untilItIsBack = Schedule.exponential(FIRST_RETRY).pipe(
  Schedule.modifyDelay(({ duration }) => Effect.succeed(Duration.min(duration, Duration.millis(LONGEST_RETRY)))),
  Schedule.upTo({ duration: PATIENCE_MS })
)

/** For a write that changes nothing the second time: whether a commit came through is unknown where its connection broke. */
export const patiently = <A, R>(
  write: Effect.Effect<A, SqlError.SqlError, R>
): Effect.Effect<A, SqlError.SqlError, R> =>
  Effect.retry(write, { schedule: untilItIsBack, while: (error) => !isAboutValues(error) })
