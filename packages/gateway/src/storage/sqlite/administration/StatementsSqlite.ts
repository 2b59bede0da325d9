/** Statements in SQLite: reads on one connection, writes as operations of the writer. */
import type { DatabaseSync } from "node:sqlite"
import { Effect, Layer, Stream } from "effect"
import { SqlClient } from "effect/sql"
import type { NewAuditEntry } from "../../../core/domain/AuditRepository.ts"
import { FOLLOW_PERSON } from "../../records/KeyReads.ts"
import { auditStatement, Statements } from "../../records/Statements.ts"
import { orUnavailable } from "../file/Reads.ts"
import { Writer } from "../writer/Writer.ts"

/** Adds entries to the audit log in the transaction of the change that they record. */
export const entryWriter =
  (db: DatabaseSync) =>
  (entry: NewAuditEntry): void => {
    const [text, ...values] = auditStatement(entry)
    db.prepare(text).run(...values)
  }

export const layer = Layer.effect(
  Statements,
  Effect.gen(function* () {
    const writer = yield* Writer
    const sql = yield* SqlClient.SqlClient
    const note = entryWriter(writer.db)
    return {
      read: <Row extends object>(text: string, ...values: ReadonlyArray<unknown>) =>
        orUnavailable(sql.unsafe<Row>(text, values)),
      write: (statements, { entries = [], ifChanged = false } = {}) =>
        statements.length + entries.length === 0
          ? Effect.succeed(0)
          : writer.write((db) => {
              let changed = 0
              for (const [text, ...values] of statements) changed = Number(db.prepare(text).run(...values).changes)
              for (const entry of ifChanged && changed === 0 ? [] : entries) if (entry !== undefined) note(entry)
              return changed
            }),
      follow: (person, statements, entry) =>
        writer.write((db) => {
          for (const [text, ...values] of statements) db.prepare(text).run(...values)
          if (entry !== undefined) note(entry)
          const followed = db.prepare(FOLLOW_PERSON).all(person)
          return followed.map(({ id }) => String(id))
        }),
      contains: (expression, part) => [`instr(${expression}, ?) > 0`, part.toLowerCase()],
      // One process owns the file, so there are no changes by others.
      changes: Effect.succeed(Stream.empty)
    }
  })
)
