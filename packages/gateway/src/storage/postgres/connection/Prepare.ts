/** Checks a store on Postgres before it is used: its kind, its cluster and its version. Then migrates it, all or nothing. */
import type { PgClient } from "@effect/sql-pg/PgClient"
import { Effect } from "effect"
import { SqlClient, SqlError } from "effect/sql"
import { placeOf } from "../../../core/domain/StorePlace.ts"
import { StoreTooNew, StoreUnusable } from "../../records/OpenErrors.ts"
import * as Migrations from "../../migrations/PostgresMigrations.ts"
import { quoted, sessionOf } from "./Client.ts"
import { type ClusterClaim, claim } from "./Cluster.ts"
import { codeOf } from "./PostgresErrors.ts"
import { defaults, type PostgresOptions } from "./PostgresOptions.ts"
import { reasonOf } from "./Reasons.ts"

/** Maintained into 2027 (https://www.postgresql.org/support/versioning/, read 2026-11-22). */
const OLDEST = 15

interface Server {
  readonly version: number
  readonly words: string
  readonly database: string
  readonly role: string
  readonly encoding: string
  readonly is_standby: boolean
}

/** Other encodings can't store every text, and fail the row that has it. */
const ENCODINGS = ["UTF8", "SQL_ASCII"]

export const prepare = Effect.fn("Store.prepare")(function* (sql: PgClient, options: PostgresOptions) {
  const place = placeOf(options.url)
  const schema = options.schema ?? defaults.schema
  return yield* sql.withTransaction(bringUpToDate(sql, { place, schema, cluster: options.cluster })).pipe(
    Effect.catchIf(SqlError.isSqlError, (error) => Effect.fail(cantBeUsed(place, schema, error))),
    Effect.catchTag("MigrationError", (error) =>
      Effect.fail(new StoreUnusable({ message: `The store ${place} can't be brought up to date: ${error.message}.` }))
    )
  )
})

const bringUpToDate = Effect.fnUntraced(function* (sql: PgClient, wanted: ClusterClaim) {
  const { place, schema } = wanted
  const [server] = yield* sql<Server>`SELECT current_setting('server_version_num')::int / 10000 AS version,
    current_setting('server_version') AS words, current_database() AS database, current_user AS role,
    current_setting('server_encoding') AS encoding, pg_is_in_recovery() AS is_standby`
  if (server === undefined) return
  if (server.version < OLDEST) {
    return yield* new StoreUnusable({
      message: `The store ${place} is PostgreSQL ${server.words}: version ${OLDEST} or newer is needed.`
    })
  }
  if (server.is_standby) {
    return yield* new StoreUnusable({
      message: `The store ${place} is a standby, which takes no writes: name the primary in store.postgres.url.`
    })
  }
  if (!ENCODINGS.includes(server.encoding)) {
    return yield* new StoreUnusable({
      message: `The store ${place} is a database in the encoding ${server.encoding}, which can't hold every text: make one with ENCODING 'UTF8' TEMPLATE template0, and name it in store.postgres.url.`
    })
  }
  yield* checkSession(sql, place, schema)
  yield* sql`SELECT pg_advisory_xact_lock(hashtextextended(${schema} || ' schema', 0))`
  const found = yield* sql`SELECT 1 FROM pg_namespace WHERE nspname = ${schema}`
  if (found.length === 0) {
    yield* Effect.mapError(sql.unsafe(`CREATE SCHEMA ${quoted(schema)}`), (error) =>
      codeOf(error) === "42501" ? mayNotCreate(place, schema, server) : error
    )
  } else {
    yield* checkSchema(sql, place, schema)
    yield* checkRights(sql, place, schema, server)
  }
  yield* Effect.provideService(Migrations.migrate, SqlClient.SqlClient, sql)
  yield* claim(sql, wanted)
})

/** A connection pooler may drop the settings of a session. Tables would then be created in another schema. */
const checkSession = Effect.fnUntraced(function* (sql: PgClient, place: string, schema: string) {
  const wanted = Object.entries(sessionOf(schema)).map(([name, setting]) => ({ name, setting }))
  const [other] = yield* sql<{ name: string }>`SELECT x.name FROM json_to_recordset(${JSON.stringify(wanted)}::json)
    AS x(name text, setting text) JOIN pg_settings AS s ON s.name = x.name WHERE s.setting <> x.setting LIMIT 1`
  if (other !== undefined) return yield* new StoreUnusable({ message: notPassedOn(place, other.name) })
})

const notPassedOn = (place: string, setting: string) =>
  `The store ${place} can't be used: what is in between does not pass on the settings of connections (${setting}), as PgBouncer doesn't; name Postgres itself in store.postgres.url.`

const mayNotCreate = (place: string, schema: string, { database, role }: Server) =>
  new StoreUnusable({
    message: `The store ${place} can't be used: the role ${role} may not create the schema ${schema}. Let an administrator run: CREATE SCHEMA ${quoted(schema)} AUTHORIZATION ${quoted(role)} (in the database ${database}).`
  })

/** Only the owner of tables may change them, which new versions and new months need. */
const checkRights = Effect.fnUntraced(function* (sql: PgClient, place: string, schema: string, { role }: Server) {
  const [other] = yield* sql<{ owner: string }>`SELECT tableowner AS owner FROM pg_tables
    WHERE schemaname = ${schema} AND NOT pg_has_role(tableowner, 'USAGE') LIMIT 1`
  const [may] = yield* sql<{ make: boolean; owner: string }>`SELECT has_schema_privilege(oid, 'CREATE') AS make,
    pg_get_userbyid(nspowner) AS owner FROM pg_namespace WHERE nspname = ${schema}`
  const owner = other?.owner ?? (may?.make === false ? may.owner : undefined)
  if (owner === undefined) return
  return yield* new StoreUnusable({
    message: `The store ${place} can't be used: the schema ${schema} belongs to the role ${owner}, and the role ${role} may not make and change tables in it. Name the role ${owner} in store.postgres.url, or let an administrator run: GRANT ${quoted(owner)} TO ${quoted(role)}.`
  })
})

/** Checks that the schema holds a store of a known version. */
export const checkSchema = Effect.fnUntraced(function* (sql: PgClient, place: string, schema: string) {
  const tables = yield* sql<{ name: string }>`SELECT tablename AS name FROM pg_tables WHERE schemaname = ${schema}`
  if (tables.length === 0) return 0
  const [may] = yield* sql<{ use: boolean; role: string; owner: string }>`SELECT current_user AS role,
    has_schema_privilege(oid, 'USAGE') AS use, pg_get_userbyid(nspowner) AS owner
    FROM pg_namespace WHERE nspname = ${schema}`
  if (may?.use === false) {
    return yield* new StoreUnusable({
      message: `The store ${place} can't be used: the role ${may.role} may not use the schema ${schema}, which belongs to the role ${may.owner}. Name that role in store.postgres.url, or another store.postgres.schema.`
    })
  }
  if (!tables.some(({ name }) => name === Migrations.TABLE)) {
    return yield* new StoreUnusable({
      message: `The schema ${schema} of ${place} is used by another program: choose another store.postgres.schema.`
    })
  }
  const [latest] = yield* sql<{ id: number }>`SELECT coalesce(max(migration_id), 0)::int AS id
    FROM ${sql(Migrations.TABLE)}`
  const known = latest?.id ?? 0
  if (known > Migrations.LATEST) {
    return yield* new StoreTooNew({
      message: `The schema ${schema} of ${place} was written by a newer version of the gateway (schema ${known}, this one knows ${Migrations.LATEST}): start that version, or choose another store.`
    })
  }
  return known
})

/** Why the store did not open, and what to do. */
export const cantBeUsed = (place: string, schema: string, error: SqlError.SqlError): StoreUnusable =>
  new StoreUnusable({ message: `The store ${place} can't be used: ${reasonOf(schema, error)}.` })
