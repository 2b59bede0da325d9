/** The condition that a row is visible to a caller. */
import type { SqlClient, Statement } from "effect/sql"
import type { Visibility } from "../../core/domain/Principal.ts"

/** `column` holds the name of a team. No condition where everything is visible. */
export const seenTeams = (
  sql: SqlClient.SqlClient,
  visibility: Visibility,
  column = "team"
): ReadonlyArray<Statement.Fragment> =>
  visibility === "all" ? [] : [sql`${sql.literal(column)} IN ${sql.in(visibility.teams)}`]
