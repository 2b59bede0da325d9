/** People, roles and service tokens in the store. */
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { IdentityRepository } from "../../../core/admin/IdentityRepository.ts"
import { makeIdentity } from "../../records/IdentityRows.ts"
import { orUnavailable } from "../file/Reads.ts"
import { Writer } from "../writer/Writer.ts"
import { entryWriter } from "./AuditRepositorySqlite.ts"

export const layer = Layer.effect(
  IdentityRepository,
  Effect.gen(function* () {
    const writer = yield* Writer
    const sql = yield* SqlClient.SqlClient
    const note = entryWriter(writer.db)
    return makeIdentity({
      read: <Row extends object>(text: string, ...values: ReadonlyArray<unknown>) =>
        orUnavailable(sql.unsafe<Row>(text, values)),
      write: (statements, entry) =>
        writer.write(() => {
          let changed = 0
          for (const [text, ...values] of statements) changed = Number(writer.db.prepare(text).run(...values).changes)
          if (entry !== undefined) note(entry)
          return changed
        })
    })
  })
)
