/** Databases on the tests' one Postgres, a fresh one for whoever asks, deleted with the scope. */
import { existsSync, readFileSync } from "node:fs"
import { Effect, type Scope } from "effect"
import { inject } from "vitest"
import type { PostgresState } from "./GlobalSetup.ts"
import { until } from "../Patience.ts"
import { administer, databaseOn } from "./Queries.ts"

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

let made = 0

/** It goes with the server. */
const newDatabase = Effect.fnUntraced(function* () {
  const server = yield* serverUrl
  const name = `gateway_${process.pid}_${++made}`
  yield* administer(server, `CREATE DATABASE ${name} TEMPLATE template0`)
  return databaseOn(server, name)
})

/** The URL of an empty database of one's own, deleted with the scope. */
export const freshDatabase: Effect.Effect<string, never, Scope.Scope> = Effect.acquireRelease(newDatabase(), (url) =>
  administer(databaseOn(url, "postgres"), `DROP DATABASE ${new URL(url).pathname.slice(1)} WITH (FORCE)`)
)

/** Makes a store as new, in some milliseconds: making another database takes ten times as long. */
const empty = `DO $$ DECLARE name text; BEGIN
  SET LOCAL session_replication_role = replica;
  SET LOCAL search_path = model_gateway;
  FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = 'model_gateway'
    AND tablename NOT IN ('effect_sql_migrations', 'response_bytes', 'kept_bytes')
  LOOP EXECUTE format('DELETE FROM %I', name); END LOOP;
  IF to_regclass('response_bytes') IS NOT NULL THEN UPDATE response_bytes SET total = 0; END IF;
  IF to_regclass('kept_bytes') IS NOT NULL THEN UPDATE kept_bytes SET total = 0; END IF;
END $$`

const free: Array<string> = []

/** A database for a store, which may have served others of this process: without anything they wrote. */
export const storeDatabase: Effect.Effect<string, never, Scope.Scope> = Effect.acquireRelease(
  Effect.suspend(() => {
    const url = free.pop()
    return url === undefined ? newDatabase() : Effect.succeed(url)
  }),
  (url) =>
    Effect.andThen(
      administer(url, empty),
      Effect.sync(() => void free.push(url))
    )
)
