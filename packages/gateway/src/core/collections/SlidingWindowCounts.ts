/** Counts of events, and of some of them, over the last milliseconds, in slices. A count lasts at most one slice longer. */
export class SlidingWindowCounts {
  private readonly sliceMs: number
  private readonly alls: Array<number>
  private readonly parts: Array<number>
  /** The number of the current slice, counted from the epoch. */
  private slice = 0
  private allSum = 0
  private partSum = 0

  constructor(windowMs: number, slices: number) {
    this.sliceMs = windowMs / slices
    this.alls = Array.from({ length: slices + 1 }, () => 0)
    this.parts = Array.from({ length: slices + 1 }, () => 0)
  }

  add(now: number, all: number, part: number): void {
    this.advance(now)
    const index = this.slice % this.alls.length
    this.alls[index]! += all
    this.parts[index]! += part
    this.allSum += all
    this.partSum += part
  }

  all(now: number): number {
    this.advance(now)
    return this.allSum
  }

  part(now: number): number {
    this.advance(now)
    return this.partSum
  }

  clear(): void {
    this.alls.fill(0)
    this.parts.fill(0)
    this.allSum = 0
    this.partSum = 0
  }

  /** If the clock goes back a little, events count into the slice that was already reached. */
  private advance(now: number): void {
    const slice = Math.floor(now / this.sliceMs)
    const slices = this.alls.length
    if (this.slice - slice >= slices) this.setBack(slice)
    if (slice <= this.slice) return
    const passed = Math.min(slice - this.slice, slices)
    for (let step = 0; step < passed; step++) {
      const index = (slice - step) % slices
      this.allSum -= this.alls[index]!
      this.partSum -= this.parts[index]!
      this.alls[index] = 0
      this.parts[index] = 0
    }
    this.slice = slice
  }

  /** If the clock was set back, old counts move to now. Otherwise they would last as long as the step. */
  private setBack(slice: number): void {
    const { allSum, partSum } = this
    this.clear()
    this.slice = slice
    const index = slice % this.alls.length
    this.allSum = this.alls[index] = allSum
    this.partSum = this.parts[index] = partSum
  }
}
