/** Which deployments are out of rotation, in Postgres. */
import { PgClient } from "@effect/sql-pg/PgClient"
import { Effect, Layer } from "effect"
import type { NewAuditEntry } from "../../../core/audit/AuditRepository.ts"
import { RotationRepository } from "../../../core/pool/RotationRepository.ts"
import { note } from "../administration/AuditRepositoryPostgres.ts"
import { orUnavailable } from "../connection/Errors.ts"
import { storable } from "../connection/Texts.ts"

export const layer = Layer.effect(
  RotationRepository,
  Effect.gen(function* () {
    const sql = yield* PgClient
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
        },
        sql.withTransaction,
        orUnavailable
      )
    }
  })
)
