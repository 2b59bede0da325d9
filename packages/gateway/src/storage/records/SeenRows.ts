/** The condition that a row is visible to a caller. */
import type { SqlClient, Statement } from "effect/sql"
import type { Visibility } from "../../core/domain/Principal.ts"

/** `column` holds the name of a team, `key` the id of a key, if rows have one. No condition where everything is visible. */
export const seenTeams = (
  sql: SqlClient.SqlClient,
  visibility: Visibility,
  column = "team",
  key?: string
): ReadonlyArray<Statement.Fragment> => {
  if (visibility === "all") return []
  const ofTeams = sql`${sql.literal(column)} IN ${sql.in(visibility.teams)}`
  const { keys = [] } = visibility
  return [
    key === undefined || keys.length === 0 ? ofTeams : sql`(${ofTeams} OR ${sql.literal(key)} IN ${sql.in(keys)})`
  ]
}

/** For the audit log: what a person did, and what was done to the teams, their keys and their members. */
export const seenEntries = (sql: SqlClient.SqlClient, visibility: Visibility): ReadonlyArray<Statement.Fragment> => {
  if (visibility === "all") return []
  const teams = sql.in(visibility.teams)
  return [
    sql`(actor = ${visibility.owner ?? ""} OR (action LIKE 'teams.%' AND target IN ${teams})
      OR (action LIKE 'keys.%' AND target IN (SELECT id FROM keys WHERE team IN ${teams}))
      OR (action LIKE 'members.%' AND target IN (SELECT person FROM assignments WHERE team IN ${teams})))`
  ]
}
