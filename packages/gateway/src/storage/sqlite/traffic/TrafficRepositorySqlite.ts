/** What adds traffic to the store. */
import { Effect, Layer } from "effect"
import { TrafficRepository } from "../../../core/admin/TrafficRepository.ts"
import { textOf, type TrafficRow } from "../../../core/admin/TrafficRow.ts"
import { decodeSums, encodeSums } from "../../../core/admin/TrafficSums.ts"
import { Statements } from "../../records/Statements.ts"
import { makeTraffic } from "../../records/TrafficRows.ts"
import { layer as statements } from "../administration/StatementsSqlite.ts"
import { Writer } from "../writer/Writer.ts"

const traffic = Layer.effect(
  TrafficRepository,
  Effect.gen(function* () {
    const writer = yield* Writer
    const find = writer.db.prepare(
      "SELECT sums FROM traffic WHERE cut = ? AND grain = ? AND start = ? AND dimensions = ?"
    )
    const put = writer.db.prepare("INSERT OR REPLACE INTO traffic VALUES (?, ?, ?, ?, ?, ?, ?)")

    const add = ({ cut, dimensions, grain, start, sums }: TrafficRow): void => {
      const text = textOf(dimensions)
      const known = find.get(cut, grain, start, text)?.["sums"]
      if (typeof known === "string") sums.merge(decodeSums(known))
      put.run(cut, grain, start, dimensions.key, dimensions.team, text, encodeSums(sums))
    }

    return {
      add: (rows) =>
        writer.write(() => {
          // The caller's sums are not changed, because a failed write is repeated with them.
          for (const row of rows) add({ ...row, sums: decodeSums(encodeSums(row.sums)) })
        }),
      ...makeTraffic(yield* Statements)
    }
  })
)

export const layer = Layer.provide(traffic, statements)
