/** Reads in the shape of the ports: exact integers, and the store's one error. */
import { Effect } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import type { StoreUnavailable } from "../../../core/domain/Errors.ts"
import { unavailable } from "./SqliteErrors.ts"
import { HOUR_MS } from "../../records/Scopes.ts"

/** For queries whose integers may pass 2^53: they come as bigints, where a plain read would throw. */
export const exactly = <A, E, R>(query: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.provideService(query, SqlClient.SafeIntegers, true)

/** A read that failed is the store's trouble, whatever it was. */
export const orUnavailable = <A, R>(
  query: Effect.Effect<A, SqlError.SqlError, R>
): Effect.Effect<A, StoreUnavailable, R> => Effect.mapError(query, (error) => unavailable(error.reason.cause))

/** The condition for booked rows of a short time: the rollups say between which ids they are, so that no others are looked at. */
export const bookedIn = (sql: SqlClient.SqlClient, from: number, to: number) => {
  const hours = sql`hour >= ${Math.floor(from / HOUR_MS)} AND hour < ${Math.ceil(to / HOUR_MS)}`
  return sql`at >= ${from} AND at < ${to} AND id BETWEEN
    (SELECT min(first_id) FROM rollup WHERE ${hours}) AND (SELECT max(last_id) FROM rollup WHERE ${hours})`
}
