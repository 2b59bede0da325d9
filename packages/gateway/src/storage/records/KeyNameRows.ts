/** The names of keys, for reports grouped by key. */
import { Effect } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import type { KeyName } from "../../core/keys/KeyRepository.ts"

/** IDs per statement. */
const AT_ONCE = 500

/** IDs without a key have no entry. */
export const makeKeyNames = (sql: SqlClient.SqlClient) =>
  Effect.fnUntraced(function* (
    ids: ReadonlyArray<string>
  ): Effect.fn.Return<ReadonlyArray<KeyName>, SqlError.SqlError> {
    const found: Array<KeyName> = []
    for (let from = 0; from < ids.length; from += AT_ONCE) {
      const some = ids.slice(from, from + AT_ONCE)
      found.push(...(yield* sql<KeyName>`SELECT id, name FROM keys WHERE ${sql.in("id", some)}`))
      yield* Effect.yieldNow
    }
    return found
  })
