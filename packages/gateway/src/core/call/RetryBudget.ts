/**
 * How many retries a process may make, so that a provider that is down does not get several times its usual traffic. Retries at a
 * healthy deployment do no harm: they are counted and never refused.
 */
import type { FailoverSettings } from "../domain/Settings.ts"
import { SlidingWindowCounts } from "../collections/SlidingWindowCounts.ts"

const SLICES = 20

export class RetryBudget {
  private readonly settings: FailoverSettings["retryBudget"]
  /** Requests, and the retries among them. */
  private readonly counts: SlidingWindowCounts

  constructor(settings: FailoverSettings["retryBudget"]) {
    this.settings = settings
    this.counts = new SlidingWindowCounts(settings.windowMs, SLICES)
  }

  request(now: number): void {
    this.counts.add(now, 1, 0)
  }

  retry(now: number): void {
    this.counts.add(now, 0, 1)
  }

  /** Whether one more retry fits. */
  hasRoom(now: number): boolean {
    const { extra, percent } = this.settings
    return this.counts.part(now) + 1 <= (this.counts.all(now) * percent) / 100 + extra
  }
}
