/** Names beside the ids of keys in rows of reports. */
import { Effect } from "effect"
import type { StoreUnavailable } from "../../core/domain/Errors.ts"
import type { KeyStore } from "../../core/keys/KeyStore.ts"

/** Rows that name a key get its present name; others stay as they are. */
export const withKeyNames = <Row extends { readonly key?: string | null }>(
  keys: KeyStore["Service"],
  rows: ReadonlyArray<Row>
): Effect.Effect<ReadonlyArray<Row & { readonly key_name?: string | null }>, StoreUnavailable> => {
  const ids = new Set(rows.flatMap(({ key }) => key ?? []))
  if (!rows.some((row) => row.key !== undefined)) return Effect.succeed(rows)
  return Effect.map(keys.names([...ids]), (found) => {
    const names = new Map(found.map(({ id, name }) => [id, name]))
    return rows.map((row) => ({ ...row, key_name: names.get(row.key ?? "") ?? null }))
  })
}
