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
  readonly scopes: ReadonlyArray<ScopeBudgets>
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
        function* (scope: ScopeBudgets, budgets: ReadonlyArray<Budget>, now: number) {
          const next = scope.windowsFor(budgets, now)
          // Windows are counted in from here on: what settles while the store is read adds to `spent` on top of the answer.
          scope.windows = next
          for (const window of next) {
            if (window.opened) continue
            window.spent += yield* journal.openWindow(window.charge)
            window.opened = true
          }
          scope.budgets = budgets
        },
        refreshing.withPermit,
        Effect.uninterruptible
      )

      const current = (scope: ScopeBudgets, budgets: ReadonlyArray<Budget>, now: number) =>
        scope.isCurrent(budgets, now) ? Effect.void : refresh(scope, budgets, now)

      const reserve = Effect.fnUntraced(function* (intent: Intent) {
        const { caller, deployment } = intent
        const now = yield* Clock.currentTimeMillis
        const held: Array<ScopeBudgets> = []
        if (caller.key.budgets.length > 0) {
          const scope = scopeOf(`key:${caller.key.id}`)
          yield* current(scope, caller.key.budgets, now)
          held.push(scope)
        }
        if (caller.team !== undefined && caller.team.budgets.length > 0) {
          const scope = scopeOf(`team:${caller.team.name}`)
          yield* current(scope, caller.team.budgets, now)
          held.push(scope)
        }
        let bound = intent.inputBound
        let hold = fit(intent, held, bound, now)
        if (hold instanceof BudgetExceeded) {
          bound = Math.min(bound, yield* intent.countInput)
          hold = fit(intent, held, bound, now)
          if (hold instanceof BudgetExceeded) return yield* hold
        }
        const holds: Array<BudgetWindow> = []
        for (const scope of held) {
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
          scopes: held,
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
        for (const scope of reservation.scopes) {
          for (const window of scope.windows) {
            if (reservation.row.at >= window.start && reservation.row.at < window.end) charged.add(window)
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
        yield* current(scope, given, now)
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

  constructor(name: string) {
    this.name = name
  }

  isCurrent(budgets: ReadonlyArray<Budget>, now: number): boolean {
    if (this.budgets !== budgets) return false
    for (const window of this.windows) if (now >= window.end) return false
    return true
  }

  /** A window for each budget, kept where it still holds. A clock that was set back does not reopen a window that has ended. */
  windowsFor(budgets: ReadonlyArray<Budget>, now: number): ReadonlyArray<BudgetWindow> {
    return budgets.map((budget) => {
      const same = this.windows.find((window) => isSameWindow(window.budget, budget) && now < window.end)
      return same?.withLimit(budget) ?? new BudgetWindow(this.name, budget, spanAt(budget, now))
    })
  }
}

const isSameWindow = (a: Budget, b: Budget) => a.window === b.window && a.timeZone === b.timeZone

/** Where the output limit comes from that was promised to nobody: enough for nearly every answer, and a bound all the same. */
const ASSUMED_MAX_OUTPUT = 16_384

/** Below this an answer is not worth starting: better to say that the budget is nearly used up. */
const MIN_USEFUL_OUTPUT = 256

interface Fit {
  readonly amount: NanoUsd
  readonly maxOutput: number | undefined
}

/** The worst case of an intent, lowered where the caller gave no limit and the room asks for it; or why it can't be held. */
const fit = (intent: Intent, scopes: ReadonlyArray<ScopeBudgets>, input: number, now: number): Fit | BudgetExceeded => {
  const sheet = intent.deployment.price
  if (sheet === undefined) return { amount: 0, maxOutput: undefined }
  const known = intent.maxOutput ?? intent.deployment.maxOutputTokens
  const output = known ?? ASSUMED_MAX_OUTPUT
  const amount = worstCase(sheet, input, output * intent.choices, now)
  const unbudgeted = scopes.every((scope) => scope.windows.length === 0)
  if (unbudgeted) return { amount, maxOutput: undefined }
  const tight = tightest(scopes)
  if (amount <= tight.room) return { amount, maxOutput: known === undefined ? output : undefined }
  if (intent.maxOutput === undefined) {
    const lowered = Math.floor(outputThatFits(sheet, input, tight.room, now) / intent.choices)
    if (lowered >= MIN_USEFUL_OUTPUT) {
      return { amount: worstCase(sheet, input, lowered * intent.choices, now), maxOutput: lowered }
    }
  }
  const least =
    intent.maxOutput === undefined ? worstCase(sheet, input, MIN_USEFUL_OUTPUT * intent.choices, now) : amount
  return refusal(intent, tight, least, now)
}

const tightest = (scopes: ReadonlyArray<ScopeBudgets>): BudgetWindow => {
  let tight: BudgetWindow | undefined
  for (const scope of scopes) {
    for (const window of scope.windows) if (tight === undefined || window.room < tight.room) tight = window
  }
  return tight!
}

const refusal = (intent: Intent, window: BudgetWindow, needed: NanoUsd, now: number): BudgetExceeded => {
  const { caller } = intent
  // With nothing in flight it would not fit either: only the next window helps. Else those in flight may leave room.
  const usedUp = window.budget.limit - window.spent < needed
  const [kind, ...rest] = window.scope.split(":")
  return new BudgetExceeded({
    kind: usedUp ? "budget" : "budget_reserved",
    scope: kind as LimitScope,
    subject: rest.join(":"),
    keyId: caller.key.id,
    window: window.budget.window,
    limit: window.budget.limit,
    used: usedUp ? window.spent : window.spent + window.reserved,
    needed,
    retryAfterSeconds:
      usedUp && Number.isFinite(window.end) ? Math.max(1, Math.ceil((window.end - now) / 1000)) : usedUp ? 86_400 : 1,
    resetsAt: Number.isFinite(window.end) ? window.end : null
  })
}
