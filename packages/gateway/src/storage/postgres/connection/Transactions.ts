/** Transactions with typed failures, and writes that wait for a restarting server. */
import type { PgClient } from "@effect/sql-pg/PgClient"
import { Cause, Duration, Effect, Schedule } from "effect"
import { SqlError } from "effect/sql"
import { isAboutValues } from "./PostgresErrors.ts"

/** Milliseconds from a failure to the next attempt, doubled each time up to the second number. */
export const FIRST_RETRY = 10
export const LONGEST_RETRY = 1_000

/** Milliseconds that callers wait for an unavailable store: long enough for a server restart. */
export const PATIENCE_MS = 5_000

/** Fails with the statement's error where `effect/sql` dies because the rollback fails, too, on a lost connection. */
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

/** For an idempotent write, because a broken connection leaves unknown whether the commit succeeded. */
export const patiently = <A, R>(
  write: Effect.Effect<A, SqlError.SqlError, R>
): Effect.Effect<A, SqlError.SqlError, R> =>
  Effect.retry(write, { schedule: untilItIsBack, while: (error) => !isAboutValues(error) })
