/** Services of several nodes as one: requests go to the nodes in turn, as to processes behind one port. */
import { Effect } from "effect"
import type { Ended, Reservation } from "../../../src/core/ledger/Reservation.ts"
import type { SpendLedger } from "../../../src/core/ledger/SpendLedger.ts"
import type { RateLimiter } from "../../../src/core/limits/RateLimiter.ts"

const inTurn = <Service>(services: ReadonlyArray<Service>) => {
  let calls = 0
  return <A, E, R>(use: (service: Service) => Effect.Effect<A, E, R>) =>
    Effect.suspend(() => use(services[calls++ % services.length]!))
}

export const limitersInTurn = (limiters: ReadonlyArray<RateLimiter["Service"]>): RateLimiter["Service"] => {
  const next = inTurn(limiters)
  return {
    admit: (caller, tokens) => next(({ admit }) => admit(caller, tokens)),
    admitRules: (rules, keyId, tokens) => next(({ admitRules }) => admitRules(rules, keyId, tokens)),
    admitFeedback: (caller) => next(({ admitFeedback }) => admitFeedback(caller)),
    allowances: (caller) => next(({ allowances }) => allowances(caller))
  }
}

/** What a node reserved, it alone settles. */
export const ledgersInTurn = (ledgers: ReadonlyArray<SpendLedger["Service"]>): SpendLedger["Service"] => {
  type Ledger = SpendLedger["Service"]
  const next = inTurn(ledgers)
  const owners = new WeakMap<Reservation | Ended, Ledger>()
  const ownerOf = (handle: Reservation | Ended | undefined): Ledger =>
    (handle === undefined ? undefined : owners.get(handle)) ?? ledgers[0]!
  return {
    reserve: (intent) =>
      next((ledger) =>
        Effect.map(ledger.reserve(intent), (reservation) => {
          owners.set(reservation, ledger)
          return reservation
        })
      ),
    settle: (reservation, outcome) => ownerOf(reservation).settle(reservation, outcome),
    release: (reservation, counts) => ownerOf(reservation).release(reservation, counts),
    end: (reservation, ending) =>
      Effect.map(ownerOf(reservation).end(reservation, ending), (ended) => {
        if (ended !== undefined) owners.set(ended, ownerOf(reservation))
        return ended
      }),
    book: (ended, counts) => ownerOf(ended).book(ended, counts),
    cached: (request, saved) => next((ledger) => ledger.cached(request, saved)),
    budgets: (scope, budgets) => next((ledger) => ledger.budgets(scope, budgets)),
    remaining: (caller) => next((ledger) => ledger.remaining(caller)),
    overSoft: (caller) => ledgers[0]!.overSoft(caller),
    spend: (query) => next((ledger) => ledger.spend(query)),
    fullestEndUsers: (used, most) => ledgers[0]!.fullestEndUsers(used, most),
    spentIn: (windows) => next((ledger) => ledger.spentIn(windows)),
    hourCosts: (scopes, hour) => next((ledger) => ledger.hourCosts(scopes, hour))
  }
}
