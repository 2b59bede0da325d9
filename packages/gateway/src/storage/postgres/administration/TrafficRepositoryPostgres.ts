/** Traffic over time in Postgres. Histograms are stored as text and merged here, because SQL can't merge them. */
import { PgClient } from "@effect/sql-pg/PgClient"
import { Effect, Layer } from "effect"
import type { Statement } from "effect/sql"
import { TrafficRepository, type TrafficSlice } from "../../../core/admin/TrafficRepository.ts"
import { textOf, type TrafficRow } from "../../../core/admin/TrafficRow.ts"
import { decodeSums, encodeSums } from "../../../core/admin/TrafficSums.ts"
import { type StoredTraffic, trafficOf } from "../../records/TrafficRows.ts"
import { orUnavailable } from "../connection/PostgresErrors.ts"
import { storable } from "../connection/Texts.ts"

/** Rows per read. */
const AT_ONCE = 1000

const nameOf = ({ cut, dimensions, grain, start }: Omit<StoredTraffic, "sums">): string =>
  `${cut} ${grain} ${start} ${dimensions}`

export const layer = Layer.effect(
  TrafficRepository,
  Effect.gen(function* () {
    const sql = yield* PgClient

    /** Other gateways may count the same minute, so additions to a row wait for each other. */
    const add = Effect.fn("TrafficRepository.add")(
      function* (rows: ReadonlyArray<TrafficRow>) {
        if (rows.length === 0) return
        yield* sql`SELECT pg_advisory_xact_lock(hashtextextended(current_schema() || ' traffic', 0))`
        const names = rows.map(({ cut, dimensions, grain, start }) => ({
          cut,
          grain,
          start,
          dimensions: storable(textOf(dimensions))
        }))
        const known = yield* sql<StoredTraffic>`SELECT t.cut, t.grain, t.start, t.dimensions, t.sums FROM traffic AS t
          JOIN json_to_recordset(${JSON.stringify(names)}::json) AS x(cut text, grain text, start bigint, dimensions text)
          ON t.cut = x.cut AND t.grain = x.grain AND t.start = x.start AND t.dimensions = x.dimensions`
        const merged = new Map(known.map((row) => [nameOf(row), decodeSums(row.sums)]))
        const written = new Map<string, object>()
        for (const [index, { dimensions, sums }] of rows.entries()) {
          const name = names[index]!
          // The caller's sums are not changed, because a failed write is repeated with them.
          const all = decodeSums(encodeSums(sums))
          const before = merged.get(nameOf(name))
          if (before !== undefined) all.merge(before)
          merged.set(nameOf(name), all)
          written.set(nameOf(name), {
            ...name,
            key_id: storable(dimensions.key),
            team: storable(dimensions.team),
            sums: encodeSums(all)
          })
        }
        yield* sql`INSERT INTO traffic (cut, grain, start, key_id, team, dimensions, sums)
          SELECT cut, grain, start, key_id, team, dimensions, sums
          FROM json_to_recordset(${JSON.stringify([...written.values()])}::json)
            AS x(cut text, grain text, start bigint, key_id text, team text, dimensions text, sums text)
          ON CONFLICT (cut, grain, start, dimensions) DO UPDATE SET sums = excluded.sums`
      },
      sql.withTransaction,
      orUnavailable
    )

    const conditions = ({ cut, from, grain, key, team, to }: TrafficSlice): Array<Statement.Fragment> => [
      sql`cut = ${cut}`,
      sql`grain = ${grain}`,
      sql`start < ${to}`,
      ...(key === undefined ? [] : [sql`key_id = ${storable(key)} AND key_id <> ''`]),
      ...(team === undefined ? [] : [sql`team = ${storable(team)} AND team <> ''`]),
      sql`start >= ${from}`
    ]

    return {
      add,
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
        }
      }),
      prune: (grain, before) =>
        orUnavailable(Effect.asVoid(sql`DELETE FROM traffic WHERE grain = ${grain} AND start < ${before}`))
    }
  })
)
