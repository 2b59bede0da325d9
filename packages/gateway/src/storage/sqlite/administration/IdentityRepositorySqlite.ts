/** People, roles and service tokens in the store. */
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { IdentityRepository } from "../../../core/admin/IdentityRepository.ts"
import type { NewAuditEntry } from "../../../core/domain/AuditRepository.ts"
import { makeIdentity, type Statement } from "../../records/IdentityRows.ts"
import { FOLLOW_PERSON } from "../../records/KeyStatus.ts"
import { orUnavailable } from "../file/Reads.ts"
import { Writer } from "../writer/Writer.ts"
import { entryWriter } from "./AuditRepositorySqlite.ts"

export const layer = Layer.effect(
  IdentityRepository,
  Effect.gen(function* () {
    const writer = yield* Writer
    const sql = yield* SqlClient.SqlClient
    const note = entryWriter(writer.db)
    const run = (statements: ReadonlyArray<Statement>, entry: NewAuditEntry | undefined): number => {
      let changed = 0
      for (const [text, ...values] of statements) changed = Number(writer.db.prepare(text).run(...values).changes)
      if (entry !== undefined) note(entry)
      return changed
    }
    return makeIdentity({
      read: <Row extends object>(text: string, ...values: ReadonlyArray<unknown>) =>
        orUnavailable(sql.unsafe<Row>(text, values)),
      write: (statements, entry) => writer.write(() => run(statements, entry)),
      writeWithKeys: (person, statements, entry) =>
        writer.write((db) => {
          run(statements, entry)
          return db
            .prepare(FOLLOW_PERSON)
            .all(person)
            .map(({ id }) => String(id))
        })
    })
  })
)
