/** What the providers that failed for one request come to, all together: what its caller is told when none is left. */
import { Exhausted } from "../domain/Errors.ts"
import type { ProviderFailure } from "../domain/Failures.ts"

export class Outages {
  private shortestWait: number | undefined
  /** The last failure, rate limits, unknown models and full connections left out; of each of those the last one. */
  private other: ProviderFailure | undefined
  private limited: ProviderFailure | undefined
  private unknown: ProviderFailure | undefined
  private full: ProviderFailure | undefined

  /** A deployment failed, with all keys that could be tried. */
  add(failure: ProviderFailure): void {
    if (failure.class === "rate_limited") this.limited = failure
    else if (failure.class === "model_not_found") this.unknown = failure
    else if (failure.class === "connections_full") this.full = failure
    else this.other = failure
  }

  /** What a provider asked for, with whichever key. */
  waits({ retryAfterMs }: ProviderFailure): void {
    if (retryAfterMs !== undefined) this.shortestWait = Math.min(this.shortestWait ?? Infinity, retryAfterMs)
  }

  /**
   * Limited only when all that know the model are, unknown only when it is so to all; that there was no room is told only where
   * nothing else is. Undefined where no provider has failed.
   */
  exhausted(attempts: number): Exhausted | undefined {
    const failure = this.other ?? this.limited ?? this.full ?? this.unknown
    if (failure === undefined) return undefined
    const { class: name, message, status } = failure
    const wait = this.shortestWait === undefined ? {} : { retryAfterMs: this.shortestWait }
    return new Exhausted({ class: name, status, message, attempts, ...wait })
  }
}
