/** Conditions of lists of keys. Statuses are in the order of `core/KeyStore.statusOf`. */
import type { SqlClient, Statement } from "effect/sql"
import type { KeyFilter } from "../../core/keys/KeyRepository.ts"
import { seenTeams } from "./SeenRows.ts"

/** All but `after` and `search`, which the stores find by their own indexes. */
export const isListed = (sql: SqlClient.SqlClient, filter: KeyFilter): ReadonlyArray<Statement.Fragment> => {
  const { expiresBefore, now, owner, status, team, unusedSince, visibility } = filter
  return [
    sql`TRUE`,
    ...seenTeams(sql, visibility, "team", "id"),
    ...(team === undefined ? [] : [sql`team = ${team}`]),
    ...(owner === undefined ? [] : [sql`owner = ${owner}`]),
    ...(status === undefined ? [] : [hasStatus(sql, status, now)]),
    ...(unusedSince === undefined ? [] : [sql`coalesce(last_used_at, created_at) < ${unusedSince}`]),
    ...(expiresBefore === undefined ? [] : [sql`expires_at < ${expiresBefore}`])
  ]
}

const hasStatus = (sql: SqlClient.SqlClient, status: NonNullable<KeyFilter["status"]>, now: number) => {
  const expired = sql`(expires_at IS NOT NULL AND expires_at <= ${now})`
  // The policy begins with whether it is enabled.
  const allowed = sql`SELECT 1 FROM teams WHERE name = keys.team AND personal_keys LIKE ${'{"enabled":true%'}`
  const suspended = sql`(suspended = 1 OR (kind = 'personal' AND NOT EXISTS (${allowed})))`
  switch (status) {
    case "revoked":
      return sql`revoked_at IS NOT NULL`
    case "expired":
      return sql`revoked_at IS NULL AND ${expired}`
    case "disabled":
      return sql`revoked_at IS NULL AND NOT ${expired} AND disabled = 1`
    case "suspended":
      return sql`revoked_at IS NULL AND NOT ${expired} AND disabled = 0 AND ${suspended}`
    case "active":
      return sql`revoked_at IS NULL AND NOT ${expired} AND disabled = 0 AND NOT ${suspended}`
  }
}

/**
 * Suspends the personal keys of a person who is disabled or has no role in the key's team any more, and resumes the others. The first value
 * is the person; it returns ids. Each change of a key has another time.
 */
export const FOLLOW_PERSON = `UPDATE keys SET suspended = 1 - suspended, updated_at = updated_at + 1
  WHERE owner = ? AND kind = 'personal' AND revoked_at IS NULL AND suspended = (SELECT count(*) FROM people
    WHERE id = keys.owner AND status = 'active'
      AND EXISTS (SELECT 1 FROM assignments WHERE person = people.id AND assignments.team = keys.team)) RETURNING id`

/** How many keys of a person in a team are not revoked. */
export const OWN_KEYS = "SELECT count(*) AS count FROM keys WHERE owner = ? AND team = ? AND revoked_at IS NULL"
