/** Keys of a status, in the order of `core/KeyStore.statusOf`. */
import type { SqlClient } from "effect/sql"
import type { KeyFilter } from "../../core/keys/KeyRepository.ts"

export const hasStatus = (sql: SqlClient.SqlClient, status: NonNullable<KeyFilter["status"]>, now: number) => {
  const expired = sql`(expires_at IS NOT NULL AND expires_at <= ${now})`
  switch (status) {
    case "revoked":
      return sql`revoked_at IS NOT NULL`
    case "expired":
      return sql`revoked_at IS NULL AND ${expired}`
    case "disabled":
      return sql`revoked_at IS NULL AND NOT ${expired} AND disabled = 1`
    case "active":
      return sql`revoked_at IS NULL AND NOT ${expired} AND disabled = 0`
  }
}
