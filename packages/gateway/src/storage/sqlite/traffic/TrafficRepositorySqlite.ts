/** Traffic over time in the store. Histograms are stored as text and merged here, because SQL can't merge them. */
import { Effect, Layer } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { TrafficRepository, type TrafficSlice } from "../../../core/admin/TrafficRepository.ts"
import { textOf, type TrafficRow } from "../../../core/admin/TrafficRow.ts"
import { decodeSums, encodeSums } from "../../../core/admin/TrafficSums.ts"
import { type StoredTraffic, trafficOf } from "../../records/TrafficRows.ts"
import { orUnavailable } from "../file/Reads.ts"
import { Writer } from "../writer/Writer.ts"

/** Rows per read and per deleting transaction, which take some milliseconds. */
const AT_ONCE = 1000

export const layer = Layer.effect(
  TrafficRepository,
  Effect.gen(function* () {
    const writer = yield* Writer
    const sql = yield* SqlClient.SqlClient
    const find = writer.db.prepare(
      "SELECT sums FROM traffic WHERE cut = ? AND grain = ? AND start = ? AND dimensions = ?"
    )
    const put = writer.db.prepare("INSERT OR REPLACE INTO traffic VALUES (?, ?, ?, ?, ?, ?, ?)")
    const prune = writer.db.prepare(`DELETE FROM traffic WHERE (cut, grain, start, dimensions) IN
      (SELECT cut, grain, start, dimensions FROM traffic WHERE cut = ? AND grain = ? AND start < ? LIMIT ${AT_ONCE})`)

    const add = ({ cut, dimensions, grain, start, sums }: TrafficRow): void => {
      const text = textOf(dimensions)
      const known = find.get(cut, grain, start, text)?.["sums"]
      if (typeof known === "string") sums.merge(decodeSums(known))
      put.run(cut, grain, start, dimensions.key, dimensions.team, text, encodeSums(sums))
    }

    const conditions = ({ cut, from, grain, key, team, to }: TrafficSlice): Array<Statement.Fragment> => [
      sql`cut = ${cut}`,
      sql`grain = ${grain}`,
      sql`start < ${to}`,
      ...(key === undefined ? [] : [sql`key_id = ${key} AND key_id <> ''`]),
      ...(team === undefined ? [] : [sql`team = ${team} AND team <> ''`]),
      sql`start >= ${from}`
    ]

    return {
      add: (rows) =>
        writer.write(() => {
          // The caller's sums are not changed, because a failed write is repeated with them.
          for (const row of rows) add({ ...row, sums: decodeSums(encodeSums(row.sums)) })
        }),
      read: Effect.fn("TrafficRepository.read")(function* (slice, visit) {
        let after: { readonly start: number; readonly dimensions: string } | undefined
        while (true) {
          const further = after === undefined ? [] : [sql`(start, dimensions) > (${after.start}, ${after.dimensions})`]
          const found = yield* orUnavailable(
            sql<StoredTraffic>`SELECT cut, grain, start, dimensions, sums FROM traffic
              WHERE ${sql.and([...conditions(slice), ...further])} ORDER BY start, dimensions LIMIT ${AT_ONCE}`
          )
          for (const row of found) visit(trafficOf(row))
          after = found.at(-1)
          if (found.length < AT_ONCE) return
          yield* Effect.yieldNow
        }
      }),
      prune: Effect.fn("TrafficRepository.prune")(function* (grain, before) {
        for (const cut of ["fleet", "callers"]) {
          while (Number(yield* writer.write(() => prune.run(cut, grain, before).changes)) === AT_ONCE) {
            yield* Effect.yieldNow
          }
        }
      })
    }
  })
)
