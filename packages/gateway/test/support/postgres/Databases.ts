/** Databases on the tests' one Postgres, a fresh one for whoever asks, deleted with the scope. */
import { existsSync, readFileSync } from "node:fs"
import { Effect, Redacted, type Scope } from "effect"
import * as PgConnection from "@effect/sql-pg/PgConnection"
import { inject } from "vitest"
import type { PostgresState } from "./GlobalSetup.ts"
import { until } from "../Patience.ts"
import { live } from "./Live.ts"

const state = Effect.suspend(() => {
  const file = inject("postgres")
  return Effect.map(
    until(() => existsSync(file)),
    (): PostgresState => JSON.parse(readFileSync(file, "utf8"))
  )
})

/** Why there is none; undefined: there is one. With `CI=true` tests that need it must run, and fail without. */
export const missingPostgres: string | undefined = await Effect.runPromise(
  Effect.map(state, (found) => ("missing" in found ? found.missing : undefined))
)

if (missingPostgres !== undefined && process.env["CI"] !== "true")
  console.log(`SKIP tests on Postgres: ${missingPostgres}`)

/** Whether tests on Postgres are skipped. */
export const isSkipped = missingPostgres !== undefined && process.env["CI"] !== "true"

const serverUrl = Effect.flatMap(state, (found) =>
  "missing" in found ? Effect.die(new Error(found.missing)) : Effect.succeed(found.url)
)

/** Runs statements on a database that others may use. */
export const administer = (url: string, ...statements: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const connection = yield* PgConnection.make({ url: Redacted.make(url) })
    for (const statement of statements) yield* connection.query(statement)
  }).pipe(Effect.scoped, live, Effect.orDie)

let made = 0

/** The URL of a database of one's own. `from`: a database that it is a copy of. */
export const freshDatabase = (from = "template0"): Effect.Effect<string, never, Scope.Scope> =>
  Effect.gen(function* () {
    const server = yield* serverUrl
    const name = `gateway_${process.pid}_${++made}`
    yield* Effect.acquireRelease(administer(server, `CREATE DATABASE ${name} TEMPLATE ${from}`), () =>
      administer(server, `DROP DATABASE ${name} WITH (FORCE)`)
    )
    const url = new URL(server)
    url.pathname = `/${name}`
    return url.toString()
  })
