/** One wording for each error that Postgres reports, and which errors are faults of the store. */
import { Effect } from "effect"
import type { SqlError } from "effect/sql"
import { StoreUnavailable } from "../../../core/domain/Errors.ts"

type PostgresFailure = SqlError.SqlError

/** The SQLSTATE (https://www.postgresql.org/docs/current/errcodes-appendix.html), or Node's error code; undefined if there is none. */
export const codeOf = ({ reason: { cause } }: PostgresFailure): string | undefined =>
  cause instanceof Error && "code" in cause && typeof cause.code === "string" ? cause.code : undefined

/** The message of the server or the system. */
export const wordsOf = ({ message, reason: { cause } }: PostgresFailure): string =>
  cause instanceof Error && cause.message !== "" ? cause.message : message

const troubles: { readonly [code: string]: string } = {
  "25006": "Postgres takes no writes: it is a standby, or its disk is full",
  "28000": "Postgres refuses the user",
  "28P01": "Postgres refuses the password",
  "40001": "others kept changing the same rows",
  "40P01": "others kept changing the same rows",
  "42501": "the role lacks a right",
  "53100": "the disk of Postgres is full",
  "53200": "Postgres has not enough memory",
  "55P03": "another program has locked the tables",
  "57014": "Postgres took longer than store.postgres.statement_timeout",
  "57P01": "Postgres was stopped",
  "57P02": "Postgres crashed",
  "57P03": "Postgres is starting or stopping",
  ECONNREFUSED: "the address of Postgres refused the connection",
  ENOTFOUND: "the host of Postgres is not known",
  EAI_AGAIN: "the host of Postgres can't be looked up"
}

export const troubleOf = (error: PostgresFailure): string => {
  const code = codeOf(error)
  if (code === "53300") return `Postgres takes no more connections: ${wordsOf(error)}`
  const known = code === undefined ? undefined : troubles[code]
  if (known !== undefined) return known
  if (error.reason._tag === "ConnectionError") return `the connection to Postgres is lost (${wordsOf(error)})`
  return wordsOf(error)
}

/** The value is at fault, not the store: class 22 is data that can't be stored, 23 a constraint. */
export const isAboutValues = (error: PostgresFailure): boolean => /^2[23]/.test(codeOf(error) ?? "")

export const unavailable = (error: PostgresFailure): StoreUnavailable =>
  new StoreUnavailable({
    message: `The store is not available: ${troubleOf(error)}.`,
    ...(error.reason._tag === "ConnectionError" ? { reason: "unreachable" as const } : {})
  })

export const orUnavailable = <A, R>(
  query: Effect.Effect<A, PostgresFailure, R>
): Effect.Effect<A, StoreUnavailable, R> => Effect.mapError(query, unavailable)
