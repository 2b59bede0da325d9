/**
 * A limiter of another kind: each admission is a row of one list, every question counts rows, and the list is far away, so that
 * each answer takes a turn of the event loop. It passes the contract with no other file changed.
 */
import { Clock, Effect, Layer, Semaphore } from "effect"
import type { Limits } from "../../src/core/domain/Budget.ts"
import { type LimitScope, RateLimited } from "../../src/core/domain/Errors.ts"
import type { Caller } from "../../src/core/keys/Caller.ts"
import { RateLimiter } from "../../src/core/limits/RateLimiter.ts"
import { WINDOW_MS } from "../../src/core/limits/Subject.ts"
import { rateLimiterMethods } from "./lawful.ts"
import { lawsContract } from "./laws.ts"
import { rateLimiterContract } from "./rateLimiter.ts"
import { rateLimiterPatternsContract } from "./rateLimiterPatterns.ts"

type Kind = RateLimited["kind"]

interface Row {
  readonly kind: Kind
  readonly subject: string
  at: number
  weight: number
}

/** What a request asks of one limit. */
interface Asked {
  readonly kind: Kind
  readonly scope: LimitScope
  readonly id: string
  readonly limit: number
  readonly weight: number
}

const limitsOf = (
  { key, team }: Caller,
  kinds: (limits: Limits) => ReadonlyArray<[Kind, number | undefined, number]>
) => {
  const asked: Array<Asked> = []
  const add = (scope: LimitScope, id: string, limits: Limits) => {
    for (const [kind, limit, weight] of kinds(limits)) {
      if (limit !== undefined) asked.push({ kind, scope, id, limit, weight: Math.min(weight, limit) })
    }
  }
  add("key", key.id, key.limits)
  if (team !== undefined) add("team", team.name, team.limits)
  return asked
}

const subjectOf = ({ id, scope }: Pick<Asked, "scope" | "id">): string => `${scope}:${id}`

/** The rows and the questions that are asked of them, each of which no other comes between. */
class FarList {
  rows: ReadonlyArray<Row> = []

  of(kind: Kind, subject: string, now: number): ReadonlyArray<Row> {
    return this.rows.filter((row) => row.kind === kind && row.subject === subject && this.counts(row, now))
  }

  refusal(asked: Asked, now: number, keyId: string): RateLimited | undefined {
    const rows = this.of(asked.kind, subjectOf(asked), now)
    const used = rows.reduce((sum, { weight }) => sum + weight, 0)
    let excess = used + asked.weight - asked.limit
    if (asked.kind === "parallel" ? used < asked.limit : excess <= 0) return undefined
    const last = rows.find((row) => (excess -= row.weight) <= 0)
    const waitMs = asked.kind === "parallel" ? 1_000 : last === undefined ? WINDOW_MS : last.at + WINDOW_MS - now
    const { id: subject, kind, limit, scope } = asked
    const retryAfterSeconds = Math.max(1, Math.ceil(waitMs / 1_000))
    return new RateLimited({ kind, scope, subject, keyId, limit, used, retryAfterSeconds, resetsAt: now + waitMs })
  }

  /** All or none. */
  take(asked: ReadonlyArray<Asked>, now: number, keyId: string): ReadonlyArray<Row> | RateLimited {
    this.clean(now)
    const refusals = asked.map((one) => this.refusal(one, now, keyId)).filter((one) => one !== undefined)
    const [first, ...others] = refusals
    if (first !== undefined) return others.reduce((a, b) => (b.retryAfterSeconds > a.retryAfterSeconds ? b : a), first)
    const taken = asked.map((one) => ({ kind: one.kind, subject: subjectOf(one), at: now, weight: one.weight }))
    this.rows = [...this.rows, ...taken]
    return taken
  }

  /** The clock may have been set back: what was used last counts as used now. */
  clean(now: number): void {
    const newest = this.rows.reduce((most, { at }) => Math.max(most, at), now)
    if (newest > now) for (const row of this.rows) row.at -= newest - now
    this.rows = this.rows.filter((row) => this.counts(row, now))
  }

  private counts(row: Row, now: number): boolean {
    return row.kind === "parallel" || row.at > now - WINDOW_MS
  }
}

const layer = Layer.effect(
  RateLimiter,
  Effect.gen(function* () {
    const list = new FarList()
    const turn = yield* Semaphore.make(1)
    const far = <A>(ask: (now: number) => A) =>
      turn.withPermit(Effect.andThen(Effect.yieldNow, Effect.map(Clock.currentTimeMillis, ask)))

    const admit = Effect.fnUntraced(function* (caller: Caller, tokens?: number) {
      const asked = limitsOf(caller, ({ maxParallel, rpm, tpm }) => [
        ["rpm", rpm, 1],
        ["tpm", tokens === undefined ? undefined : tpm, tokens ?? 0],
        ["parallel", maxParallel, 1]
      ])
      const first = yield* far((now) => list.take(asked, now, caller.key.id))
      if (first instanceof RateLimited) return yield* first
      let taken = first
      let isCounted = tokens !== undefined
      const cancel = Effect.sync(() => {
        if (!isCounted) list.rows = list.rows.filter((row) => row.kind !== "rpm" || !taken.includes(row))
        isCounted = true
      })
      const expect = Effect.fnUntraced(function* (tokens: number) {
        const asked = limitsOf(caller, ({ tpm }) => [["tpm", tpm, tokens]])
        const more = yield* far((now) => list.take(asked, now, caller.key.id))
        if (more instanceof RateLimited) {
          yield* cancel
          return yield* more
        }
        isCounted = true
        taken = [...taken, ...more]
      })
      const leave = far(() => {
        list.rows = list.rows.filter((row) => row.kind !== "parallel" || !taken.includes(row))
      })
      yield* Effect.addFinalizer(() => Effect.andThen(cancel, leave))
      let isSettled = false
      const settle = (used: number) =>
        far((now) => {
          if (isSettled) return
          isSettled = true
          for (const row of taken.filter(({ kind }) => kind === "tpm")) {
            const beyond = used - row.weight
            row.weight = Math.min(used, row.weight)
            if (beyond > 0) list.rows = [...list.rows, { ...row, at: now, weight: beyond }]
          }
        })
      return { expect, cancel, settle, leave, undo: leave }
    }, Effect.uninterruptible)

    const admitFeedback = Effect.fnUntraced(function* (caller: Caller) {
      const asked = limitsOf(caller, ({ rpm }) => [["feedback", rpm, 1]])
      const taken = yield* far((now) => list.take(asked, now, caller.key.id))
      if (taken instanceof RateLimited) return yield* taken
    })

    const allowances = ({ key }: Caller) =>
      far((now) => {
        list.clean(now)
        const allowance = (kind: Kind, limit: number | undefined) => {
          if (limit === undefined) return undefined
          const rows = list.of(kind, subjectOf({ scope: "key", id: key.id }), now)
          const remaining = Math.max(0, limit - rows.reduce((sum, { weight }) => sum + weight, 0))
          return { limit, remaining, resetMs: rows.length === 0 ? 0 : rows.at(-1)!.at + WINDOW_MS - now }
        }
        return { requests: allowance("rpm", key.limits.rpm), tokens: allowance("tpm", key.limits.tpm) }
      })

    const admitRules = () => Effect.die("its callers have no model rules")
    return { admit, admitRules, admitFeedback, allowances }
  })
)

rateLimiterContract("a list far away", layer)
rateLimiterPatternsContract("a list far away", layer)
lawsContract("RateLimiter · a list far away", layer, rateLimiterMethods)
