/**
 * The spend ledger. A request first reserves its worst case in all budget windows of its key and team, all or none. Later it
 * settles the exact cost, or is voided. Check and change are one synchronous step, which is exact because one process owns the
 * store. The rows follow in the group commit of the same turn.
 */
import { Clock, Context, Effect, Layer, Semaphore } from "effect"
import type { BudgetWindow } from "./BudgetWindow.ts"
import { chargeOthers, type Settlement, settlementOf, settlementRow } from "./Settlement.ts"
import { BudgetExceeded, type StoreUnavailable } from "../domain/Errors.ts"
import { type ReservationSize, reservationSize } from "./ReservationSize.ts"
import { IdleMap } from "../collections/IdleMap.ts"
import type { Caller } from "../keys/Caller.ts"
import type { NanoUsd } from "../domain/Money.ts"
import { OpenReservations } from "./OpenReservations.ts"
import { type Held, ScopeBudgets } from "./ScopeBudgets.ts"
import { STANDARD } from "../domain/pricing/ServiceTier.ts"
import { AbandonedRule } from "../domain/AbandonedRule.ts"
import { LedgerJournal, type ReservationRow } from "./LedgerJournal.ts"
import type { Budget } from "../domain/Budget.ts"
import type { SpendQuery, SpendRow } from "./Spend.ts"
import { noUsage } from "../domain/Usage.ts"
import type { Counts, Ended, Ending, HeldReservation, Intent, Outcome, Reservation } from "./Reservation.ts"

export interface BudgetState {
  readonly budget: Budget
  readonly spent: NanoUsd
  readonly reserved: NanoUsd
  /** Epoch ms; null for a budget without a reset. */
  readonly resetsAt: number | null
}

const EXPIRED: { readonly [Rule in AbandonedRule]: string } = {
  book: "its worst case is booked.",
  void: "nothing is booked for it, as configured."
}

/** A key or team that was not used for this long is dropped from memory and read again on its next use. */
const FORGET_AFTER_MS = 600_000

export class SpendLedger extends Context.Service<
  SpendLedger,
  {
    /**
     * Reserves all or nothing, even when interrupted. The reservation belongs to this process. One that is never settled is closed
     * by the rule for abandoned ones, once its call must have ended.
     */
    readonly reserve: (intent: Intent) => Effect.Effect<Reservation, BudgetExceeded | StoreUnavailable>
    /** Books the exact cost and completes when it is on disk. A second call changes nothing and costs 0. */
    readonly settle: (reservation: Reservation, outcome: Outcome) => Effect.Effect<NanoUsd, StoreUnavailable>
    /** Releases the reservation: the attempt cost nothing. */
    readonly release: (reservation: Reservation, counts: Counts) => Effect.Effect<void, StoreUnavailable>
    /**
     * The first half of `settle` and `release`, for an attempt that another one may follow: it frees its hold for that one.
     * Without `ending` the attempt cost nothing. Undefined if it had ended before.
     */
    readonly end: (
      reservation: Reservation,
      ending: Ending | undefined
    ) => Effect.Effect<Ended | undefined, StoreUnavailable>
    /** The second half: returns the cost once it is on disk. Booking again changes nothing and costs 0. */
    readonly book: (ended: Ended | undefined, counts: Counts) => Effect.Effect<NanoUsd, StoreUnavailable>
    /** The current state of a list of budgets of `key:<id>` or `team:<name>`. */
    readonly budgets: (
      scope: string,
      budgets: ReadonlyArray<Budget>
    ) => Effect.Effect<ReadonlyArray<BudgetState>, StoreUnavailable>
    /**
     * The least that is left in any budget of a caller, as far as memory knows; undefined if it has no budgets or none is known.
     * It never fails: answers that are already paid for show it.
     */
    readonly remaining: (caller: Caller) => Effect.Effect<NanoUsd | undefined>
    readonly spend: (query: SpendQuery) => Effect.Effect<ReadonlyArray<SpendRow>, StoreUnavailable>
    /** What is booked in budget windows, as `LedgerJournal.spentIn`: for looking through many. */
    readonly spentIn: LedgerJournal["Service"]["spentIn"]
  }
>()("gateway/core/SpendLedger") {
  static readonly layer = Layer.effect(
    SpendLedger,
    Effect.gen(function* () {
      const journal = yield* LedgerJournal
      const clock = yield* Clock.Clock
      const scopes = new IdleMap<ScopeBudgets>(
        ({ open, usedAt }, now) => open === 0 && Math.abs(now - usedAt) > FORGET_AFTER_MS
      )
      let nextId = (yield* journal.lastId) + 1

      const rule = yield* AbandonedRule
      const open = new OpenReservations(clock)
      yield* journal.abandonOpen(yield* Clock.currentTimeMillis, rule)

      const scopeOf = (name: string, now: number): ScopeBudgets => {
        let scope = scopes.get(name)
        if (scope === undefined) {
          scope = new ScopeBudgets(name, now, reading[made++ % reading.length]!)
          scopes.set(name, scope, now)
        }
        scope.usedAt = now
        return scope
      }

      const windowsOf = (name: string): ReadonlyArray<BudgetWindow> => scopes.get(name)?.known ?? []
      const budgetsOf = (name: string): ReadonlyArray<Budget> => scopes.get(name)?.budgets ?? []

      /** Ended attempts that are not queued in the store yet. */
      const unbooked = new Map<Ended, Settlement>()

      // Shared locks: one for each scope would cost more than the scope.
      const reading = Array.from({ length: 256 }, () => Semaphore.makeUnsafe(1))
      let made = 0

      /**
       * Brings a scope's windows up to date with its budgets and the clock. Reads only windows from the store that are not known
       * yet.
       */
      const refresh = Effect.fnUntraced(
        function* ({ budgets, scope }: Held) {
          scope.turnTo(budgets, clock.currentTimeMillisUnsafe())
          for (const ended of unbooked.values()) chargeOthers(ended, windowsOf)
          // Marked as opened before the read: settlements during the read add to `spent`, on top of the store's answer. This is why
          // the store is asked for all of them in one step.
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
        (effect, { scope }) => scope.reading.withPermit(effect),
        Effect.uninterruptible
      )

      /**
       * Brings all of them up to date for the same moment: while one is read, another may change, and the clock may move. Returns
       * that moment.
       */
      const current = Effect.fnUntraced(function* (held: ReadonlyArray<Held>) {
        while (true) {
          const now = clock.currentTimeMillisUnsafe()
          const stale = held.find(({ budgets, scope }) => !scope.isCurrent(budgets, now))
          if (stale === undefined) return now
          yield* refresh(stale)
        }
      })

      /** The key and the team, as far as they have budgets. */
      const heldBy = ({ key, team }: Caller, now: number): ReadonlyArray<Held> => {
        const held: Array<Held> = []
        if (key.budgets.length > 0) held.push({ scope: scopeOf(`key:${key.id}`, now), budgets: key.budgets })
        if (team !== undefined && team.budgets.length > 0) {
          held.push({ scope: scopeOf(`team:${team.name}`, now), budgets: team.budgets })
        }
        return held
      }

      /** Closes reservations that their requests can no longer close. */
      const expire = Effect.suspend(() =>
        Effect.forEach(
          open.expired(),
          (reservation) => {
            const ending = rule === "book" ? { usage: noUsage, estimated: true, atWorst: true } : undefined
            const told = `The reservation of ${reservation.row.requestId} was never closed: ${EXPIRED[rule]}`
            return Effect.andThen(
              Effect.logWarning(told),
              Effect.ignore(Effect.suspend(() => book(endNow(reservation, ending), "failed_request")))
            )
          },
          { discard: true }
        )
      )

      const reserve = (intent: Intent) =>
        Effect.uninterruptible(
          Effect.suspend(() =>
            open.isTimeToLook() ? Effect.flatMap(expire, () => reserveNow(intent)) : reserveNow(intent)
          )
        )

      const reserveNow = (intent: Intent): Effect.Effect<Reservation, BudgetExceeded | StoreUnavailable> => {
        const now = clock.currentTimeMillisUnsafe()
        const held = heldBy(intent.caller, now)
        // The usual case: memory is up to date and there is room, so nothing is waited for.
        if (held.every(({ budgets, scope }) => scope.isCurrent(budgets, now))) {
          const found = reservationSize(intent, held, intent.inputBound, now)
          if (!(found instanceof BudgetExceeded)) return hold(intent, held, found, now)
        }
        return reserveClosely(intent, held)
      }

      /** Reads unknown windows from the store, and counts the input where its bound does not fit. */
      const reserveClosely = Effect.fnUntraced(function* (intent: Intent, held: ReadonlyArray<Held>) {
        let now = yield* current(held)
        let found = reservationSize(intent, held, intent.inputBound, now)
        if (found instanceof BudgetExceeded) {
          const counted = Math.min(intent.inputBound, yield* intent.countInput)
          now = yield* current(held)
          found = reservationSize(intent, held, counted, now)
          if (found instanceof BudgetExceeded) return yield* found
        }
        return yield* hold(intent, held, found, now)
      })

      const hold = (
        { attempt, baseline, bound, caller, deployment, operation, requestId, tags, tier = STANDARD }: Intent,
        held: ReadonlyArray<Held>,
        { amount, isBound, maxOutput, toolUses }: ReservationSize,
        now: number
      ): Effect.Effect<Reservation, StoreUnavailable> => {
        const holds: Array<BudgetWindow> = []
        for (const { scope } of held) {
          scope.open++
          for (const window of scope.windows) {
            window.reserved += amount
            holds.push(window)
          }
        }
        const row: ReservationRow = {
          id: nextId++,
          requestId,
          attempt,
          at: now,
          keyId: caller.key.id,
          team: caller.key.team,
          provider: deployment.provider,
          model: deployment.model,
          deployment: deployment.id,
          operation,
          tags: tags.length === 0 ? "" : [...new Set(tags)].sort().join(","),
          reserved: amount,
          priceSource: deployment.price?.source ?? null,
          priceVersion: deployment.price?.version ?? null,
          isAuto: baseline !== undefined
        }
        const reservation: HeldReservation = {
          id: row.id,
          at: now,
          reserved: amount,
          row,
          deployment,
          baseline,
          maxOutput,
          toolUses,
          isBound,
          tier,
          requests: bound?.requests ?? 1,
          holds,
          held,
          made: open.now
        }
        open.add(reservation)
        return Effect.matchCauseEffect(journal.reserve(row), {
          onSuccess: () => Effect.succeed(reservation),
          onFailure: (cause) => {
            const mine = open.take(reservation)
            if (mine !== undefined) {
              settlementOf(mine, undefined, windowsOf)
              leave(held)
            }
            return Effect.failCause(cause)
          }
        })
      }

      const endNow = (reservation: Reservation, ending: Ending | undefined): Ended | undefined => {
        const mine = open.take(reservation)
        if (mine === undefined) return undefined
        const ended = settlementOf(mine, ending, windowsOf)
        unbooked.set(ended, ended)
        return ended
      }

      const end = (reservation: Reservation, ending: Ending | undefined) =>
        Effect.sync(() => endNow(reservation, ending))

      const book = (given: Ended | undefined, counts: Counts): Effect.Effect<NanoUsd, StoreUnavailable> =>
        Effect.uninterruptible(
          Effect.suspend(() => {
            const ended = given === undefined ? undefined : unbooked.get(given)
            if (ended === undefined) return Effect.succeed(0)
            unbooked.delete(ended)
            const { cost, held } = ended
            const row = settlementRow(ended, counts, clock.currentTimeMillisUnsafe(), budgetsOf)
            return Effect.map(journal.settle(row), () => {
              leave(held)
              return cost
            })
          })
        )

      /**
       * The settlement is in the store now, so its scopes may be dropped from memory. A settlement the store never took keeps them.
       */
      const leave = (held: ReadonlyArray<Held>): void => {
        for (const { scope } of held) scope.open--
      }

      const settle = (reservation: Reservation, outcome: Outcome) =>
        Effect.uninterruptible(Effect.suspend(() => book(endNow(reservation, outcome), outcome.counts)))

      const release = (reservation: Reservation, counts: Counts) =>
        Effect.uninterruptible(Effect.suspend(() => Effect.asVoid(book(endNow(reservation, undefined), counts))))

      const budgets = Effect.fn("SpendLedger.budgets")(function* (name: string, given: ReadonlyArray<Budget>) {
        if (given.length === 0) return []
        yield* expire
        const now = yield* Clock.currentTimeMillis
        const scope = scopeOf(name, now)
        yield* current([{ scope, budgets: given }])
        return scope.windows.map((window): BudgetState => ({
          budget: window.budget,
          spent: window.spent,
          reserved: window.reserved,
          resetsAt: Number.isFinite(window.end) ? window.end : null
        }))
      })

      const remaining = (caller: Caller) => Effect.sync(() => remainingNow(caller))

      const remainingNow = (caller: Caller): NanoUsd | undefined => {
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

      return { reserve, settle, release, end, book, budgets, remaining, spend: journal.spend, spentIn: journal.spentIn }
    })
  )
}
