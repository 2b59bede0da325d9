/** Lists teams and budgets in the store, and deletes teams. */
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import type { NewAuditEntry } from "../../../core/domain/AuditRepository.ts"
import type { KeyRepository, TeamFilter } from "../../../core/keys/KeyRepository.ts"
import { orUnavailable } from "../file/Reads.ts"
import { forgetWindows } from "../ledger/SqliteBudgetChange.ts"
import { makeBudgeted } from "../../records/BudgetedRows.ts"
import { listedTeam, type ListedTeamRow } from "../../records/KeyRows.ts"
import { seenTeams } from "../../records/SeenRows.ts"
import type { Writer } from "../writer/Writer.ts"

const NAMING = "SELECT count(*) AS count FROM keys WHERE team = ? AND revoked_at IS NULL"

export const makeTeams = (
  sql: SqlClient.SqlClient,
  writer: Writer["Service"],
  note: (entry: NewAuditEntry) => void
): Pick<KeyRepository["Service"], "teams" | "keysOf" | "deleteTeam" | "budgeted" | "count"> => {
  const teams = Effect.fn("KeyRepository.teams")(function* ({ after, limit, search, visibility }: TeamFilter) {
    const conditions = [sql`TRUE`, ...seenTeams(sql, visibility, "named.name")]
    if (after !== undefined) conditions.push(sql`named.name > ${after}`)
    if (search !== undefined) conditions.push(sql`instr(lower(named.name), ${search.toLowerCase()}) > 0`)
    const rows = yield* orUnavailable(
      sql<ListedTeamRow>`SELECT named.name, limits, budgets, rules, personal_keys, updated_at,
        (SELECT count(*) FROM keys WHERE team = named.name AND revoked_at IS NULL) AS keys
        FROM (SELECT name FROM teams UNION SELECT team FROM keys WHERE team IS NOT NULL AND revoked_at IS NULL) AS named
        LEFT JOIN teams ON teams.name = named.name
        WHERE ${sql.and(conditions)} ORDER BY named.name LIMIT ${limit + 1}`
    )
    const found = yield* Effect.forEach(rows.slice(0, limit), listedTeam)
    return { teams: found, hasMore: rows.length > limit }
  })

  const keysOf = (team: string) =>
    sql<{ count: number }>`SELECT count(*) AS count FROM keys WHERE team = ${team} AND revoked_at IS NULL`.pipe(
      Effect.map(([row]) => row?.count ?? 0),
      orUnavailable
    )

  const deleteTeam = Effect.fn("KeyRepository.deleteTeam")((name: string, force: boolean, entry?: NewAuditEntry) =>
    writer.write((db) => {
      const keys = Number(db.prepare(NAMING).get(name)?.["count"] ?? 0)
      if (keys > 0 && !force) return { isDeleted: false, keys }
      const before = db.prepare("SELECT budgets FROM teams WHERE name = ?").get(name)
      forgetWindows(db, `team:${name}`, before?.["budgets"], [])
      const isDeleted = Number(db.prepare("DELETE FROM teams WHERE name = ?").run(name).changes) > 0
      if (isDeleted && entry !== undefined) note(entry)
      return { isDeleted, keys }
    })
  )

  const budgeted = makeBudgeted(sql, orUnavailable)

  const count = sql<{ count: number }>`SELECT count(*) AS count FROM keys WHERE revoked_at IS NULL`.pipe(
    Effect.map(([row]) => row?.count ?? 0),
    orUnavailable
  )

  return { teams, keysOf, deleteTeam, budgeted, count }
}
