/** Reads as the ports need them: exact integers, and one error type. */
import { Effect } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import type { StoreUnavailable } from "../../../core/domain/Errors.ts"
import { unavailable } from "./SqliteErrors.ts"
import { HOUR_MS } from "../../records/Scopes.ts"

/** For queries whose integers may exceed 2^53: returns bigints, where a plain read would throw. */
export const exactly = <A, E, R>(query: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.provideService(query, SqlClient.SafeIntegers, true)

/** Any failed read means that the store is unavailable. */
export const orUnavailable = <A, R>(
  query: Effect.Effect<A, SqlError.SqlError, R>
): Effect.Effect<A, StoreUnavailable, R> => Effect.mapError(query, (error) => unavailable(error.reason.cause))

/** The condition for recorded rows of a short time. The rollups limit the range of IDs, so that no other rows are read. */
export const bookedIn = (sql: SqlClient.SqlClient, from: number, to: number) => {
  const hours = sql`hour >= ${Math.floor(from / HOUR_MS)} AND hour < ${Math.ceil(to / HOUR_MS)}`
  return sql`at >= ${from} AND at < ${to} AND id BETWEEN
    (SELECT min(first_id) FROM rollup WHERE ${hours}) AND (SELECT max(last_id) FROM rollup WHERE ${hours})`
}
