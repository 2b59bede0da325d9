/** What changes a team in Postgres. */
import type { PgClient } from "@effect/sql-pg/PgClient"
import { Effect } from "effect"
import type { SqlError } from "effect/sql"
import type { Budget } from "../../../core/domain/Budget.ts"
import type { FlushQueue } from "../ledger/Flusher.ts"
import type { NewAuditEntry } from "../../../core/domain/AuditRepository.ts"
import type { StoreUnavailable } from "../../../core/domain/Errors.ts"
import type { ChangeNotice, KeyRepository, TeamRecord } from "../../../core/keys/KeyRepository.ts"
import { keptWindows, PUT_PERSONAL_KEYS, PUT_TEAM, teamRow } from "../../records/KeyRows.ts"
import { note } from "../administration/StatementsPostgres.ts"
import { storable } from "../connection/Texts.ts"

export type ChangePostgres = <A>(
  notice: ChangeNotice,
  run: Effect.Effect<A, SqlError.SqlError>
) => Effect.Effect<A, StoreUnavailable>

/** Runs in the transaction of the change. `before` is the budgets as JSON. */
type ForgetWindows = (
  scope: string,
  before: string | undefined,
  after: ReadonlyArray<Budget>
) => Effect.Effect<void, SqlError.SqlError>

/** Drops the marks of windows whose budgets are not in force before and after the change, to compute them anew. */
export const makeForgetWindows =
  (sql: PgClient, flusher: FlushQueue): ForgetWindows =>
  (scope, before, after) =>
    sql`DELETE FROM budget_windows WHERE scope = ${scope}
      AND "window" NOT IN (SELECT json_array_elements_text(${keptWindows(before, after)}::json))`.pipe(
      Effect.andThen(Effect.sync(() => flusher.forgetMarks()))
    )

export const makeTeams = (
  sql: PgClient,
  change: ChangePostgres,
  forgetWindows: ForgetWindows
): Pick<KeyRepository["Service"], "putTeam" | "putPersonalKeys" | "deleteTeam"> => {
  const before = (name: string) =>
    Effect.map(
      sql<{ budgets: string }>`SELECT budgets FROM teams WHERE name = ${name} FOR UPDATE`,
      ([row]) => row?.budgets
    )

  /** `changes`: what is written of a team that exists. */
  const put = (team: TeamRecord, changes: string, entry?: NewAuditEntry) => {
    const name = storable(team.name)
    return Effect.andThen(
      sql`INSERT INTO teams ${sql.insert({ ...teamRow(team), name, search: name.toLowerCase() })}
        ON CONFLICT (name) DO UPDATE SET ${sql.literal(changes)}, updated_at = excluded.updated_at`,
      note(sql, entry)
    )
  }

  const putTeam = Effect.fn("KeyRepository.putTeam")((team: TeamRecord, entry?: NewAuditEntry) =>
    change(
      { what: "team", id: team.name },
      Effect.gen(function* () {
        const name = storable(team.name)
        yield* forgetWindows(`team:${name}`, yield* before(name), team.budgets)
        yield* put(team, PUT_TEAM, entry)
      })
    )
  )

  const putPersonalKeys = Effect.fn("KeyRepository.putPersonalKeys")((team: TeamRecord, entry?: NewAuditEntry) =>
    change({ what: "team", id: team.name }, put(team, PUT_PERSONAL_KEYS, entry))
  )

  const naming = (team: string) =>
    Effect.map(
      sql<{ count: number }>`SELECT count(*)::int AS count FROM keys WHERE team = ${team} AND revoked_at IS NULL`,
      ([row]) => row?.count ?? 0
    )

  const deleteTeam = Effect.fn("KeyRepository.deleteTeam")((name: string, force: boolean, entry?: NewAuditEntry) =>
    change(
      { what: "team", id: name },
      Effect.gen(function* () {
        const team = storable(name)
        const budgets = yield* before(team)
        const keys = yield* naming(team)
        if (keys > 0 && !force) return { isDeleted: false, keys }
        yield* forgetWindows(`team:${team}`, budgets, [])
        const deleted = yield* sql`DELETE FROM teams WHERE name = ${team} RETURNING name`
        if (deleted.length > 0) yield* note(sql, entry)
        return { isDeleted: deleted.length > 0, keys }
      })
    )
  )

  return { putTeam, putPersonalKeys, deleteTeam }
}
