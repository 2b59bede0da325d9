/** Rows on their way from a file to Postgres. */
import type { DatabaseSync } from "node:sqlite"
import type { PgClient } from "@effect/sql-pg/PgClient"
import { Effect } from "effect"
import type { SqlError } from "effect/sql"
import type { StoreOpenError } from "@model-gateway/gateway/internal/storage/records/OpenErrors"
import { attempt } from "@model-gateway/gateway/internal/storage/sqlite/file/SqliteDatabase"
import { asJson, type CopiedRow, type CopiedTable } from "./CopyTables.ts"

/** Rows that go in one statement, and characters or bytes after which no more are added. */
const AT_ONCE = 500
const MOST_SIZE = 8_000_000

/** All rows of a table, into one of the same columns. How many there were. */
export const bring = Effect.fnUntraced(function* (
  db: DatabaseSync,
  filename: string,
  { change = (row) => row, from }: CopiedTable,
  sql: PgClient,
  to: string
): Effect.fn.Return<number, StoreOpenError | SqlError.SqlError> {
  const all = rowsOf(db, from)
  let count = 0
  for (;;) {
    const some = yield* attempt(filename, () => take(all))
    if (some.length === 0) return count
    yield* insert(sql, to, some.map(change).map(asJson))
    count += some.length
  }
})

/** In Node 22.19 SQLite's own iterator starts again after its end; a generator does not. */
function* rowsOf(db: DatabaseSync, query: string): Generator<CopiedRow> {
  yield* exact(db, query).iterate() as Iterable<CopiedRow>
}

/** Integers may exceed the safe ones. */
export const exact = (db: DatabaseSync, query: string) => {
  const statement = db.prepare(query)
  statement.setReadBigInts(true)
  return statement
}

const take = (all: Iterator<CopiedRow>): ReadonlyArray<CopiedRow> => {
  const some: Array<CopiedRow> = []
  for (let size = 0; some.length < AT_ONCE && size < MOST_SIZE;) {
    const next = all.next()
    if (next.done === true) break
    some.push(next.value)
    for (const value of Object.values(next.value)) {
      if (typeof value === "string" || value instanceof Uint8Array) size += value.length
    }
  }
  return some
}

/** Columns that none of these rows has get the table's default. */
const insert = (sql: PgClient, table: string, rows: ReadonlyArray<object>) => {
  const columns = [...new Set(rows.flatMap(Object.keys))].map((name) => `"${name}"`).join(", ")
  return sql.unsafe(
    `INSERT INTO ${table} (${columns}) OVERRIDING SYSTEM VALUE
      SELECT ${columns} FROM json_populate_recordset(NULL::${table}, $1::json)`,
    [JSON.stringify(rows)]
  )
}
