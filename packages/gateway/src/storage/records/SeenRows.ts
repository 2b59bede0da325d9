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
