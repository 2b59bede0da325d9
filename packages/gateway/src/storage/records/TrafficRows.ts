/** Rows of `traffic`. */
import { type TrafficCut, dimensionsIn, type Grain, type TrafficRow } from "../../core/admin/TrafficRow.ts"
import { decodeSums } from "../../core/admin/TrafficSums.ts"

export interface StoredTraffic {
  readonly cut: TrafficCut
  readonly grain: Grain
  readonly start: number
  readonly dimensions: string
  readonly sums: string
}

export const trafficOf = ({ cut, dimensions, grain, start, sums }: StoredTraffic): TrafficRow => ({
  cut,
  grain,
  start,
  dimensions: dimensionsIn(dimensions),
  sums: decodeSums(sums)
})
