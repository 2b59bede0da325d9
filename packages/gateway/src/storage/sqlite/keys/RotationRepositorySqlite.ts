/** Disabled deployments, in the store. */
import { Effect, Layer, Stream } from "effect"
import { SqlClient } from "effect/sql"
import type { NewAuditEntry } from "../../../core/domain/AuditRepository.ts"
import { RotationRepository } from "../../../core/pool/RotationRepository.ts"
import { entryWriter } from "../administration/AuditRepositorySqlite.ts"
import { orUnavailable } from "../file/Reads.ts"
import { Writer } from "../writer/Writer.ts"

export const layer = Layer.effect(
  RotationRepository,
  Effect.gen(function* () {
    const writer = yield* Writer
    const sql = yield* SqlClient.SqlClient
    const note = entryWriter(writer.db)

    const disabled = sql<{ readonly deployment: string }>`SELECT deployment FROM disabled_deployments`.pipe(
      Effect.map((rows): ReadonlySet<string> => new Set(rows.map((row) => row.deployment))),
      orUnavailable
    )

    const setDisabled = Effect.fn("RotationRepository.setDisabled")(
      (deployments: ReadonlyArray<string>, disable: boolean, entries: ReadonlyArray<NewAuditEntry> = []) =>
        writer.write((db) => {
          const statement = db.prepare(
            disable
              ? "INSERT OR IGNORE INTO disabled_deployments VALUES (?)"
              : "DELETE FROM disabled_deployments WHERE deployment = ?"
          )
          for (const deployment of deployments) statement.run(deployment)
          for (const entry of entries) note(entry)
        })
    )

    // One process owns the file, so there are no changes by others.
    return { disabled, setDisabled, reset: () => Effect.void, changes: Stream.empty }
  })
)
