/** Statements of a test's own, on a database that others may use. Each has a connection of its own. */
import { Effect, Redacted } from "effect"
import * as PgConnection from "@effect/sql-pg/PgConnection"
import { live } from "./Live.ts"

export const administer = (url: string, ...statements: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const connection = yield* PgConnection.make({ url: Redacted.make(url) })
    for (const statement of statements) yield* connection.query(statement)
  }).pipe(Effect.scoped, live, Effect.orDie)

/** What a statement finds. */
export const rowsIn = (url: string, statement: string) =>
  Effect.gen(function* () {
    const connection = yield* PgConnection.make({ url: Redacted.make(url) })
    return (yield* connection.query(statement)).rows
  }).pipe(Effect.scoped, live, Effect.orDie)

/** The URL of another database of the same server. */
export const databaseOn = (server: string, name: string): string => {
  const url = new URL(server)
  url.pathname = `/${name}`
  return url.toString()
}
