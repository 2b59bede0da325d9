/** Counts of values up to each boundary. Effect's own histogram looks up its series for each value. */
import type { Metric } from "effect"

export class Histogram {
  private readonly boundaries: ReadonlyArray<number>
  /** Values above the boundary before and up to this one; the last place is for those above all. */
  private readonly counts: Array<number>
  private count = 0
  private sum = 0
  private min = Number.MAX_VALUE
  private max = -Number.MAX_VALUE

  /** Ascending `boundaries`, without infinity. */
  constructor(boundaries: ReadonlyArray<number>) {
    this.boundaries = boundaries
    this.counts = Array<number>(boundaries.length + 1).fill(0)
  }

  readonly observe = (value: number): void => {
    const { boundaries } = this
    let place = 0
    while (place < boundaries.length && value > boundaries[place]!) place++
    this.counts[place]!++
    this.count++
    this.sum += value
    if (value < this.min) this.min = value
    if (value > this.max) this.max = value
  }

  get state(): Metric.HistogramState {
    const { count, max, min, sum } = this
    let upTo = 0
    const buckets = this.boundaries.map((boundary, place): [number, number] => [
      boundary,
      (upTo += this.counts[place]!)
    ])
    return { buckets, count, min, max, sum }
  }
}
