/** Counts of values in buckets that grow by a tenth: percentiles are at most 5 % off. Histograms add up. */

const RATIO = 1.1
const LOG = Math.log(RATIO)
/** Values below 1 are in bucket 0, and count as 0. */
const bucketOf = (value: number): number => (value < 1 ? 0 : 1 + Math.floor(Math.log(value) / LOG))
/** From where a bucket counts. */
const beginOf = (bucket: number): number => (bucket === 0 ? 0 : RATIO ** (bucket - 1))
const middleOf = (bucket: number): number => (bucket === 0 ? 0 : RATIO ** (bucket - 0.5))

export class LogHistogram {
  count = 0
  max = 0
  private readonly buckets = new Map<number, number>()

  /** The reverse of `toJSON`. */
  static of([max = 0, ...pairs]: ReadonlyArray<number>): LogHistogram {
    const made = new LogHistogram()
    made.max = max
    for (let index = 0; index + 1 < pairs.length; index += 2) made.put(pairs[index]!, pairs[index + 1]!)
    return made
  }

  /** `value`: 0 or above. */
  add(value: number): void {
    if (value > this.max) this.max = value
    this.put(bucketOf(value), 1)
  }

  merge(other: LogHistogram): void {
    if (other.max > this.max) this.max = other.max
    for (const [bucket, count] of other.buckets) this.put(bucket, count)
  }

  /** The value that this share of all values does not exceed; null without any. `share`: 0 to 1. */
  quantile(share: number): number | null {
    if (this.count === 0) return null
    const rank = Math.max(1, Math.ceil(share * this.count))
    let seen = 0
    for (const bucket of [...this.buckets.keys()].sort((a, b) => a - b)) {
      seen += this.buckets.get(bucket)!
      if (seen >= rank) return Math.min(this.max, middleOf(bucket))
    }
    return this.max
  }

  /** What was counted, in the order of values, in classes of so many buckets: `from` inclusive, `to` exclusive. None is empty. */
  classes(width: number): ReadonlyArray<{ readonly from: number; readonly to: number; readonly count: number }> {
    const counts = new Map<number, number>()
    for (const [bucket, count] of this.buckets) {
      const first = Math.floor(bucket / width) * width
      counts.set(first, (counts.get(first) ?? 0) + count)
    }
    return Array.from(counts)
      .toSorted(([a], [b]) => a - b)
      .map(([first, count]) => ({ from: beginOf(first), to: beginOf(first + width), count }))
  }

  /** The greatest value, then pairs of bucket and count; empty without any value. */
  toJSON(): ReadonlyArray<number> {
    return this.count === 0 ? [] : [this.max, ...Array.from(this.buckets).flat()]
  }

  private put(bucket: number, count: number): void {
    this.buckets.set(bucket, (this.buckets.get(bucket) ?? 0) + count)
    this.count += count
  }
}
