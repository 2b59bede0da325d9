/** Hours of booked rows, and what a ledger has to say of them, whatever it has summed up. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { LedgerJournal } from "../../src/core/ledger/LedgerJournal.ts"
import type { SpendDimension, SpendQuery } from "../../src/core/ledger/Spend.ts"
import { seeded, settleDown } from "../core/call/Support.ts"
import { everything, HOUR, reservation, settlement } from "./Support.ts"

export const DAY = 24 * HOUR
/** The second half of January, so that a month ends on the way. */
export const START = Date.UTC(2026, 0, 20)

export interface Booked {
  readonly at: number
  readonly cost: number
  readonly key: string
  readonly team: string
  readonly model: string
}

/** Books rows at random times of each hour, some in the hour before, and gives the blocks time to follow. */
export const work = (seed: number, days: number, follow: (hour: number) => Effect.Effect<void> = () => settleDown) =>
  Effect.gen(function* () {
    const journal = yield* LedgerJournal
    const chance = seeded(seed)
    const booked: Array<Booked> = []
    for (let hour = START; hour < START + days * DAY; hour += HOUR) {
      // Some nights are quiet.
      if (chance.next() < 0.2) continue
      for (let count = chance.below(4); count > 0; count--) {
        const at = hour + chance.below(HOUR) - (chance.next() < 0.1 ? HOUR : 0)
        const key = `key_${chance.below(12)}`
        const row = { at, cost: chance.below(1000), key, team: `team_${chance.below(3)}`, model: `m${chance.below(3)}` }
        booked.push(row)
        yield* book(journal, booked.length, row)
      }
      yield* follow(hour)
    }
    yield* follow(START + days * DAY)
    return booked
  })

export const book = (journal: LedgerJournal["Service"], id: number, { at, cost, key, model, team }: Booked) =>
  journal.settle(
    // Every third asked for `auto`.
    settlement(reservation({ id, at, keyId: key, team, model, isAuto: id % 3 === 0 }), {
      cost,
      baseline: id % 3 === 0 ? 2 * cost : 0
    })
  )

/** The same sums in the plainest way. */
export const plain = (booked: ReadonlyArray<Booked>, query: SpendQuery) => {
  const sums = new Map<string, number>()
  for (const row of booked) {
    if (row.at < query.from || row.at >= query.to) continue
    if (query.key !== undefined && row.key !== query.key) continue
    if (query.team !== undefined && row.team !== query.team) continue
    const values = { key: row.key, team: row.team, model: row.model, day: new Date(row.at).toISOString().slice(0, 10) }
    const group = query.groupBy.map((dimension) => values[dimension as keyof typeof values]).join(" ")
    sums.set(group, (sums.get(group) ?? 0) + row.cost)
  }
  return sums
}

export const sumsOf = (query: SpendQuery) =>
  Effect.gen(function* () {
    const journal = yield* LedgerJournal
    return new Map((yield* journal.spend(query)).map((row) => [row.group.join(" "), row.cost]))
  })

/** Asks for many times and cuts of 20 days. */
export const checkSums = (booked: ReadonlyArray<Booked>, rounds = 150) =>
  Effect.gen(function* () {
    const chance = seeded(12)
    const cuts: ReadonlyArray<ReadonlyArray<SpendDimension>> = [
      [],
      ["key"],
      ["team"],
      ["model", "day"],
      ["key", "team"]
    ]
    for (let round = 0; round < rounds; round++) {
      const unit = chance.pick([1, HOUR, DAY])
      const from = Math.floor((START + chance.below(20 * DAY)) / unit) * unit
      const query: SpendQuery = {
        ...everything,
        from,
        to: from + unit * (1 + chance.below((20 * DAY) / unit)),
        key: chance.next() < 0.2 ? `key_${chance.below(12)}` : undefined,
        team: chance.next() < 0.2 ? `team_${chance.below(3)}` : undefined,
        groupBy: chance.pick(cuts)
      }
      assert.deepStrictEqual(new Map([...(yield* sumsOf(query))].sort()), new Map([...plain(booked, query)].sort()))
    }
  })
