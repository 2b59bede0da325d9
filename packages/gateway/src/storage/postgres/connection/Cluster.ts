/** A gateway with a `store.postgres.cluster` uses only a store of that name, so that a wrong database stays untouched. */
import type { PgClient } from "@effect/sql-pg/PgClient"
import { Effect } from "effect"
import { StoreUnusable } from "../../records/OpenErrors.ts"
import { quoted } from "./Client.ts"

export interface ClusterClaim {
  readonly place: string
  readonly schema: string
  /** The configured name; undefined if there is none. */
  readonly cluster: string | undefined
}

/** Checks the cluster of a current schema. An unused schema gets the configured name. */
export const claim = Effect.fnUntraced(function* (sql: PgClient, { cluster, place, schema }: ClusterClaim) {
  const name = yield* nameOf(sql)
  if (name === cluster) return
  if (name !== undefined) return yield* isAnothers({ place, schema, cluster }, name)
  const [store] = yield* sql<{ used: boolean }>`SELECT EXISTS (SELECT FROM keys) OR EXISTS (SELECT FROM ledger)
    OR EXISTS (SELECT FROM nodes) AS used`
  if (store?.used !== false) {
    return yield* new StoreUnusable({
      message: `The schema ${schema} of ${place} is in use and has no name, and this configuration is of the cluster ${cluster}: correct store.postgres.url, choose another store.postgres.schema, or, if it is this cluster's, run there: INSERT INTO ${quoted(schema)}.meta VALUES ('cluster', '${cluster}').`
    })
  }
  yield* sql`INSERT INTO meta VALUES ('cluster', convert_to(${cluster}, 'UTF8'))`
})

/** For read-only use: if both have a name, they must be equal. */
export const mayRead = Effect.fnUntraced(function* (sql: PgClient, wanted: ClusterClaim) {
  const name = wanted.cluster === undefined ? undefined : yield* nameOf(sql)
  if (name !== undefined && name !== wanted.cluster) return yield* isAnothers(wanted, name)
})

const nameOf = (sql: PgClient) =>
  Effect.map(
    sql<{ name: string }>`SELECT convert_from(value, 'UTF8') AS name FROM meta WHERE name = 'cluster'`,
    ([row]): string | undefined => row?.name
  )

const isAnothers = ({ cluster, place, schema }: ClusterClaim, name: string) =>
  new StoreUnusable({
    message: `The schema ${schema} of ${place} is the store of the cluster ${name}, and this configuration names ${cluster === undefined ? "none" : `the cluster ${cluster}`}: correct store.postgres.url or store.postgres.cluster, or choose another store.postgres.schema.`
  })
