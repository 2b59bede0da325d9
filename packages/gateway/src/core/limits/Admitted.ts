/** An admitted request, and the limits that it counts under. */
import { Effect, Scope } from "effect"
import type { Limits } from "../domain/Budget.ts"
import type { RateLimited, StoreUnavailable } from "../domain/Errors.ts"
import type { Short } from "../grants/Share.ts"
import { type LimitedScope, longest, type Subject } from "./Subject.ts"

/** An admitted request: a handle whose content only its limiter knows. */
export interface Permit {
  /** Counts expected tokens once the body is read, and `more` limits that it shows. A refusal returns the request. Run it once. */
  readonly expect: (
    tokens: number,
    more?: ReadonlyArray<LimitedScope>
  ) => Effect.Effect<void, RateLimited | StoreUnavailable, Scope.Scope>
  /** Gives back the request, which then uses nothing of `rpm`. Does nothing once `expect` succeeded. */
  readonly cancel: Effect.Effect<void>
  /** Replaces the expected tokens with the used ones. Only the first run counts. */
  readonly settle: (tokens: number) => Effect.Effect<void, StoreUnavailable>
  /** Frees the slot of `max_parallel` before the Scope closes. */
  readonly leave: Effect.Effect<void, StoreUnavailable>
}

export interface AttemptPermit extends Permit {
  /** Gives back all that it took: the attempt was not made. */
  readonly undo: Effect.Effect<void>
}

/** A scope, and those of its limits that count. */
export interface Part {
  readonly of: LimitedScope
  readonly subject: Subject
  readonly limits: Limits
}

/** The longest refusal of a request, if it is refused. */
export const refusalOf = (
  parts: ReadonlyArray<Part>,
  tokens: number,
  now: number,
  keyId: string
): RateLimited | undefined =>
  parts.reduce<RateLimited | undefined>(
    (refusal, { limits, subject }) => longest(refusal, subject.refusal(limits, tokens, now, keyId)),
    undefined
  )

/** What the shares of limits lack for a request; nothing where this process owns all. */
export const shortsOf = (parts: ReadonlyArray<Part>, tokens: number, now: number): ReadonlyArray<Short> =>
  parts.flatMap(({ limits, subject }) => subject.shorts(limits, tokens, now))

interface AdmittedSubject {
  readonly subject: Subject
  /** In the log of the subject. */
  readonly entry: number | undefined
}

export class Admitted implements AttemptPermit {
  settle: Permit["settle"] = nothingToSettle
  readonly expect: Permit["expect"]
  private entries: ReadonlyArray<AdmittedSubject>
  private isCounted = false
  private isFree = false
  private endsWithScope = false

  constructor(entries: ReadonlyArray<AdmittedSubject>, expect: Permit["expect"]) {
    this.entries = entries
    this.expect = expect
  }

  /** Takes the request's place in limits that its admission did not know. */
  enter(entries: ReadonlyArray<AdmittedSubject>): void {
    this.entries = this.isFree ? entries : [...this.entries, ...entries]
    this.isFree = false
  }

  /** Gives all back when the Scope closes. `Effect.addFinalizer` would keep all services for that: two large maps a request. */
  endWithScope(): Effect.Effect<void, never, Scope.Scope> {
    if (this.endsWithScope) return Effect.void
    this.endsWithScope = true
    const end = Effect.sync(() => {
      this.giveBack()
      this.free()
    })
    return Effect.flatMap(Effect.scope, (scope) => Scope.addFinalizer(scope, end))
  }

  /** Its tokens are expected: from now on the request counts. */
  counted(settle: Permit["settle"] | undefined): void {
    this.isCounted = true
    if (settle !== undefined) this.settle = settle
  }

  free(): void {
    if (this.isFree) return
    this.isFree = true
    for (const { subject } of this.entries) subject.running--
  }

  /** Takes the request out of `rpm` unless its tokens are expected. */
  giveBack(): void {
    if (this.isCounted) return
    this.isCounted = true
    for (const { entry, subject } of this.entries) if (entry !== undefined) subject.log.correct(entry, -1)
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

const nothingToSettle: Permit["settle"] = () => Effect.void
