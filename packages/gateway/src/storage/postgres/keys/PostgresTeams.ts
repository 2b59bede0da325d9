/** Lists teams and budgets in Postgres, and changes teams. */
import type { PgClient } from "@effect/sql-pg/PgClient"
import { Effect, Option } from "effect"
import type { SqlError } from "effect/sql"
import type { NewAuditEntry } from "../../../core/domain/AuditRepository.ts"
import type { StoreUnavailable } from "../../../core/domain/Errors.ts"
import type { ChangeNotice, KeyRepository, TeamFilter, TeamRecord } from "../../../core/keys/KeyRepository.ts"
import { makeBudgeted } from "../../records/BudgetedRows.ts"
import { listedTeam, type ListedTeamRow, type TeamRow, teamFromRow, teamRow } from "../../records/KeyRows.ts"
import { seenTeams } from "../../records/SeenRows.ts"
import { note } from "../administration/AuditRepositoryPostgres.ts"
import { orUnavailable } from "../connection/PostgresErrors.ts"
import { storable } from "../connection/Texts.ts"
import type { ForgetWindows } from "./PostgresBudgetChange.ts"

export type ChangePostgres = <A>(
  notice: ChangeNotice,
  run: Effect.Effect<A, SqlError.SqlError>
) => Effect.Effect<A, StoreUnavailable>

export const makeTeams = (
  sql: PgClient,
  change: ChangePostgres,
  forgetWindows: ForgetWindows
): Pick<
  KeyRepository["Service"],
  "findTeam" | "putTeam" | "putPersonalKeys" | "teams" | "keysOf" | "deleteTeam" | "budgeted" | "count"
> => {
  const findTeam = Effect.fn("KeyRepository.findTeam")(function* (name: string) {
    const rows = yield* orUnavailable(sql<TeamRow>`SELECT * FROM teams WHERE name = ${storable(name)}`)
    return rows[0] === undefined ? Option.none<TeamRecord>() : Option.some(yield* teamFromRow(rows[0]))
  })

  const before = (name: string) =>
    Effect.map(
      sql<{ budgets: string }>`SELECT budgets FROM teams WHERE name = ${name} FOR UPDATE`,
      ([row]) => row?.budgets
    )

  const putTeam = Effect.fn("KeyRepository.putTeam")((team: TeamRecord, entry?: NewAuditEntry) =>
    change(
      { what: "team", id: team.name },
      Effect.gen(function* () {
        const name = storable(team.name)
        yield* forgetWindows(`team:${name}`, yield* before(name), team.budgets)
        yield* sql`INSERT INTO teams ${sql.insert({ ...teamRow(team), name, search: name.toLowerCase() })}
          ON CONFLICT (name) DO UPDATE SET limits = excluded.limits, budgets = excluded.budgets,
            rules = excluded.rules, updated_at = excluded.updated_at`
        yield* note(sql, entry)
      })
    )
  )

  const putPersonalKeys = Effect.fn("KeyRepository.putPersonalKeys")((team: TeamRecord, entry?: NewAuditEntry) =>
    change(
      { what: "team", id: team.name },
      Effect.gen(function* () {
        const name = storable(team.name)
        yield* sql`INSERT INTO teams ${sql.insert({ ...teamRow(team), name, search: name.toLowerCase() })}
          ON CONFLICT (name) DO UPDATE SET personal_keys = excluded.personal_keys, updated_at = excluded.updated_at`
        yield* note(sql, entry)
      })
    )
  )

  const teams = Effect.fn("KeyRepository.teams")(function* ({ after, limit, search, visibility }: TeamFilter) {
    const conditions = [sql`TRUE`, ...seenTeams(sql, visibility, "named.name")]
    if (after !== undefined) conditions.push(sql`named.name > ${storable(after)}`)
    if (search !== undefined)
      conditions.push(sql`strpos(coalesce(search, lower(named.name)), ${storable(search.toLowerCase())}) > 0`)
    const rows = yield* orUnavailable(
      sql<ListedTeamRow>`SELECT named.name, limits, budgets, rules, personal_keys, updated_at,
        (SELECT count(*) FROM keys WHERE team = named.name AND revoked_at IS NULL)::int AS keys
        FROM (SELECT name FROM teams UNION SELECT team FROM keys WHERE team IS NOT NULL AND revoked_at IS NULL) AS named
        LEFT JOIN teams ON teams.name = named.name
        WHERE ${sql.and(conditions)} ORDER BY named.name LIMIT ${limit + 1}`
    )
    const found = yield* Effect.forEach(rows.slice(0, limit), listedTeam)
    return { teams: found, hasMore: rows.length > limit }
  })

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

  const budgeted = makeBudgeted(sql, orUnavailable)

  const count = sql<{ count: number }>`SELECT count(*)::int AS count FROM keys WHERE revoked_at IS NULL`.pipe(
    Effect.map(([row]) => row?.count ?? 0),
    orUnavailable
  )

  return {
    findTeam,
    putTeam,
    putPersonalKeys,
    teams,
    keysOf: (team) => orUnavailable(naming(storable(team))),
    deleteTeam,
    budgeted,
    count
  }
}
