/**
 * Compares a store in a file with its copy on Postgres, row by row. Postgres compares: the file's rows go to a temporary table, one table
 * at a time. Neither side is changed. Only keys of differing rows are printed, since rows contain hashes of secrets.
 */
import type { DatabaseSync } from "node:sqlite"
import type { PgClient } from "@effect/sql-pg/PgClient"
import { Effect } from "effect"
import { SqlError } from "effect/sql"
import { codeOf } from "@model-gateway/gateway/internal/storage/postgres/connection/PostgresErrors"
import {
  defaults,
  type PostgresOptions
} from "@model-gateway/gateway/internal/storage/postgres/connection/PostgresOptions"
import { isStore } from "../reading/PostgresReadOnly.ts"
import { type StoreOpenError, StoreUnusable } from "@model-gateway/gateway/internal/storage/records/OpenErrors"
import type * as ReadOnly from "../reading/SqliteReadOnly.ts"
import { withBoth } from "./Both.ts"
import { bring } from "./CopyRows.ts"
import { type CopiedTable, tables } from "./CopyTables.ts"

/** Differences that are named, of each table. */
const NAMED = 20

/** A row that is not the same on both sides, or on one only. */
export interface OtherRow {
  /** `id=key_a`, by the columns that identify a row. */
  readonly key: string
  readonly is: "only in the file" | "only in Postgres" | "different"
  /** Which columns differ; none where the row is on one side only. */
  readonly columns: ReadonlyArray<string>
}

export interface Compared {
  readonly table: string
  readonly inFile: number
  readonly inPostgres: number
  readonly different: number
  /** The first of them. */
  readonly rows: ReadonlyArray<OtherRow>
}

export interface Comparison {
  readonly place: string
  /** Nano-USD of all ledger rows. */
  readonly cost: { readonly inFile: bigint; readonly inPostgres: bigint }
  readonly tables: ReadonlyArray<Compared>
}

export const compareStores: (
  filename: string,
  options: PostgresOptions
) => Effect.Effect<Comparison, StoreOpenError | ReadOnly.StoreTooOld> = Effect.fn("Store.compare")(
  (filename: string, options: PostgresOptions) =>
    withBoth(
      filename,
      options,
      Effect.fnUntraced(function* ({ db, place, sql }) {
        yield* isStore(sql, options)
        return yield* sql.withTransaction(compareAll(db, filename, sql, place)).pipe(
          Effect.catchIf(
            (error) => SqlError.isSqlError(error) && codeOf(error) === "42501",
            () => new StoreUnusable({ message: needsTemporary(place, options) })
          )
        )
      })
    )
)

const needsTemporary = (place: string, { schema = defaults.schema }: PostgresOptions) =>
  `The store ${place} can't be compared: the role may not make temporary tables, or not read all of the schema ${schema}. Let an administrator GRANT TEMPORARY ON DATABASE to it, or take the role that owns the schema.`

const compareAll = Effect.fnUntraced(function* (db: DatabaseSync, filename: string, sql: PgClient, place: string) {
  yield* sql`SET TRANSACTION ISOLATION LEVEL REPEATABLE READ`
  const compared: Array<Compared> = []
  let cost = { inFile: 0n, inPostgres: 0n }
  for (const table of tables) {
    yield* sql.unsafe(`CREATE TEMPORARY TABLE of_file (LIKE ${table.to} INCLUDING DEFAULTS) ON COMMIT DROP`)
    const inFile = yield* bring(db, filename, table, sql, "of_file")
    compared.push({ inFile, ...(yield* compare(sql, table)) })
    if (table.to === "ledger") cost = yield* costs(sql)
    yield* sql`DROP TABLE of_file`
  }
  return { place, cost, tables: compared } satisfies Comparison
})

interface CountRow {
  readonly rows: number
}

interface DifferenceRow {
  readonly key: string
  readonly is: OtherRow["is"]
  readonly columns: string | null
  readonly different: number
}

const compare = Effect.fnUntraced(function* (sql: PgClient, { key, ...table }: CopiedTable) {
  const [count] = yield* sql.unsafe<CountRow>(`SELECT count(*)::int8 AS rows FROM ${table.to}${only(table)}`)
  const names = key.split(", ").map((name) => `'${name.replaceAll('"', "")}=' || ${name}`)
  const rows = yield* sql.unsafe<DifferenceRow>(`SELECT concat_ws(' ', ${names.join(", ")}) AS key,
    CASE WHEN theirs IS NULL THEN 'only in Postgres' WHEN ours IS NULL THEN 'only in the file' ELSE 'different' END AS is,
    (SELECT string_agg(key, ',' ORDER BY key) FROM jsonb_each(to_jsonb(f)) AS a JOIN jsonb_each(to_jsonb(p)) AS b USING (key)
      WHERE a.value <> b.value) AS columns,
    count(*) OVER () AS different
    FROM (SELECT *, f::text AS theirs FROM of_file AS f) AS f
    FULL JOIN (SELECT *, p::text AS ours FROM ${table.to} AS p${only(table)}) AS p USING (${key})
    WHERE theirs IS DISTINCT FROM ours ORDER BY ${key} LIMIT ${NAMED}`)
  return {
    table: table.to,
    inPostgres: count?.rows ?? 0,
    different: rows[0]?.different ?? 0,
    rows: rows.map(({ columns, is, key }) => ({
      key,
      is,
      columns: is === "different" && columns !== null ? columns.split(",") : []
    }))
  }
})

/** Of the table's rows those that a file has, too: a gateway on Postgres notes more things by name. */
const only = ({ to }: Pick<CopiedTable, "to">): string => (to === "meta" ? " WHERE name = 'pepper'" : "")

const costs = Effect.fnUntraced(function* (sql: PgClient) {
  const [row] = yield* sql<{ file: string; postgres: string }>`SELECT
    (SELECT coalesce(sum(cost), 0) FROM of_file)::text AS file,
    (SELECT coalesce(sum(cost), 0) FROM ledger)::text AS postgres`
  return { inFile: BigInt(row?.file ?? 0), inPostgres: BigInt(row?.postgres ?? 0) }
})
