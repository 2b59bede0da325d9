/** What adds traffic to Postgres. */
import { PgClient } from "@effect/sql-pg/PgClient"
import { Effect, Layer } from "effect"
import { TrafficRepository } from "../../../core/admin/TrafficRepository.ts"
import { textOf, type TrafficRow } from "../../../core/admin/TrafficRow.ts"
import { decodeSums, encodeSums } from "../../../core/admin/TrafficSums.ts"
import { Statements } from "../../records/Statements.ts"
import { makeTraffic, type StoredTraffic } from "../../records/TrafficRows.ts"
import { orUnavailable } from "../connection/PostgresErrors.ts"
import { storable } from "../connection/Texts.ts"
import { layer as statements } from "./StatementsPostgres.ts"

const nameOf = ({ cut, dimensions, grain, start }: Omit<StoredTraffic, "sums">): string =>
  `${cut} ${grain} ${start} ${dimensions}`

const traffic = Layer.effect(
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

    return { add, ...makeTraffic(yield* Statements) }
  })
)

export const layer = Layer.provide(traffic, statements)
