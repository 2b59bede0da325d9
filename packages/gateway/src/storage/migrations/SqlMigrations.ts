/** The history of a schema, read from an SQL file. Never edit a released migration: append a new one. */
import { readFileSync } from "node:fs"
import { Effect } from "effect"
import { SqlClient, type SqlError } from "effect/sql"

type Migration = Effect.Effect<void, SqlError.SqlError, SqlClient.SqlClient>

/** By name, in order. A line `-- migration NAME` begins a migration; each statement ends with `;` and an empty line. */
export const migrationsIn = (file: URL): { readonly [name: string]: Migration } =>
  Object.fromEntries(
    readFileSync(file, "utf8")
      .split(/^-- migration /m)
      .slice(1)
      .map((section) => {
        const [name = "", ...lines] = section.split("\n")
        const statements = `${lines.join("\n")}\n`.split(/;\n\n+/).map((text) => text.replace(/^(?:(?:--.*)?\n)+/, ""))
        return [name, runAll(statements.filter((statement) => statement !== ""))]
      })
  )

export const runAll = (statements: ReadonlyArray<string>): Migration =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
  )
