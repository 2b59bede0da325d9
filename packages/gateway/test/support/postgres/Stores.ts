/** Stores on Postgres for tests: each in a database of its own. What talks to the server runs by the real clock, the ports by the test's. */
import { Clock, Effect, Layer, Redacted } from "effect"
import * as Database from "../../../src/storage/postgres/connection/PostgresDatabase.ts"
import type { PostgresOptions } from "../../../src/storage/postgres/connection/PostgresOptions.ts"
import * as PostgresStore from "../../../src/storage/postgres/connection/PostgresStore.ts"
import * as KeyImportsPostgres from "../../../../import-litellm/src/store/KeyImportsPostgres.ts"
import { storeDatabase } from "./Databases.ts"
import { liveClock } from "./Live.ts"

const byTheRealClock = Layer.provide(Layer.succeed(Clock.Clock, liveClock))

/** A gateway's way to the database of a URL. */
export const databaseAt = (url: string, options: Partial<PostgresOptions> = {}) =>
  byTheRealClock(Database.layer({ url: Redacted.make(url), connections: 3, ...options }))

/** A store in the database of a URL, opened each time it is provided. */
export const storeAt = (url: string, options: Partial<PostgresOptions> = {}) =>
  Layer.fresh(Layer.provide(PostgresStore.repositories, databaseAt(url, options)))

/** In a database of its own, where it is again each time it is provided. */
export const reopened = Effect.map(storeDatabase, (url) => storeAt(url))

/** One that keys of another gateway can be brought to. */
export const importing = Effect.map(storeDatabase, (url) =>
  Layer.fresh(Layer.provide(Layer.merge(PostgresStore.repositories, KeyImportsPostgres.layer), databaseAt(url)))
)

/** Two gateways on one database. */
export const shared = Effect.map(storeDatabase, (url) => ({
  ours: storeAt(url),
  theirs: storeAt(url)
}))
