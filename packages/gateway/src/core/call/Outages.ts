/** Combines the failures of several providers into what the caller is told when no deployment is left. */
import { Exhausted } from "../domain/Errors.ts"
import type { ProviderFailure } from "../domain/Failures.ts"

export class Outages {
  private shortestWait: number | undefined
  /** The last failure of any other class than rate limits, unknown models and full connections; those three have a field each. */
  private other: ProviderFailure | undefined
  private limited: ProviderFailure | undefined
  private unknown: ProviderFailure | undefined
  private full: ProviderFailure | undefined

  /** A deployment failed with every key that could be tried. */
  add(failure: ProviderFailure): void {
    if (failure.class === "rate_limited") this.limited = failure
    else if (failure.class === "model_not_found") this.unknown = failure
    else if (failure.class === "connections_full") this.full = failure
    else this.other = failure
  }

  /** Notes the wait that a provider asked for, with any key. */
  waits({ retryAfterMs }: ProviderFailure): void {
    if (retryAfterMs !== undefined) this.shortestWait = Math.min(this.shortestWait ?? Infinity, retryAfterMs)
  }

  /**
   * Any other failure wins over a rate limit, a rate limit over full connections, and those over an unknown model. Undefined where
   * no provider failed.
   */
  exhausted(attempts: number): Exhausted | undefined {
    const failure = this.other ?? this.limited ?? this.full ?? this.unknown
    if (failure === undefined) return undefined
    const { class: name, message, status } = failure
    const wait = this.shortestWait === undefined ? {} : { retryAfterMs: this.shortestWait }
    return new Exhausted({ class: name, status, message, attempts, ...wait })
  }
}
