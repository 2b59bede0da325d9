/** The lines of a run: one per check, and what they add up to. */
import { Cause, Effect } from "effect"

export class Checks {
  passed = 0
  failed = 0
  private readonly of: string

  /** `of` stands before each check's name: the client and its version. */
  constructor(of: string) {
    this.of = of
  }

  ok(name: string): void {
    this.passed++
    console.log(`ok   ${this.of}: ${name}`)
  }

  fail(name: string, why: string): void {
    this.failed++
    console.log(`FAIL ${this.of}: ${name}\n${why.replace(/^/gm, "     ")}`)
  }

  /** Passes when `test` succeeds. */
  check<R>(name: string, test: Effect.Effect<unknown, unknown, R>): Effect.Effect<void, never, R> {
    return Effect.matchCause(test, {
      onFailure: (cause) => this.fail(name, Cause.pretty(cause)),
      onSuccess: () => this.ok(name)
    })
  }
}
