/** Traffic over time in the store. Histograms are stored as text and merged here, because SQL can't merge them. */
import { Effect } from "effect"
import type { TrafficRepository, TrafficSlice } from "../../core/admin/TrafficRepository.ts"
import { dimensionsIn, type Grain, type TrafficCut, type TrafficRow } from "../../core/admin/TrafficRow.ts"
import { decodeSums } from "../../core/admin/TrafficSums.ts"
import { all, type Statements } from "./Statements.ts"

/** Rows per read and per deleting transaction, and rows that are decoded before other work. Each takes some milliseconds. */
const AT_ONCE = 1000
const DECODED_AT_ONCE = 200

const PRUNE = `DELETE FROM traffic WHERE (cut, grain, start, dimensions) IN
  (SELECT cut, grain, start, dimensions FROM traffic WHERE cut = ? AND grain = ? AND start < ? LIMIT ${AT_ONCE})`

export interface StoredTraffic {
  readonly cut: TrafficCut
  readonly grain: Grain
  readonly start: number
  readonly dimensions: string
  readonly sums: string
}

const trafficOf = ({ cut, dimensions, grain, start, sums }: StoredTraffic): TrafficRow => ({
  cut,
  grain,
  start,
  dimensions: dimensionsIn(dimensions),
  sums: decodeSums(sums)
})

/** All but what adds rows. */
export const makeTraffic = ({ read, write }: Statements["Service"]): Omit<TrafficRepository["Service"], "add"> => ({
  read: Effect.fn("TrafficRepository.read")(function* (slice: TrafficSlice, visit) {
    const { cut, from, grain, key, team, to } = slice
    let after: StoredTraffic | undefined
    while (true) {
      const [text, ...values] = all([
        ["cut = ? AND grain = ? AND start < ?", cut, grain, to],
        key === undefined ? undefined : ["key_id = ? AND key_id <> ''", key],
        team === undefined ? undefined : ["team = ? AND team <> ''", team],
        ["start >= ?", from],
        after === undefined ? undefined : ["(start, dimensions) > (?, ?)", after.start, after.dimensions]
      ])
      const found: ReadonlyArray<StoredTraffic> = yield* read<StoredTraffic>(
        `SELECT cut, grain, start, dimensions, sums FROM traffic WHERE ${text} ORDER BY start, dimensions LIMIT ${AT_ONCE}`,
        ...values
      )
      for (let at = 0; at < found.length; at += DECODED_AT_ONCE) {
        for (const row of found.slice(at, at + DECODED_AT_ONCE)) visit(trafficOf(row))
        yield* Effect.yieldNow
      }
      after = found.at(-1)
      if (found.length < AT_ONCE) return
    }
  }),
  prune: Effect.fn("TrafficRepository.prune")(function* (grain, before) {
    for (const cut of ["fleet", "callers"]) {
      while ((yield* write([[PRUNE, cut, grain, before]])) === AT_ONCE) yield* Effect.yieldNow
    }
  })
})
