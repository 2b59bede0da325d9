/**
 * The spend ledger. A request first reserves its worst case in all budget windows of all its scopes, all or none. Later it settles
 * the exact cost, or releases the reservation. Check and change are one synchronous step, which is exact because one process owns
 * the store. The rows follow in the group commit of the same iteration.
 */
import { Clock, Context, Effect, Layer } from "effect"
import type { BudgetWindow } from "./BudgetWindow.ts"
import { chargeOthers, type Settlement, settlementOf, settlementRow } from "./Settlement.ts"
import { BudgetExceeded, type StoreUnavailable } from "../domain/Errors.ts"
import { type SizedReservation, reservationSize } from "./ReservationSize.ts"
import { BudgetScopes } from "./BudgetScopes.ts"
import { NOWHERE, Roster } from "../collections/Roster.ts"
import { steadyMs } from "../collections/Steady.ts"
import { fillShares, MOST_QUESTIONS, stillOpen } from "../grants/FillShares.ts"
import type { Short } from "../grants/Share.ts"
import { Grants, isRate, lapsed, nothingGiven, type SharedGrants } from "../grants/Grants.ts"
import type { Caller } from "../keys/Caller.ts"
import { covers } from "../keys/CallerScope.ts"
import type { NanoUsd } from "../domain/Money.ts"
import { OpenReservations } from "./OpenReservations.ts"
import type { ScopeWithBudgets } from "./ScopeBudgets.ts"
import { STANDARD } from "../domain/pricing/ServiceTier.ts"
import { AbandonedRule } from "../domain/AbandonedRule.ts"
import { LedgerJournal, type ReservationRow } from "./LedgerJournal.ts"
import type { Budget } from "../domain/Budget.ts"
import type { SpendQuery, SpendRow } from "./Spend.ts"
import { noUsage } from "../domain/Usage.ts"
import {
  closerIntent,
  type Counts,
  type Ended,
  type Ending,
  type HeldReservation,
  type Intent,
  type Outcome,
  type Reservation
} from "./Reservation.ts"

export interface BudgetState {
  readonly budget: Budget
  /** With raises. */
  readonly limit: NanoUsd
  readonly spent: NanoUsd
  readonly reserved: NanoUsd
  /** Epoch ms; null for a budget without a reset. */
  readonly resetsAt: number | null
}

const EXPIRED: { readonly [Rule in AbandonedRule]: string } = {
  estimate: "its worst case is charged.",
  book: "its worst case is charged.",
  void: "nothing is charged, as configured."
}

export class SpendLedger extends Context.Service<
  SpendLedger,
  {
    /**
     * Reserves all or nothing, even when interrupted. The reservation belongs to this process. If it is never settled, the rule for
     * abandoned reservations closes it once its call must have ended.
     */
    readonly reserve: (intent: Intent) => Effect.Effect<Reservation, BudgetExceeded | StoreUnavailable>
    /** Records the exact cost and completes when it is on disk. A second call changes nothing and costs 0. */
    readonly settle: (reservation: Reservation, outcome: Outcome) => Effect.Effect<NanoUsd, StoreUnavailable>
    /** Releases the reservation: the attempt cost nothing. */
    readonly release: (reservation: Reservation, counts: Counts) => Effect.Effect<void, StoreUnavailable>
    /**
     * The first half of `settle` and `release`, for an attempt that another may follow: it frees its reservation for that one.
     * Without `ending` the attempt cost nothing. Undefined if it ended before.
     */
    readonly end: (
      reservation: Reservation,
      ending: Ending | undefined
    ) => Effect.Effect<Ended | undefined, StoreUnavailable>
    /** The second half: returns the cost once it is on disk. Recording again changes nothing and costs 0. */
    readonly book: (ended: Ended | undefined, counts: Counts) => Effect.Effect<NanoUsd, StoreUnavailable>
    /** Books a response that the cache gave: it costs nothing and saves what it had cost. It is queued, and nothing is waited for. */
    readonly cached: (request: Omit<BookedAttempt, "attempt" | "baseline">, saved: NanoUsd) => Effect.Effect<void>
    /** The current state of a list of budgets of a scope, such as `key:<id>` or `team:<name>`. */
    readonly budgets: (
      scope: string,
      budgets: ReadonlyArray<Budget>
    ) => Effect.Effect<ReadonlyArray<BudgetState>, StoreUnavailable>
    /**
     * The least that is left in any budget of a caller, as far as memory knows; undefined without known budgets. It never fails,
     * because responses that are already paid for show it.
     */
    readonly remaining: (caller: Caller) => Effect.Effect<NanoUsd | undefined>
    /** Scopes with a budget that has spent more than its `soft` amount, as far as memory knows. */
    readonly overSoft: (caller: Caller) => ReadonlyArray<string>
    readonly fullestEndUsers: BudgetScopes["fullestEndUsers"]
    readonly spend: (query: SpendQuery) => Effect.Effect<ReadonlyArray<SpendRow>, StoreUnavailable>
    /** The recorded spend of budget windows, as `LedgerJournal.spentIn`, for reports on many windows. */
    readonly spentIn: LedgerJournal["Service"]["spentIn"]
    readonly hourCosts: LedgerJournal["Service"]["hourCosts"]
  }
>()("gateway/core/SpendLedger") {
  static readonly layer = Layer.effect(
    SpendLedger,
    Effect.gen(function* () {
      const journal = yield* LedgerJournal
      const clock = yield* Clock.Clock
      const grants = yield* Grants
      const scopes = new BudgetScopes({
        journal,
        clock,
        grants,
        chargeUnbooked: () => {
          for (const ended of unbooked.all()) chargeOthers(ended, windowsOf)
        }
      })
      yield* Effect.forkScoped(scopes.keepSmall)
      const { budgetsOf, current, windowsOf } = scopes
      let nextId = (yield* journal.lastId) + 1

      const rule = yield* AbandonedRule
      const open = new OpenReservations(clock)
      yield* journal.abandonOpen(yield* Clock.currentTimeMillis, rule)

      /** Ended attempts that are not queued in the store yet. */
      const unbooked = new Roster<Settlement>()

      /** Closes reservations that their requests can no longer close. */
      const expire = Effect.suspend(() =>
        Effect.forEach(
          open.expired(),
          (reservation) => {
            const ending = rule === "void" ? undefined : { usage: noUsage, estimated: true, atWorst: true }
            const message = `The reservation of ${reservation.row.requestId} was never closed: ${EXPIRED[rule]}`
            return Effect.andThen(
              Effect.logWarning(message),
              Effect.ignore(Effect.suspend(() => bookNow(endNow(reservation, ending), "failed_request")))
            )
          },
          { discard: true }
        )
      )

      const reserve = (intent: Intent) =>
        Effect.uninterruptibleMask(() =>
          open.isTimeToLook() ? Effect.flatMap(expire, () => reserveNow(intent)) : reserveNow(intent)
        )

      const reserveNow = (intent: Intent): Effect.Effect<Reservation, BudgetExceeded | StoreUnavailable> => {
        const now = clock.currentTimeMillisUnsafe()
        const held = scopes.heldBy(intent.caller, intent.deployment, now)
        if (grants !== undefined) return reserveShared(grants, intent, held, intent.inputBound)
        // The usual case: memory is current and there is room, so there is nothing to wait for.
        if (held.every(({ budgets, scope }) => scope.isCurrent(budgets, now))) {
          const found = reservationSize(intent, held, intent.inputBound, now)
          if (!(found instanceof BudgetExceeded)) return hold(intent, held, found, now)
        }
        return reserveClosely(intent, held)
      }

      /** Reads unknown windows from the store, and counts the input where its bound does not fit. */
      const reserveClosely = Effect.fnUntraced(function* (intent: Intent, held: ReadonlyArray<ScopeWithBudgets>) {
        let now = yield* current(held)
        let found = reservationSize(intent, held, intent.inputBound, now)
        if (found instanceof BudgetExceeded) {
          const closer = yield* closerIntent(intent)
          now = yield* current(held)
          found = reservationSize(closer, held, closer.inputBound, now)
          if (found instanceof BudgetExceeded) return yield* found
        }
        return yield* hold(intent, held, found, now)
      })

      /** For quota leases: requests more quota before it counts the input, or lowers the output to what is left. */
      const reserveShared = (
        grants: SharedGrants,
        intent: Intent,
        held: ReadonlyArray<ScopeWithBudgets>,
        input: number,
        asked = 0
      ): Effect.Effect<Reservation, BudgetExceeded | StoreUnavailable> => {
        if (!grants.isInForce()) return Effect.fail(lapsed)
        const again = () => reserveShared(grants, intent, held, input, asked)
        const now = clock.currentTimeMillisUnsafe()
        if (!held.every(({ budgets, scope }) => scope.isCurrent(budgets, now)))
          return Effect.flatMap(current(held), again)
        const best = reservationSize(intent, held, input, now, Number.POSITIVE_INFINITY)
        const open = best instanceof BudgetExceeded ? [] : stillOpen(lacking(held, best.amount), steadyMs(clock))
        if (open.length > 0 && asked < MOST_QUESTIONS) {
          return Effect.flatMap(fillShares(grants, open), () => reserveShared(grants, intent, held, input, asked + 1))
        }
        const found = reservationSize(intent, held, input, now)
        if (!(found instanceof BudgetExceeded)) return hold(intent, held, found, now)
        return Effect.flatMap(closerIntent(intent), (closer) =>
          closer.inputBound < input || intent.countUnits !== undefined
            ? reserveShared(grants, closer, held, closer.inputBound)
            : Effect.fail(found)
        )
      }

      const hold = (
        intent: Intent,
        held: ReadonlyArray<ScopeWithBudgets>,
        { amount, growth, isBound, maxOutput, toolUses }: SizedReservation,
        now: number
      ): Effect.Effect<Reservation, StoreUnavailable> => {
        const { baseline, bound, deployment, tier = STANDARD } = intent
        const holds: Array<BudgetWindow> = []
        for (const { scope } of held) {
          scope.open++
          for (const window of scope.windows) {
            window.reserved += amount
            holds.push(window)
          }
        }
        const row = reservationRow(intent, nextId++, now, amount, growth)
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
          made: open.now,
          place: NOWHERE
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

      const cached: SpendLedger["Service"]["cached"] = (request, saved) =>
        Effect.suspend(() => {
          const now = clock.currentTimeMillisUnsafe()
          const row = reservationRow({ ...request, attempt: 0 }, nextId++, now, 0)
          const nothing = { cost: 0, baseline: 0, usage: noUsage, estimated: false, charges: [] }
          const ended = { status: "settled", counts: "request", settledAt: now } as const
          return Effect.ignore(journal.settle({ reservation: row, ...nothing, ...ended, saved }))
        })

      const endNow = (reservation: Reservation, ending: Ending | undefined): Ended | undefined => {
        const mine = open.take(reservation)
        if (mine === undefined) return undefined
        const ended = settlementOf(mine, ending, windowsOf)
        unbooked.add(ended)
        return ended
      }

      const end = (reservation: Reservation, ending: Ending | undefined) =>
        Effect.sync(() => endNow(reservation, ending))

      const book = (given: Ended | undefined, counts: Counts) =>
        Effect.uninterruptibleMask(() => bookNow(given, counts))

      const bookNow = (given: Ended | undefined, counts: Counts): Effect.Effect<NanoUsd, StoreUnavailable> => {
        const ended = given === undefined ? undefined : unbooked.find(given)
        if (ended === undefined) return Effect.succeed(0)
        unbooked.delete(ended)
        const { cost, held } = ended
        const row = settlementRow(ended, counts, clock.currentTimeMillisUnsafe(), budgetsOf)
        return Effect.map(journal.settle(row), () => {
          leave(held)
          return cost
        })
      }

      /**
       * The settlement is in the store, so its scopes may be dropped from memory. A settlement that the store never accepted keeps
       * them.
       */
      const leave = (held: ReadonlyArray<ScopeWithBudgets>): void => {
        for (const { scope } of held) scope.open--
      }

      const settle = (reservation: Reservation, outcome: Outcome) =>
        Effect.uninterruptibleMask(() => bookNow(endNow(reservation, outcome), outcome.counts))

      const release = (reservation: Reservation, counts: Counts) =>
        Effect.uninterruptibleMask(() => Effect.asVoid(bookNow(endNow(reservation, undefined), counts)))

      const budgets = Effect.fn("SpendLedger.budgets")(function* (name: string, given: ReadonlyArray<Budget>) {
        if (given.length === 0) return []
        yield* expire
        const now = yield* Clock.currentTimeMillis
        const scope = scopes.of(name, now)
        yield* current([{ scope, budgets: given }])
        if (grants !== undefined) return yield* standing(grants, scope.windows)
        return scope.windows.map((window): BudgetState => ({
          budget: window.budget,
          limit: window.limit,
          spent: window.spent,
          reserved: window.reserved,
          resetsAt: Number.isFinite(window.end) ? window.end : null
        }))
      })

      const remaining = (caller: Caller) => Effect.sync(() => remainingNow(caller))

      const overSoft = (caller: Caller): ReadonlyArray<string> => {
        const found: Array<string> = []
        const isOver = ({ booked, budget: { soft } }: BudgetWindow) => soft !== undefined && booked > soft
        visitBudgets(caller, (name, budgets, shown) => {
          // Most callers have no soft amounts: their scopes are not looked up.
          if (budgets.some(({ soft }) => soft !== undefined) && scopes.currentOf(name).some(isOver)) found.push(shown())
        })
        return found
      }

      const remainingNow = (caller: Caller): NanoUsd | undefined => {
        let least: NanoUsd | undefined
        visitBudgets(caller, (name) => {
          for (const { left } of scopes.currentOf(name)) least = Math.min(least ?? left, left)
        })
        return least === undefined ? undefined : Math.max(0, least)
      }

      grants?.called(
        (kind) => !isRate(kind),
        (call) => {
          const { kind, scope, start } = call.share
          const window = windowsOf(scope).find(({ charge }) => charge.window === kind && charge.start === start)
          return window?.calledFor(call) ?? nothingGiven
        },
        () =>
          scopes.all().flatMap((window) => {
            let ended = 0
            for (const { charged, cost } of unbooked.all()) if (charged.includes(window)) ended += cost
            return window.lose(ended)
          })
      )

      const { hourCosts, spend, spentIn } = journal
      const { fullestEndUsers } = scopes
      const reports = { budgets, remaining, overSoft, fullestEndUsers, spend, spentIn, hourCosts }
      return { reserve, settle, release, end, book, cached, ...reports }
    })
  )
}

/** The scopes of a caller with budgets. */
const visitBudgets = (
  { key, more = [], team }: Caller,
  visit: (name: string, budgets: ReadonlyArray<Budget>, shown: () => string) => void
): void => {
  const add = (name: string, budgets: ReadonlyArray<Budget>, scope: string, subject: string) => {
    if (budgets.length > 0) visit(name, budgets, () => `${scope}:${encodeURIComponent(subject)}`)
  }
  add(`key:${key.id}`, key.budgets, "key", key.id)
  if (team !== undefined) add(`team:${team.name}`, team.budgets, "team", team.name)
  for (const { budgets, name, scope, subject } of more) add(name, budgets, scope, subject)
}

/** The quota leases that are too small for an amount. */
const lacking = (held: ReadonlyArray<ScopeWithBudgets>, amount: NanoUsd): ReadonlyArray<Short> => {
  const shorts: Array<Short> = []
  for (const { scope } of held) {
    for (const { room, share } of scope.windows) {
      if (share !== undefined && room < amount) shorts.push({ share, need: amount - room })
    }
  }
  return shorts
}

/** What all processes together spent and reserve. */
const standing = Effect.fnUntraced(function* (grants: SharedGrants, windows: ReadonlyArray<BudgetWindow>) {
  const shared = windows.flatMap((window) => (window.share === undefined ? [] : [{ window, name: window.share.name }]))
  const standings = yield* grants.standing(shared.map(({ name }) => name))
  return shared.map(({ window }, index): BudgetState => ({
    budget: window.budget,
    limit: window.limit,
    spent: standings[index]?.spent ?? 0,
    reserved: standings[index]?.reserved ?? 0,
    resetsAt: Number.isFinite(window.end) ? window.end : null
  }))
})

type BookedAttempt = Pick<Intent, "attempt" | "baseline" | "caller" | "deployment" | "operation" | "requestId" | "tags">

/** The row of an attempt, or of a response of the cache. */
const reservationRow = (
  { attempt, baseline, caller, deployment, operation, requestId, tags }: BookedAttempt,
  id: number,
  at: number,
  reserved: NanoUsd,
  growth?: SizedReservation["growth"]
): ReservationRow => ({
  id,
  requestId,
  attempt,
  at,
  keyId: caller.key.id,
  team: caller.key.team,
  provider: deployment.provider,
  model: deployment.model,
  deployment: deployment.id,
  operation,
  tags: tags.length === 0 ? "" : [...new Set(tags)].sort().join(","),
  subjects: caller.more?.filter((one) => covers(one, deployment)).map(({ name }) => name),
  reserved,
  priceSource: deployment.price?.source ?? null,
  priceVersion: deployment.price?.version ?? null,
  isAuto: baseline !== undefined,
  ...growth
})
