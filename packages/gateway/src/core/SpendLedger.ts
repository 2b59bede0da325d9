/**
 * Money in, money out. A request first reserves the worst it can cost, against its key and its team, in all their budget windows,
 * all or none; then it settles exactly, or is voided. Check and change are one synchronous step, which is exact because one
 * process owns the store; the rows follow in the group commit of the same turn.
 */
import { Clock, Context, Effect, Layer, Semaphore } from "effect"
import { BudgetWindow, spanAt } from "./BudgetWindow.ts"
import type { Deployment } from "./Deployment.ts"
import { BudgetExceeded, type LimitScope } from "./Errors.ts"
import type { Caller } from "./KeyStore.ts"
import type { NanoUsd } from "./Money.ts"
import { costOf, outputThatFits, worstCase } from "./Pricing.ts"
import {
  type Budget,
  LedgerJournal,
  type ReservationRow,
  type SpendQuery,
  type SpendRow,
  type StoreUnavailable
} from "./Store.ts"
import { noUsage, type Usage } from "./Usage.ts"

/** One attempt that wants to be made. */
export interface Intent {
  readonly requestId: string
  /** 0 for the first. */
  readonly attempt: number
  readonly caller: Caller
  readonly deployment: Deployment
  /** Upper bound of the input tokens; asked again, exactly, only when the first does not fit. */
  readonly inputBound: number
  readonly countInput: Effect.Effect<number>
  /** Output tokens the caller limits each choice to; undefined when it gave no limit. */
  readonly maxOutput: number | undefined
  readonly choices: number
  readonly tags: ReadonlyArray<string>
}

/** Money held for one attempt, until it is settled or voided. */
export interface Reservation {
  readonly row: ReservationRow
  readonly deployment: Deployment
  /** Output tokens per choice that the reservation covers, where the upstream has to be told; undefined: as the caller said. */
  readonly maxOutput: number | undefined
  readonly holds: ReadonlyArray<BudgetWindow>
  closed: boolean
}

/** How an attempt ended. */
export interface Outcome {
  readonly usage: Usage
  readonly estimated: boolean
  readonly counts: "request" | "failed_request" | "nothing"
}

export interface BudgetState {
  readonly budget: Budget
  readonly spent: NanoUsd
  readonly reserved: NanoUsd
  /** Epoch ms; null for a budget that never resets. */
  readonly resetsAt: number | null
}

export class SpendLedger extends Context.Service<
  SpendLedger,
  {
    readonly reserve: (intent: Intent) => Effect.Effect<Reservation, BudgetExceeded | StoreUnavailable>
    /** Books the exact cost and completes when it is on disk. Settling again changes nothing and costs 0. */
    readonly settle: (reservation: Reservation, outcome: Outcome) => Effect.Effect<NanoUsd, StoreUnavailable>
    /** Gives the money back: the attempt cost nothing. */
    readonly release: (reservation: Reservation, counts: Outcome["counts"]) => Effect.Effect<void, StoreUnavailable>
    /** The state of a list of budgets of `key:<id>` or `team:<name>` now. */
    readonly budgets: (
      scope: string,
      budgets: ReadonlyArray<Budget>
    ) => Effect.Effect<ReadonlyArray<BudgetState>, StoreUnavailable>
    /** The least that is left of any budget of a caller, of what is known in memory; undefined without budgets. */
    readonly remaining: (caller: Caller) => NanoUsd | undefined
    readonly spend: (query: SpendQuery) => Effect.Effect<ReadonlyArray<SpendRow>, StoreUnavailable>
  }
>()("gateway/core/SpendLedger") {
  static readonly layer = Layer.effect(
    SpendLedger,
    Effect.gen(function* () {
      const journal = yield* LedgerJournal
      const scopes = new Map<string, ScopeBudgets>()
      let nextId = (yield* journal.lastId) + 1

      yield* journal.abandonOpen(yield* Clock.currentTimeMillis)

      const scopeOf = (name: string): ScopeBudgets => {
        let scope = scopes.get(name)
        if (scope === undefined) scopes.set(name, (scope = new ScopeBudgets(name)))
        return scope
      }

      const refreshing = yield* Semaphore.make(1)

      /** Brings a scope's windows up to date with its budgets and the clock; asks the store only for windows it has not seen. */
      const refresh = Effect.fnUntraced(
        function* ({ budgets, scope }: Held, now: number) {
          scope.turnTo(budgets, now)
          // Windows are counted in from here on: what settles while the store is read adds to `spent` on top of the answer. So
          // the store is asked about all of them in one step.
          const unread = scope.windows.filter((window) => !window.opened)
          const known = yield* Effect.forEach(unread, (window) => journal.openWindow(window.charge), {
            concurrency: "unbounded"
          })
          for (const [index, window] of unread.entries()) {
            window.spent += known[index]!
            window.opened = true
          }
          scope.budgets = budgets
        },
        refreshing.withPermit,
        Effect.uninterruptible
      )

      /** Leaves all of them up to date at once: reading one takes time, in which another may change. */
      const current = Effect.fnUntraced(function* (held: ReadonlyArray<Held>, now: number) {
        let stale = held.find(({ budgets, scope }) => !scope.isCurrent(budgets, now))
        while (stale !== undefined) {
          yield* refresh(stale, now)
          stale = held.find(({ budgets, scope }) => !scope.isCurrent(budgets, now))
        }
      })

      /** The key and the team, as far as they have budgets. */
      const heldBy = ({ key, team }: Caller): ReadonlyArray<Held> => {
        const held: Array<Held> = []
        if (key.budgets.length > 0) held.push({ scope: scopeOf(`key:${key.id}`), budgets: key.budgets })
        if (team !== undefined && team.budgets.length > 0) {
          held.push({ scope: scopeOf(`team:${team.name}`), budgets: team.budgets })
        }
        return held
      }

      const reserve = Effect.fnUntraced(function* (intent: Intent) {
        const { caller, deployment } = intent
        const now = yield* Clock.currentTimeMillis
        const held = heldBy(caller)
        yield* current(held, now)
        let hold = fit(intent, held, intent.inputBound, now)
        if (hold instanceof BudgetExceeded) {
          const counted = Math.min(intent.inputBound, yield* intent.countInput)
          yield* current(held, now)
          hold = fit(intent, held, counted, now)
          if (hold instanceof BudgetExceeded) return yield* hold
        }
        const holds: Array<BudgetWindow> = []
        for (const { scope } of held) {
          for (const window of scope.windows) {
            window.reserved += hold.amount
            holds.push(window)
          }
        }
        const row: ReservationRow = {
          id: nextId++,
          requestId: intent.requestId,
          attempt: intent.attempt,
          at: now,
          keyId: caller.key.id,
          team: caller.key.team,
          provider: deployment.provider,
          model: deployment.model,
          deployment: deployment.id,
          tags: intent.tags.length === 0 ? "" : [...new Set(intent.tags)].sort().join(","),
          reserved: hold.amount,
          priceSource: deployment.price?.source ?? null,
          priceVersion: deployment.price?.version ?? null
        }
        const reservation: Reservation = {
          row,
          deployment,
          maxOutput: hold.maxOutput,
          holds,
          closed: false
        }
        return yield* Effect.as(
          Effect.onError(journal.reserve(row), () => Effect.sync(() => close(reservation, 0))),
          reservation
        )
      })

      /** Frees what was held and books the cost in memory: the windows that grew, undefined when it was closed before. */
      const close = (reservation: Reservation, cost: NanoUsd): ReadonlyArray<BudgetWindow> | undefined => {
        if (reservation.closed) return undefined
        reservation.closed = true
        for (const window of reservation.holds) window.reserved -= reservation.row.reserved
        if (cost === 0) return []
        // A budget that was added, or a window that was reached, while the request ran counts it too, if it began in it.
        const charged = new Set(reservation.holds)
        const { at, keyId, team } = reservation.row
        for (const name of [`key:${keyId}`, `team:${team}`]) {
          for (const window of scopes.get(name)?.known ?? []) {
            if (at >= window.start && at < window.end) charged.add(window)
          }
        }
        for (const window of charged) window.spent += cost
        return [...charged]
      }

      const settle = Effect.fnUntraced(function* (reservation: Reservation, outcome: Outcome) {
        const { deployment, row } = reservation
        const cost = deployment.price === undefined ? 0 : costOf(deployment.price, outcome.usage, row.at)
        const charged = close(reservation, cost)
        if (charged === undefined) return 0
        yield* journal.settle({
          reservation: row,
          settledAt: yield* Clock.currentTimeMillis,
          cost,
          usage: outcome.usage,
          estimated: outcome.estimated,
          status: "settled",
          counts: outcome.counts,
          charges: charged.map((window) => window.charge)
        })
        return cost
      }, Effect.uninterruptible)

      const release = Effect.fnUntraced(function* (reservation: Reservation, counts: Outcome["counts"]) {
        if (close(reservation, 0) === undefined) return
        yield* journal.settle({
          reservation: reservation.row,
          settledAt: yield* Clock.currentTimeMillis,
          cost: 0,
          usage: noUsage,
          estimated: false,
          status: "void",
          counts,
          charges: []
        })
      }, Effect.uninterruptible)

      const budgets = Effect.fn("SpendLedger.budgets")(function* (name: string, given: ReadonlyArray<Budget>) {
        if (given.length === 0) return []
        const now = yield* Clock.currentTimeMillis
        const scope = scopeOf(name)
        yield* current([{ scope, budgets: given }], now)
        return scope.windows.map((window): BudgetState => ({
          budget: window.budget,
          spent: window.spent,
          reserved: window.reserved,
          resetsAt: Number.isFinite(window.end) ? window.end : null
        }))
      })

      const remaining = (caller: Caller): NanoUsd | undefined => {
        let least: NanoUsd | undefined
        const consider = (name: string, budgets: ReadonlyArray<Budget> | undefined) => {
          if (budgets === undefined || budgets.length === 0) return
          for (const window of scopes.get(name)?.windows ?? []) {
            const left = Math.max(0, window.room)
            if (least === undefined || left < least) least = left
          }
        }
        consider(`key:${caller.key.id}`, caller.key.budgets)
        consider(`team:${caller.key.team}`, caller.team?.budgets)
        return least
      }

      return { reserve, settle, release, budgets, remaining, spend: journal.spend }
    })
  )
}

/** The budgets of one key or team, each in its present window. */
class ScopeBudgets {
  readonly name: string
  /** The budgets that `windows` were made for; undefined until they are read. */
  budgets: ReadonlyArray<Budget> | undefined
  windows: ReadonlyArray<BudgetWindow> = []
  /** Those of budgets that were taken away too: a budget may come back while requests still hold a part of it. */
  known: ReadonlyArray<BudgetWindow> = []

  constructor(name: string) {
    this.name = name
  }

  isCurrent(budgets: ReadonlyArray<Budget>, now: number): boolean {
    if (this.budgets !== budgets) return false
    for (const window of this.windows) if (now >= window.end || !window.opened) return false
    return true
  }

  /** A window for each budget, kept where it still holds. A clock that was set back does not reopen a window that has ended. */
  turnTo(budgets: ReadonlyArray<Budget>, now: number): void {
    const kept = this.known.filter((window) => window.opened && (now < window.end || window.reserved > 0))
    this.windows = budgets.map((budget) => {
      const same = kept.findLast((window) => isSameWindow(window.budget, budget) && now < window.end)
      return same?.withLimit(budget) ?? new BudgetWindow(this.name, budget, spanAt(budget, now))
    })
    this.known = [...new Set([...kept, ...this.windows])]
  }
}

/** A scope, with its budgets as a caller has them. */
interface Held {
  readonly scope: ScopeBudgets
  readonly budgets: ReadonlyArray<Budget>
}

/** A total has no beginning that a time zone could move. */
const isSameWindow = (a: Budget, b: Budget) =>
  a.window === b.window && (a.window === "total" || a.timeZone === b.timeZone)

/** Where the output limit comes from that was promised to nobody: enough for nearly every answer, and a bound all the same. */
const ASSUMED_MAX_OUTPUT = 16_384

/** Below this an answer is not worth starting: better to say that the budget is nearly used up. */
const MIN_USEFUL_OUTPUT = 256

interface Fit {
  readonly amount: NanoUsd
  readonly maxOutput: number | undefined
}

/** The worst case of an intent, lowered where the caller gave no limit and the room asks for it; or why it can't be held. */
const fit = (intent: Intent, held: ReadonlyArray<Held>, input: number, now: number): Fit | BudgetExceeded => {
  const sheet = intent.deployment.price
  if (sheet === undefined) return { amount: 0, maxOutput: undefined }
  const known = intent.maxOutput ?? intent.deployment.maxOutputTokens
  const output = known ?? ASSUMED_MAX_OUTPUT
  const amount = worstCase(sheet, input, output * intent.choices, now)
  if (held.length === 0) return { amount, maxOutput: undefined }
  const room = leastRoom(held)
  if (amount <= room) return { amount, maxOutput: known === undefined ? output : undefined }
  if (intent.maxOutput === undefined) {
    const lowered = Math.floor(outputThatFits(sheet, input, room, now) / intent.choices)
    if (lowered >= MIN_USEFUL_OUTPUT) {
      return { amount: worstCase(sheet, input, lowered * intent.choices, now), maxOutput: lowered }
    }
  }
  const least =
    intent.maxOutput === undefined ? worstCase(sheet, input, MIN_USEFUL_OUTPUT * intent.choices, now) : amount
  // What is missing may be less than is rounded off.
  return refusal(intent, held, Math.max(least, room + 1), now)
}

const leastRoom = (held: ReadonlyArray<Held>): NanoUsd => {
  let least = Number.POSITIVE_INFINITY
  for (const { scope } of held) for (const window of scope.windows) least = Math.min(least, window.room)
  return least
}

/** Of all windows without room the one that keeps the caller waiting longest. */
const refusal = (intent: Intent, held: ReadonlyArray<Held>, needed: NanoUsd, now: number): BudgetExceeded => {
  const full = held.flatMap(({ scope }) => scope.windows).filter((window) => window.room < needed)
  // With nothing in flight it would not fit either: only the next window helps. Else those in flight may leave room.
  const usedUp = full.filter((window) => window.budget.limit - window.spent < needed)
  const isUsedUp = usedUp.length > 0
  const window = (isUsedUp ? usedUp : full).reduce((a, b) => (b.end > a.end ? b : a))
  const [kind, ...rest] = window.scope.split(":")
  const resetsAt = Number.isFinite(window.end) ? window.end : null
  return new BudgetExceeded({
    kind: isUsedUp ? "budget" : "budget_reserved",
    scope: kind as LimitScope,
    subject: rest.join(":"),
    keyId: intent.caller.key.id,
    window: window.budget.window,
    limit: window.budget.limit,
    used: isUsedUp ? window.spent : window.spent + window.reserved,
    needed,
    retryAfterSeconds: !isUsedUp ? 1 : resetsAt === null ? 86_400 : Math.max(1, Math.ceil((resetsAt - now) / 1000)),
    resetsAt
  })
}
