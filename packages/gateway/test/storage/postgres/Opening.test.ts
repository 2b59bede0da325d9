/** Opening a store on Postgres: who may, and one sentence for each reason why not, after which nothing was written. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Layer, Redacted, Scope } from "effect"
import type { PostgresOptions } from "../../../src/storage/postgres/connection/PostgresOptions.ts"
import { sessionOf } from "../../../src/storage/postgres/connection/Client.ts"
import * as ReadOnly from "../../../../model-gateway/src/store/reading/PostgresReadOnly.ts"
import * as PostgresStore from "../../../src/storage/postgres/connection/PostgresStore.ts"
import { freshDatabase, isSkipped } from "../../support/postgres/Databases.ts"
import { pooler } from "../../support/postgres/Pooler.ts"
import { administer, databaseOn, rowsIn } from "../../support/postgres/Queries.ts"
import { eventually } from "../../support/Patience.ts"

const open = (url: string, options: Partial<PostgresOptions> = {}) =>
  Layer.build(
    Layer.fresh(PostgresStore.layer({ url: Redacted.make(url), leaseMs: 1_000, name: "a.example", ...options }))
  )

const refusal = (url: string, options: Partial<PostgresOptions> = {}) =>
  Effect.map(Effect.flip(Effect.scoped(open(url, options))), ({ message }) => message)

/** Everything but the databases' own schemas. */
const schemas = (url: string) =>
  Effect.map(
    rowsIn(
      url,
      "SELECT nspname AS name FROM pg_namespace WHERE nspname NOT LIKE 'pg\\_%' AND nspname <> 'information_schema'"
    ),
    (rows) => rows.map((row) => row["name"])
  )

describe.skipIf(isSkipped)("a store on Postgres", () => {
  it.live("is made in a schema of its own, and is there again", () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase
      yield* Effect.scoped(open(url))
      assert.sameMembers(yield* schemas(url), ["public", "model_gateway"])
      yield* Effect.scoped(open(url))
      assert.deepStrictEqual(yield* rowsIn(url, "SELECT id FROM model_gateway.nodes"), [])
      const months = yield* rowsIn(url, "SELECT tablename FROM pg_tables WHERE tablename LIKE 'ledger\\_2%'")
      assert.lengthOf(months, 2)
    })
  )

  it.live("compiles no plans, and summarises each part of the ledger by itself", () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase
      yield* Effect.scoped(open(url))
      const indexes = yield* rowsIn(
        url,
        "SELECT reloptions::text AS options FROM pg_class JOIN pg_inherits ON inhrelid = oid WHERE inhparent = 'model_gateway.ledger_by_time'::regclass"
      )
      assert.lengthOf(indexes, 3)
      for (const { options } of indexes) assert.include(String(options), "autosummarize=on")
      const settings = Object.entries(sessionOf("model_gateway"))
      assert.deepInclude(settings, ["jit", "off"])
    })
  )

  it.live("says which limit is reached where a role may open no more connections", () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase
      const { host, pathname } = new URL(url)
      const role = `few_${pathname.slice(1)}`
      yield* Effect.acquireRelease(rowsIn(url, `CREATE ROLE ${role} LOGIN PASSWORD 'geheim' CONNECTION LIMIT 0`), () =>
        Effect.orDie(rowsIn(url, `DROP ROLE ${role}`))
      )
      const message = yield* refusal(`postgres://${role}:geheim@${host}${pathname}`)
      assert.match(message, /the role has reached its connection limit .*ALTER ROLE … CONNECTION LIMIT/)
      assert.notInclude(message, "geheim")
    })
  )

  it.live("says what is wrong with its address", () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase
      const { host, pathname } = new URL(url)
      assert.strictEqual(
        yield* refusal("postgres://gateway@127.0.0.1:1/x"),
        "The store 127.0.0.1:1/x can't be used: the connection was refused; start Postgres, or correct host and port in store.postgres.url."
      )
      assert.match(
        yield* refusal("postgres://u:geheim@nohost.invalid/x"),
        /^The store nohost.invalid:5432\/x can't be used: its host is not known/
      )
      assert.strictEqual(
        yield* refusal(databaseOn(url, "nothing")),
        `The store ${host}/nothing can't be used: database "nothing" does not exist; create it, or correct store.postgres.url.`
      )
      assert.strictEqual(
        yield* refusal(`postgres://nobody:geheim@${host}${pathname}`),
        `The store ${host}${pathname} can't be used: Postgres refuses the user (role "nobody" does not exist); correct store.postgres.url or pg_hba.conf.`
      )
      assert.match(yield* refusal(`${url}?sslmode=require`), /can't be used: the server offers no TLS/)
    })
  )

  it.live("refuses a database whose encoding can't hold every text, and writes nothing", () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase
      const { host, pathname } = new URL(url)
      const name = `${pathname.slice(1)}_latin1`
      const latin = databaseOn(url, name)
      yield* Effect.acquireRelease(
        administer(url, `CREATE DATABASE ${name} ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0`),
        () => administer(url, `DROP DATABASE ${name} WITH (FORCE)`)
      )
      assert.strictEqual(
        yield* refusal(latin),
        `The store ${host}/${name} is a database in the encoding LATIN1, which can't hold every text: make one with ENCODING 'UTF8' TEMPLATE template0, and name it in store.postgres.url.`
      )
      assert.deepStrictEqual(yield* schemas(latin), ["public"])
    })
  )

  it.live("refuses a pooler that leaves out what has to hold for a connection, and writes nothing", () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase
      const through = yield* pooler(url)
      const { host, pathname } = new URL(through)
      assert.match(
        yield* refusal(through),
        new RegExp(
          `^The store ${host}${pathname} can't be used: what is in between does not pass on the settings of connections .*PgBouncer`
        )
      )
      assert.deepStrictEqual(yield* schemas(url), ["public"])
      assert.deepStrictEqual(yield* rowsIn(url, "SELECT tablename FROM pg_tables WHERE schemaname = 'public'"), [])
    })
  )

  it.live("says which right is missing, and writes nothing", () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase
      const poor = `poor_${process.pid}`
      yield* Effect.acquireRelease(administer(url, `CREATE ROLE ${poor} LOGIN`), () =>
        administer(url, `DROP OWNED BY ${poor}`, `DROP ROLE ${poor}`)
      )
      const asPoor = new URL(url)
      asPoor.username = poor
      const message = yield* refusal(asPoor.toString())
      assert.include(
        message,
        `the role ${poor} may not create the schema model_gateway. Let an administrator run: CREATE SCHEMA`
      )
      assert.deepStrictEqual(yield* schemas(url), ["public"])
      yield* administer(url, `CREATE SCHEMA model_gateway AUTHORIZATION ${poor}`)
      yield* Effect.scoped(open(asPoor.toString()))
    })
  )

  it.live("leaves the schema of another program, or of a newer gateway, as it is", () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase
      const { host, pathname } = new URL(url)
      yield* administer(url, "CREATE SCHEMA theirs", "CREATE TABLE theirs.letters (text text)")
      assert.strictEqual(
        yield* refusal(url, { schema: "theirs" }),
        `The schema theirs of ${host}${pathname} is used by another program: choose another store.postgres.schema.`
      )
      assert.lengthOf(yield* rowsIn(url, "SELECT tablename FROM pg_tables WHERE schemaname = 'theirs'"), 1)
      yield* Effect.scoped(open(url))
      yield* administer(
        url,
        "INSERT INTO model_gateway.effect_sql_migrations (migration_id, name) VALUES (999, 'later')"
      )
      assert.match(
        yield* refusal(url),
        /was written by a newer version of the gateway \(schema 999, this one knows \d+\)/
      )
    })
  )

  it.live("is any number of gateways', and each schema is a cluster of its own", () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase
      yield* open(url)
      yield* open(url)
      yield* open(url, { schema: "other" })
      const count = (schema: string) => Effect.map(rowsIn(url, `SELECT id FROM ${schema}.nodes`), (rows) => rows.length)
      assert.deepStrictEqual([yield* count("model_gateway"), yield* count("other")], [2, 1])
    })
  )

  it.live("that has a name is that cluster's alone: what names another, or none, is refused and writes nothing", () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase
      const { host, pathname } = new URL(url)
      yield* open(url, { cluster: "production" })
      yield* open(url, { cluster: "production" })
      const its = `The schema model_gateway of ${host}${pathname} is the store of the cluster production`
      const advice = "correct store.postgres.url or store.postgres.cluster, or choose another store.postgres.schema."
      const names = (what: string) => `${its}, and this configuration names ${what}: ${advice}`
      assert.strictEqual(yield* refusal(url, { cluster: "staging" }), names("the cluster staging"))
      assert.strictEqual(yield* refusal(url), names("none"))
      assert.lengthOf(yield* rowsIn(url, "SELECT id FROM model_gateway.nodes"), 2)
      const read = (cluster: string | undefined) =>
        Effect.scoped(Layer.build(Layer.fresh(ReadOnly.layer({ url: Redacted.make(url), cluster }))))
      yield* read("production")
      yield* read(undefined)
      assert.strictEqual((yield* Effect.flip(read("staging"))).message, names("the cluster staging"))
      yield* open(url, { cluster: "staging", schema: "staging" })
    })
  )

  it.live("that is in use without a name gets one by hand only, with the statement that it is told", () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase
      const { host, pathname } = new URL(url)
      yield* Effect.scoped(open(url))
      const working = yield* Scope.make()
      yield* Scope.provide(open(url), working)
      const message = yield* refusal(url, { cluster: "production" })
      const [before, statement] = message.split("run there: ")
      assert.strictEqual(
        before,
        `The schema model_gateway of ${host}${pathname} is in use and has no name, and this configuration is of the cluster production: correct store.postgres.url, choose another store.postgres.schema, or, if it is this cluster's, `
      )
      assert.deepStrictEqual(yield* rowsIn(url, "SELECT name FROM model_gateway.meta WHERE name = 'cluster'"), [])
      yield* administer(url, (statement ?? "").replace(/\.$/, ""))
      yield* open(url, { cluster: "production" })
      // Who is at work without a name goes on until it starts again.
      assert.lengthOf(yield* rowsIn(url, "SELECT id FROM model_gateway.nodes"), 2)
      yield* Scope.close(working, Exit.void)
      assert.include(yield* refusal(url), "the store of the cluster production")
    })
  )

  it.live("begins at once beside one that has gone without a word, which is taken off after its lease", () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase
      yield* Effect.scoped(open(url))
      const gone = "INSERT INTO model_gateway.nodes (id, name, space, pid, lease_ms) VALUES (7, 'gone', '', 1, 300)"
      yield* administer(url, gone)
      const began = performance.now()
      yield* open(url, { leaseMs: 300 })
      yield* eventually(rowsIn(url, "SELECT id FROM model_gateway.nodes WHERE id = 7"), (rows) => rows.length === 0)
      assert.isAtLeast(performance.now() - began, 300)
    })
  )
})
