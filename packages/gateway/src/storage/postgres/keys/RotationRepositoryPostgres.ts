/** Disabled deployments, in Postgres. */
import { PgClient } from "@effect/sql-pg/PgClient"
import { Effect, Layer, Stream } from "effect"
import type { NewAuditEntry } from "../../../core/domain/AuditRepository.ts"
import { type RotationChange, RotationRepository } from "../../../core/pool/RotationRepository.ts"
import { note } from "../administration/AuditRepositoryPostgres.ts"
import { orUnavailable } from "../connection/PostgresErrors.ts"
import { storable } from "../connection/Texts.ts"
import { Changes, type StoreChange } from "../nodes/Changes.ts"

export const layer = Layer.effect(
  RotationRepository,
  Effect.gen(function* () {
    const sql = yield* PgClient
    const changes = yield* Changes
    return {
      disabled: sql<{ readonly deployment: string }>`SELECT deployment FROM disabled_deployments`.pipe(
        Effect.map((rows): ReadonlySet<string> => new Set(rows.map((row) => row.deployment))),
        orUnavailable
      ),
      setDisabled: Effect.fn("RotationRepository.setDisabled")(
        function* (deployments: ReadonlyArray<string>, disable: boolean, entries: ReadonlyArray<NewAuditEntry> = []) {
          const texts = JSON.stringify(deployments.map(storable))
          yield* disable
            ? sql`INSERT INTO disabled_deployments SELECT json_array_elements_text(${texts}::json) ON CONFLICT DO NOTHING`
            : sql`DELETE FROM disabled_deployments WHERE deployment IN (SELECT json_array_elements_text(${texts}::json))`
          yield* note(sql, ...entries)
          return yield* changes.note(sql, { what: "rotation", id: "" })
        },
        sql.withTransaction,
        orUnavailable,
        Effect.flatMap(changes.inForce)
      ),
      reset: (deployments) =>
        Effect.gen(function* () {
          let last = 0
          for (const id of deployments) last = yield* changes.note(sql, { what: "reset", id: storable(id) })
          return last
        }).pipe(sql.withTransaction, orUnavailable, Effect.flatMap(changes.inForce)),
      changes: Stream.unwrap(changes.join).pipe(Stream.filter(isAboutRotation), Stream.map(rotationChange))
    }
  })
)

const isAboutRotation = ({ what }: StoreChange): boolean => what !== "key" && what !== "team" && what !== "end_user"

const rotationChange = (change: StoreChange): RotationChange =>
  change.what === "reset" ? change : { what: "rotation" }
