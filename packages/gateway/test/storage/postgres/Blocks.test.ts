/** Sums of days and months in Postgres. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { LedgerJournal } from "../../../src/core/ledger/LedgerJournal.ts"
import { listMonth } from "../../../src/storage/postgres/ledger/PostgresBlocks.ts"
import { mergeBefore } from "../../../src/storage/postgres/nodes/Janitor.ts"
import { inspection } from "../../../../model-gateway/src/store/reading/PostgresVerify.ts"
import { checkSums, DAY, plain, START, sumsOf, work } from "../BookedHours.ts"
import { everything, HOUR } from "../Support.ts"
import { isSkipped, storeDatabase } from "../../support/postgres/Databases.ts"
import { joinAt } from "../../support/postgres/Nodes.ts"
import { administer } from "../../support/postgres/Queries.ts"

describe.skipIf(isSkipped)("blocks in Postgres", () => {
  it.live("say what the rows say, beside rows that are not merged and months that are not listed", () =>
    Effect.gen(function* () {
      const url = yield* storeDatabase
      const { journal, sql } = yield* joinAt(url)
      const merge = (hour: number) => Effect.orDie(sql.withTransaction(mergeBefore(sql, hour / HOUR)))
      const list = Effect.orDie(sql.withTransaction(listMonth(sql)))
      const onIt = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
        effect.pipe(Effect.provideService(LedgerJournal, journal), Effect.provideService(SqlClient.SqlClient, sql))
      let isListed = false
      const follow = Effect.fnUntraced(function* (hour: number) {
        if (hour % (7 * HOUR) !== 0) return
        yield* merge(hour - 2 * HOUR)
        // January, while it is under way.
        if (!isListed) isListed = yield* list
      })
      const booked = yield* onIt(work(11, 20, follow))
      // February is not listed.
      yield* onIt(checkSums(booked, 30))
      assert.isTrue(yield* list)
      assert.isFalse(yield* list)
      yield* onIt(checkSums(booked, 30))
      assert.deepStrictEqual((yield* onIt(inspection)).differences, [])
      // Blocks are what is read.
      yield* administer(
        url,
        "UPDATE model_gateway.block_rollup SET cost = cost + 1000 WHERE key_id = '' AND hours > 24"
      )
      const year = { ...everything, from: START - 300 * DAY, to: START + 65 * DAY }
      const [sum] = (yield* onIt(sumsOf(year))).values()
      const [wanted] = plain(booked, year).values()
      assert.isAbove(Number(sum), Number(wanted))
      const kinds = (yield* onIt(inspection)).differences.map(({ kind, sum }) => `${kind} ${sum}`)
      assert.deepStrictEqual([...new Set(kinds)], ["block cost"])
    })
  )
})
