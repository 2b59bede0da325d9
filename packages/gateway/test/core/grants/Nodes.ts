/** Several nodes in memory on one store: what the tests of shares are about. */
import { Clock, Effect, Layer } from "effect"
import { GrantOwner } from "./GrantOwner.ts"
import { Grants } from "../../../src/core/grants/Grants.ts"
import { joinInMemory, type MemoryNode } from "./GrantsMemory.ts"
import { LedgerJournal } from "../../../src/core/ledger/LedgerJournal.ts"
import { LedgerOwner } from "./LedgerOwner.ts"
import { SpendLedger } from "../../../src/core/ledger/SpendLedger.ts"
import { RateLimiter } from "../../../src/core/limits/RateLimiter.ts"
import { limitersInTurn } from "./InTurn.ts"

export interface TestNode extends MemoryNode {
  readonly ledger: SpendLedger["Service"]
  readonly limiter: RateLimiter["Service"]
}

/** An owner of a store's limits, and how nodes join it. */
export const ownership = Effect.gen(function* () {
  const journal = yield* LedgerJournal
  const clock = yield* Clock.Clock
  const owner: GrantOwner = new GrantOwner({
    clock,
    open: ({ kind, scope, start }) => journal.openWindow({ scope, window: kind, start })
  })
  const books = new LedgerOwner(journal, owner, yield* journal.lastId)
  const join = Effect.gen(function* () {
    const node = joinInMemory(owner, books.standing)
    const services = yield* Layer.build(
      Layer.mergeAll(Layer.fresh(SpendLedger.layer), Layer.fresh(RateLimiter.layerMemory)).pipe(
        Layer.provide(Layer.succeed(LedgerJournal, books.journalOf(node.member))),
        Layer.provide(Layer.succeed(Grants, node.grants))
      )
    )
    return {
      ...node,
      ledger: yield* Effect.provideContext(SpendLedger, services),
      limiter: yield* Effect.provideContext(RateLimiter, services)
    } satisfies TestNode as TestNode
  })
  return { owner, books, join }
})

export const limiterOf = (nodes: number) =>
  Layer.effect(
    RateLimiter,
    Effect.gen(function* () {
      const { join } = yield* ownership
      return limitersInTurn((yield* Effect.replicateEffect(join, nodes)).map(({ limiter }) => limiter))
    })
  )

export const ledgerOnShares = Layer.effect(
  SpendLedger,
  Effect.gen(function* () {
    const { join } = yield* ownership
    return (yield* join).ledger
  })
)
