/** An admitted request, and the limits that it counts under. */
import { Effect, Scope } from "effect"
import type { RateLimited, StoreUnavailable } from "../domain/Errors.ts"
import type { LimitedScope, Subject } from "./Subject.ts"

/** An admitted request: a handle whose content only its limiter knows. */
export interface Permit {
  /** Counts expected tokens once the body is read, and `more` limits that it shows. A refusal returns the request. Run it once. */
  expect(
    tokens: number,
    more?: ReadonlyArray<LimitedScope>
  ): Effect.Effect<void, RateLimited | StoreUnavailable, Scope.Scope>
  /** Gives back the request, which then uses nothing of `rpm`. Does nothing once `expect` succeeded. */
  readonly cancel: Effect.Effect<void>
  /** Replaces the expected tokens with the used ones. Only the first run counts. */
  settle(tokens: number): Effect.Effect<void, StoreUnavailable>
  /** Frees the slot of `max_parallel` before the Scope closes. */
  readonly leave: Effect.Effect<void, StoreUnavailable>
}

export interface AttemptPermit extends Permit {
  /** Gives back all that it took: the attempt was not made. */
  readonly undo: Effect.Effect<void>
}

/** What a permit asks of the limiter that admitted it. */
export interface PermitLimiter {
  readonly expect: (permit: Admitted, tokens: number, more: ReadonlyArray<LimitedScope>) => ReturnType<Permit["expect"]>
  /** Replaces what is expected in these places. */
  readonly settle: (places: ReadonlyArray<Place>, used: number) => Effect.Effect<void>
}

/** A request's place in the counts of one scope. */
export class Place {
  readonly of: LimitedScope
  subject: Subject
  /** Its entries in the subject's logs. */
  private request: number | undefined
  private tokens: number | undefined
  private expected = 0
  private isRunning = false

  constructor(of: LimitedScope, subject: Subject) {
    this.of = of
    this.subject = subject
  }

  /** The scope was forgotten, as nothing of it was in use, and is known anew. */
  renew(subject: Subject): void {
    this.subject = subject
    this.request = undefined
  }

  enter(now: number): void {
    this.request = this.subject.enter(this.of.limits, now)
    this.isRunning = true
  }

  free(): void {
    if (this.isRunning) this.subject.running--
    this.isRunning = false
  }

  giveBack(): void {
    if (this.request !== undefined) this.subject.log.correct(this.request, -1)
  }

  expect(tokens: number, now: number): void {
    const { tpm } = this.of.limits
    if (tpm === undefined) return
    this.expected = Math.min(tokens, tpm)
    this.tokens = this.subject.expect(this.expected, now)
  }

  /** Replaces the expected tokens with the used ones, those beyond in what is known of the scope now. */
  settle(used: number, at: number, known: Subject): void {
    if (this.tokens === undefined) return
    if (used < this.expected) this.subject.correctTokens(this.tokens, used - this.expected)
    if (used > this.expected) known.addLate(at, used - this.expected)
  }
}

/** Lets go of the permit: V8 may put the Scope in old space, which would keep the permit until the next full collection. */
const endOf = (permit: Admitted | undefined) => () =>
  Effect.sync(() => {
    permit?.giveBack()
    permit?.free()
    permit = undefined
  })

export class Admitted implements AttemptPermit {
  readonly keyId: string
  places: ReadonlyArray<Place>
  private readonly limiter: PermitLimiter
  private isCounted = false
  private isSettled = false
  private endsWithScope = false

  constructor(limiter: PermitLimiter, places: ReadonlyArray<Place>, keyId: string) {
    this.limiter = limiter
    this.places = places
    this.keyId = keyId
  }

  /** Its tokens are expected: from now on the request counts. */
  count(more: ReadonlyArray<Place>, tokens: number, now: number): void {
    this.isCounted = true
    if (more.length > 0) this.places = [...this.places, ...more]
    for (const place of this.places) place.expect(tokens, now)
  }

  expect(
    tokens: number,
    more: ReadonlyArray<LimitedScope> = []
  ): Effect.Effect<void, RateLimited | StoreUnavailable, Scope.Scope> {
    return this.limiter.expect(this, tokens, more)
  }

  settle(used: number): Effect.Effect<void> {
    return Effect.suspend(() => {
      if (this.isSettled || !this.isCounted) return Effect.void
      this.isSettled = true
      return this.limiter.settle(this.places, used)
    })
  }

  /** Gives all back when the Scope closes. `Effect.addFinalizer` would keep all services for that: two large maps a request. */
  endWithScope(): Effect.Effect<this, never, Scope.Scope> {
    if (this.endsWithScope) return Effect.succeed(this)
    this.endsWithScope = true
    return Scope.Scope.use((scope) => Effect.as(Scope.addFinalizerExit(scope, endOf(this)), this))
  }

  free(): void {
    for (const place of this.places) place.free()
  }

  /** Takes the request out of `rpm` unless its tokens are expected. */
  giveBack(): void {
    if (this.isCounted) return
    this.isCounted = true
    for (const place of this.places) place.giveBack()
  }

  get cancel(): Effect.Effect<void> {
    return Effect.sync(() => this.giveBack())
  }

  get undo(): Effect.Effect<void> {
    return Effect.suspend(() => {
      this.isCounted = false
      this.giveBack()
      this.free()
      return Effect.ignore(this.settle(0))
    })
  }

  get leave(): Effect.Effect<void> {
    return Effect.sync(() => this.free())
  }
}
