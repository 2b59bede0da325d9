/** LiteLLM's database, opened to be read. */
import * as PgClient from "@effect/sql-pg/PgClient"
import { Effect, Redacted } from "effect"
import { Reactivity } from "effect/reactivity"
import { SqlError } from "effect/sql"
import { placeOf } from "@model-gateway/gateway/internal/core/domain/StorePlace"
import { codeOf, wordsOf } from "@model-gateway/gateway/internal/storage/postgres/connection/PostgresErrors"
import { DatabaseUnreadable, DatabaseUrlInvalid } from "./DatabaseErrors.ts"
import { type Imports, type ReadOptions, readKeys } from "../ReadKeys.ts"
import { relatedIn } from "./Relations.ts"
import { readTables } from "./LitellmTables.ts"

/** A row of LiteLLM's: models, metadata. */
const MOST_BYTES = 64 * 1024 * 1024

export const readDatabase = Effect.fn("import.readDatabase")(
  function* (url: Redacted.Redacted, options: ReadOptions) {
    const schema = yield* schemaOf(url)
    const place = placeOf(url)
    // Nothing that a pooler in front of Postgres would refuse: what holds for the session is said in the transaction.
    const sql = yield* PgClient.make({
      url,
      applicationName: "model-gateway",
      minConnections: 0,
      maxConnections: 1,
      maxMessageSize: MOST_BYTES
    })
    const tables = yield* Effect.gen(function* () {
      yield* sql`SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY`
      yield* sql`SELECT set_config('DateStyle', 'ISO', true), set_config('TimeZone', 'UTC', true),
        set_config('extra_float_digits', '3', true), set_config('statement_timeout', '0', true)`
      return yield* readTables(sql, place, schema)
    }).pipe(sql.withTransaction)
    return readKeys(tables.keys, relatedIn(tables, options), options)
  },
  (effect, url): Effect.Effect<Imports, DatabaseUnreadable | DatabaseUrlInvalid> =>
    effect.pipe(
      Effect.catchIf(SqlError.isSqlError, (error) =>
        Effect.fail(
          new DatabaseUnreadable({ message: `LiteLLM's database ${placeOf(url)} can't be read: ${reasonOf(error)}.` })
        )
      ),
      Effect.scoped,
      Effect.provide(Reactivity.layer)
    )
)

/** As Prisma, and so LiteLLM, has it: `?schema=`. */
const schemaOf = Effect.fnUntraced(function* (url: Redacted.Redacted) {
  const parsed = URL.parse(Redacted.value(url))
  if (parsed === null || !/^postgres(ql)?:$/.test(parsed.protocol)) {
    return yield* new DatabaseUrlInvalid({
      message: `LiteLLM's database is named by a URL such as postgresql://user:password@host:5432/litellm${parsed === null ? "" : `, and this one begins with ${parsed.protocol}`}. A password with special characters has to be percent-encoded in it.`
    })
  }
  return parsed.searchParams.get("schema") || "public"
})

const reasonOf = (error: SqlError.SqlError): string => {
  const words = wordsOf(error)
  switch (codeOf(error)) {
    case "ECONNREFUSED":
      return "the connection was refused; check host and port in the URL"
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return "its host is not known; correct it in the URL"
    case "28P01":
      return "the password is wrong; correct it in the URL"
    case "28000":
      return `Postgres refuses the user (${words}); correct the URL or pg_hba.conf`
    case "3D000":
      return `${words}; correct the name at the end of the URL`
    case "42501":
      return `the role may not read it (${words}); let an administrator GRANT SELECT ON ALL TABLES IN SCHEMA … to it`
    case "53300":
      return "Postgres takes no more connections; try again"
    case "57P03":
      return "Postgres is starting or stopping; try again"
    default:
      return words
  }
}
