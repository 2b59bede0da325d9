/** The methods of stateful services that `laws.ts` checks. */
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { KeyStore } from "../../src/core/keys/KeyStore.ts"
import { LedgerJournal } from "../../src/core/ledger/LedgerJournal.ts"
import { SpendLedger } from "../../src/core/ledger/SpendLedger.ts"
import { RateLimiter } from "../../src/core/limits/RateLimiter.ts"
import { RotationRepository } from "../../src/core/pool/RotationRepository.ts"
import { budget, callerWith } from "../core/call/Support.ts"
import { booked } from "../core/ledger/LedgerWorld.ts"
import { intent, keyWith, outcome } from "../core/ledger/Books.ts"
import { everything, reservation, settlement, today } from "../storage/Support.ts"
import type { Method } from "./laws.ts"

type Methods<R> = { readonly [method: string]: Effect.Effect<Method, unknown, R> }

const limited = callerWith({ limits: { rpm: 2, tpm: 1_000, maxParallel: undefined } })

export const rateLimiterMethods: Methods<RateLimiter> = {
  admit: Effect.map(RateLimiter, (limiter) => {
    const build = () => Effect.scoped(limiter.admit(limited, 100))
    return {
      build,
      state: limiter.allowances(limited),
      refuse: Effect.as(Effect.andThen(build(), build()), TestClock.adjust("61 seconds"))
    }
  }),
  "Permit.settle": Effect.gen(function* () {
    const limiter = yield* RateLimiter
    const permit = yield* Effect.scoped(limiter.admit(limited, 100))
    return { build: () => permit.settle(10), state: limiter.allowances(limited), idempotent: true }
  })
}

export const spendLedgerMethods: Methods<SpendLedger> = {
  reserve: Effect.gen(function* () {
    const { build, ledger, state } = yield* ledgerState(2_500)
    const refuse = Effect.flatMap(build(), () => Effect.map(build(), (last) => ledger.release(last, "nothing")))
    return { build, state, refuse }
  }),
  settle: Effect.gen(function* () {
    const { build, ledger, state } = yield* ledgerState(10_000)
    const open = yield* build()
    return { build: () => ledger.settle(open, outcome(300)), state, idempotent: true }
  }),
  release: Effect.gen(function* () {
    const { build, ledger, state } = yield* ledgerState(10_000)
    const open = yield* build()
    return { build: () => ledger.release(open, "failed_request"), state, idempotent: true }
  }),
  "end and book": Effect.gen(function* () {
    const { build, ledger, state } = yield* ledgerState(10_000)
    const open = yield* build()
    const end = () => Effect.flatMap(ledger.end(open, outcome(300)), (ended) => ledger.book(ended, "request"))
    return { build: end, state, idempotent: true }
  })
}

/** A ledger with one key whose budget is `limit` nano-USD. A reservation takes 1,000 of it. */
const ledgerState = Effect.fnUntraced(function* (limit: number) {
  const ledger = yield* SpendLedger
  const caller = keyWith([budget(limit)])
  const build = () => ledger.reserve(intent(caller))
  const state = Effect.all([
    ledger.budgets("key:key_a", caller.key.budgets),
    Effect.provideService(booked, SpendLedger, ledger)
  ])
  return { build, ledger, state }
})

export const keyStoreMethods: Methods<KeyStore> = {
  authenticate: Effect.gen(function* () {
    const keys = yield* KeyStore
    const { record, secret } = yield* keys.create({})
    let minutes = 0
    const later = Effect.suspend(() => TestClock.adjust(minutes++ === 0 ? 0 : "2 minutes"))
    return {
      // A last use is recorded once a minute.
      build: () => Effect.andThen(later, keys.authenticate(secret)),
      state: Effect.map(keys.get(record.id), ({ lastUsedAt }) => lastUsedAt),
      refuse: Effect.as(keys.update(record.id, { disabled: true }), keys.update(record.id, { disabled: false }))
    }
  }),
  create: Effect.gen(function* () {
    const keys = yield* KeyStore
    return { build: () => keys.create({ name: "ci" }), state: keys.count }
  }),
  revoke: Effect.gen(function* () {
    const keys = yield* KeyStore
    const { record } = yield* keys.create({})
    const state = Effect.map(keys.get(record.id), ({ revokedAt }) => revokedAt)
    return { build: () => keys.revoke(record.id), state, idempotent: true }
  })
}

export const ledgerJournalMethods: Methods<LedgerJournal> = {
  reserve: Effect.gen(function* () {
    const journal = yield* LedgerJournal
    // The row is queued; a window that is opened after it is answered once both are written.
    const state = Effect.andThen(journal.openWindow(today("key:other")), journal.lastId)
    return { build: () => journal.reserve(reservation({ id: 5 })), state, idempotent: true }
  }),
  settle: Effect.gen(function* () {
    const journal = yield* LedgerJournal
    const row = reservation({ id: 5 })
    yield* journal.reserve(row)
    const build = () => journal.settle(settlement(row, { charges: [today("key:key_a")] }))
    return { build, state: journal.spend(everything), idempotent: true }
  })
}

export const rotationMethods: Methods<RotationRepository> = {
  setDisabled: Effect.gen(function* () {
    const rotation = yield* RotationRepository
    return { build: () => rotation.setDisabled(["a"], true), state: rotation.disabled, idempotent: true }
  })
}
