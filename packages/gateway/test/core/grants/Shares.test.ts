/** Limits that several nodes share: together they never give out more than there is, and all of it is of use. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Scope } from "effect"
import { TestClock } from "effect/testing"
import * as SqliteStore from "../../../src/storage/sqlite/file/SqliteStore.ts"
import { budget, callerWith, noLimits, NOW, seeded } from "../call/Support.ts"
import { intent, keyWith, outcome } from "../ledger/Books.ts"
import { always } from "../ledger/LedgerWorld.ts"
import { ownership, type TestNode } from "./Nodes.ts"

/** While time goes by: who calls back a share waits a moment for its holder. */
const inTime = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const fiber = yield* Effect.forkChild(effect)
    while (fiber.pollUnsafe() === undefined) yield* TestClock.adjust(50)
    return yield* Fiber.join(fiber)
  })

describe("shares of a limit", () => {
  // The test to read first: one budget, three nodes, and one of them is cut off in between.
  it.effect("three nodes spend one budget to its end and no further, also while one of them is cut off", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(NOW)
      const { join } = yield* ownership
      const [one, two, three] = [yield* join, yield* join, yield* join]
      const caller = keyWith([budget(100_000)])
      let spent = 0
      // Each request costs at most 1,000, and 1,000 it is. Where there is no room, it is refused.
      const request = ({ ledger }: TestNode) =>
        Effect.gen(function* () {
          const reservation = yield* ledger.reserve(intent(caller))
          spent += yield* ledger.settle(reservation, outcome(1_000))
        }).pipe(Effect.ignore)
      for (const node of [one, two, three]) yield* request(node)
      assert.strictEqual(spent, 3_000)

      // What it holds is its own: cut off from the others, it spends that, and no more.
      three.link.isUp = false
      yield* Effect.replicateEffect(request(three), 100)
      const alone = spent - 3_000
      assert.isAbove(alone, 0)
      assert.isBelow(alone, 97_000)

      // The others can't call its share back. So they leave it alone, and spend all the rest.
      yield* inTime(Effect.replicateEffect(Effect.andThen(request(one), request(two)), 100))
      assert.isAtMost(spent, 100_000)

      // It is back. What it did not use is of use to all.
      three.link.isUp = true
      yield* inTime(Effect.replicateEffect(request(two), 100))
      assert.strictEqual(spent, 100_000)
      const [books] = yield* one.ledger.spend({ visibility: "all", ...always, groupBy: [] })
      assert.strictEqual(books?.cost, 100_000)
    }).pipe(Effect.scoped, Effect.provide(SqliteStore.layerMemory))
  )

  it.effect("no minute over three nodes holds more than the limit, all of it is used, and slots come back", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(NOW)
      const { join } = yield* ownership
      const nodes = [yield* join, yield* join, yield* join]
      const caller = callerWith({ limits: { ...noLimits, rpm: 30, maxParallel: 4 } })
      const chance = seeded(5)
      const admitted: Array<number> = []
      let running: Array<{ readonly until: number; readonly scope: Scope.Closeable }> = []
      for (let at = NOW; at < NOW + 600_000; at += 1 + chance.below(500)) {
        yield* TestClock.setTime(at)
        for (const { scope, until } of running) if (until <= at) yield* Scope.close(scope, Exit.void)
        running = running.filter(({ until }) => until > at)
        const scope = yield* Scope.make()
        const asked = chance.pick(nodes).limiter.admit(caller, 0)
        const result = yield* Effect.exit(Effect.provideService(asked, Scope.Scope, scope))
        if (Exit.isFailure(result)) continue
        admitted.push(at)
        running = [...running, { until: at + chance.below(2_000), scope }]
        assert.isAtMost(running.length, 4)
      }
      const inWindow = admitted.map((end) => admitted.filter((at) => at > end - 60_000 && at <= end).length)
      assert.strictEqual(Math.max(...inWindow), 30)
      assert.strictEqual(admitted.length, 300)
    }).pipe(Effect.scoped, Effect.provide(SqliteStore.layerMemory))
  )

  it.effect("where a load stays what it is, no request waits for a question", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(NOW)
      const { join } = yield* ownership
      const nodes = [yield* join, yield* join, yield* join]
      const budgets = [budget(100_000_000)]
      const caller = callerWith({ limits: { ...noLimits, rpm: 1_000, maxParallel: 40 }, budgets })
      const request = ({ ledger, limiter }: TestNode) =>
        Effect.gen(function* () {
          yield* limiter.admit(caller, 0)
          yield* ledger.settle(yield* ledger.reserve(intent(caller)), outcome(1_000))
        }).pipe(Effect.scoped)
      const questions = () => nodes.reduce((sum, { link }) => sum + link.questions, 0)
      const minutes = Effect.fnUntraced(function* (count: number) {
        for (let second = 0; second < 60 * count; second++) {
          for (const node of nodes) yield* Effect.replicateEffect(request(node), 4)
          yield* TestClock.adjust("1 second")
        }
      })
      yield* minutes(2)
      const before = questions()
      assert.isAbove(before, 0)
      yield* minutes(3)
      // What it spent of its budget each asks for anew, once or twice a minute, and nothing else.
      assert.isAtMost(questions() - before, 2 * 3 * 3)
    }).pipe(Effect.scoped, Effect.provide(SqliteStore.layerMemory))
  )

  it.effect("requests that wait for one answer are all admitted while there is room", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(NOW)
      const { join } = yield* ownership
      const nodes = [yield* join, yield* join, yield* join]
      const caller = callerWith({ limits: { ...noLimits, maxParallel: 12 } })
      for (const { link } of nodes) link.ms = 5
      const scope = yield* Scope.make()
      const admit = ({ limiter }: TestNode) =>
        Effect.exit(Effect.provideService(limiter.admit(caller, 0), Scope.Scope, scope))
      const asked = [...nodes, ...nodes, ...nodes, ...nodes].map(admit)
      const exits = yield* inTime(Effect.all(asked, { concurrency: "unbounded" }))
      assert.strictEqual(exits.filter(Exit.isSuccess).length, 12)
      assert.isTrue(Exit.isFailure(yield* inTime(admit(nodes[0]!))))
    }).pipe(Effect.scoped, Effect.provide(SqliteStore.layerMemory))
  )

  it.effect("a dead node's slots are free at once, its requests after a minute, and its open attempts are booked", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(NOW)
      const { books, join } = yield* ownership
      const [one, two] = [yield* join, yield* join]
      const caller = callerWith({ limits: { ...noLimits, rpm: 3, maxParallel: 3 }, budgets: [budget(10_000)] })
      const admit = ({ limiter }: TestNode) => Effect.isSuccess(Effect.scoped(limiter.admit(caller, 0)))
      const scope = yield* Scope.make()
      for (let count = 0; count < 3; count++) {
        yield* Effect.provideService(one.limiter.admit(caller, 0), Scope.Scope, scope)
      }
      const reservation = yield* one.ledger.reserve(intent(caller))
      assert.isFalse(yield* admit(two))

      assert.strictEqual(yield* books.buried(one.member, NOW + 1_000, "book"), 1)
      assert.isFalse(yield* admit(two))
      yield* TestClock.setTime(NOW + 60_000)
      assert.isTrue(yield* admit(two))
      const [state] = yield* two.ledger.budgets("key:key_a", caller.key.budgets)
      assert.deepInclude(state, { spent: reservation.reserved, reserved: 0 })
      const [row] = yield* two.ledger.spend({ visibility: "all", ...always, groupBy: [] })
      assert.deepInclude(row, { cost: 1_000, estimatedCost: 1_000, failedRequests: 1 })

      // What it had sent before its end, and is read only now, is booked, too.
      yield* one.ledger.reserve(intent(caller))
      const [both] = yield* two.ledger.spend({ visibility: "all", ...always, groupBy: [] })
      assert.deepInclude(both, { cost: 2_000, estimatedCost: 2_000, failedRequests: 2 })
    }).pipe(Effect.scoped, Effect.provide(SqliteStore.layerMemory))
  )

  it.effect(
    "the last request that fits is admitted where each node holds a part of its room, however many ask at once",
    () =>
      Effect.gen(function* () {
        yield* TestClock.setTime(NOW)
        const { join } = yield* ownership
        const nodes = [yield* join, yield* join]
        const caller = keyWith([budget(2_000)])
        // Each is left with half of the room for one more.
        for (const { ledger } of nodes) yield* ledger.settle(yield* ledger.reserve(intent(caller)), outcome(500))
        for (const { link } of nodes) link.ms = 20
        const all = Effect.forEach(
          [...nodes, ...nodes, ...nodes],
          ({ ledger }) => Effect.isSuccess(ledger.reserve(intent(caller))),
          { concurrency: "unbounded" }
        )
        assert.lengthOf((yield* inTime(all)).filter(Boolean), 1)
      }).pipe(Effect.scoped, Effect.provide(SqliteStore.layerMemory))
  )

  it.effect("tokens used beyond what was expected are paid by the next that are free, at whichever node", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(NOW)
      const { join } = yield* ownership
      const [one, two, three] = [yield* join, yield* join, yield* join]
      const caller = callerWith({ limits: { ...noLimits, tpm: 1_000 } })
      const use = ({ limiter }: TestNode, expected: number, used = expected) =>
        Effect.flatMap(limiter.admit(caller, expected), (permit) => permit.settle(used)).pipe(
          Effect.scoped,
          Effect.isSuccess
        )
      assert.isTrue(yield* use(two, 800))
      yield* TestClock.adjust("10 seconds")
      assert.isTrue(yield* use(one, 100, 500))
      // 1,300 are used. A minute after the first 800, half of the limit is free, and not what the second node held.
      yield* TestClock.adjust("50 seconds")
      yield* TestClock.adjust(1)
      for (const node of [one, two, three]) assert.isFalse(yield* inTime(use(node, 501)))
      assert.isTrue(yield* inTime(use(two, 250)))
      assert.isTrue(yield* inTime(use(three, 250)))
      for (const node of [one, two, three]) assert.isFalse(yield* inTime(use(node, 1)))
      // The debt is a minute old: its tokens are free, and nothing of before is kept from anybody.
      yield* TestClock.adjust("10 seconds")
      assert.isTrue(yield* inTime(use(three, 500)))
      assert.isFalse(yield* inTime(use(one, 1)))
    }).pipe(Effect.scoped, Effect.provide(SqliteStore.layerMemory))
  )

  for (const [what, tpm, others] of [
    ["others ask where it is idle", 1_000, 20],
    ["an administrator changes the limit", 1_001, 0]
  ] as const) {
    it.effect(`what a node keeps free for tokens that another has used it keeps, also when ${what}`, () =>
      Effect.gen(function* () {
        yield* TestClock.setTime(NOW)
        const { join } = yield* ownership
        const [one, two, three] = [yield* join, yield* join, yield* join]
        const use = ({ limiter }: TestNode, id: string, limit: number, expected: number, used = expected) =>
          Effect.flatMap(limiter.admit(callerWith({ id, limits: { ...noLimits, tpm: limit } }), expected), (permit) =>
            permit.settle(used)
          ).pipe(Effect.scoped, Effect.isSuccess)
        assert.isTrue(yield* use(two, "key_a", 1_000, 800))
        yield* TestClock.adjust("40 seconds")
        // Of the 1,000 there are 800 at the second node: until they are free it owes them.
        assert.isTrue(yield* use(one, "key_a", 1_000, 200, 1_000))
        yield* TestClock.adjust("20 seconds")
        yield* TestClock.adjust(1)
        for (let index = 0; index < others; index++) yield* use(two, `key_${index}`, 10, 1)
        for (const node of [two, three, one]) assert.isFalse(yield* inTime(use(node, "key_a", tpm, 500)))
        yield* TestClock.adjust("40 seconds")
        assert.isTrue(yield* inTime(use(three, "key_a", tpm, 1_000)))
      }).pipe(Effect.scoped, Effect.provide(SqliteStore.layerMemory))
    )
  }

  it.effect("tokens used beyond what was expected are taken from what is free, where others have nothing free", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(NOW)
      const { join } = yield* ownership
      const [one, two, three] = [yield* join, yield* join, yield* join]
      const caller = callerWith({ limits: { ...noLimits, tpm: 1_000 } })
      const use = ({ limiter }: TestNode, expected: number, used = expected) =>
        Effect.flatMap(limiter.admit(caller, expected), (permit) => permit.settle(used)).pipe(
          Effect.scoped,
          Effect.isSuccess
        )
      assert.isTrue(yield* use(three, 300, 0))
      assert.isTrue(yield* use(two, 400))
      assert.isTrue(yield* use(one, 100, 900))
      // 1,300 are used.
      for (const node of [three, two, one]) assert.isFalse(yield* inTime(use(node, 1)))
    }).pipe(Effect.scoped, Effect.provide(SqliteStore.layerMemory))
  )

  it.effect("tokens that nobody could be told of count at all nodes once the owner is reached again", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(NOW)
      const { join } = yield* ownership
      const [one, two] = [yield* join, yield* join]
      const caller = callerWith({ limits: { ...noLimits, tpm: 1_000 } })
      const admit = ({ limiter }: TestNode, tokens: number) => Effect.scoped(limiter.admit(caller, tokens))
      const permits = yield* Effect.replicateEffect(admit(one, 10), 2)
      yield* admit(two, 10)
      one.link.isUp = false
      for (const permit of permits) yield* permit.settle(500)
      const before = one.link.questions
      yield* TestClock.adjust("10 seconds")
      // However many answers that were.
      assert.isAtMost(one.link.questions - before, 10)
      assert.isTrue(yield* Effect.isSuccess(admit(two, 10)))
      one.link.isUp = true
      yield* TestClock.adjust("1 second")
      assert.isFalse(yield* inTime(Effect.isSuccess(admit(two, 10))))
    }).pipe(Effect.scoped, Effect.provide(SqliteStore.layerMemory))
  )

  it.effect("what requests held when a budget was lowered is not given out again when they cost less", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(NOW)
      const { join } = yield* ownership
      const [one, two] = [yield* join, yield* join]
      const [before, after] = [keyWith([budget(10_000)]), keyWith([budget(5_000)])]
      const slow = yield* two.ledger.reserve(intent(before))
      for (let index = 0; index < 6; index++) {
        yield* one.ledger.settle(yield* one.ledger.reserve(intent(before)), outcome(1_000))
      }
      for (const node of [one, two]) yield* Effect.flip(node.ledger.reserve(intent(after)))
      yield* two.ledger.settle(slow, outcome(0))
      for (const node of [one, two]) yield* Effect.flip(node.ledger.reserve(intent(after)))
      const raised = keyWith([budget(7_000)])
      yield* two.ledger.settle(yield* two.ledger.reserve(intent(raised)), outcome(1_000))
      for (const node of [one, two]) yield* Effect.flip(node.ledger.reserve(intent(raised)))
    }).pipe(Effect.scoped, Effect.provide(SqliteStore.layerMemory))
  )

  it.effect("a limit that is lowered holds over all nodes together, also once what they had used is free", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(NOW)
      const { join } = yield* ownership
      const nodes = [yield* join, yield* join, yield* join]
      const admit = ({ limiter }: TestNode, rpm: number) =>
        Effect.isSuccess(Effect.scoped(limiter.admit(callerWith({ limits: { ...noLimits, rpm } }), 0)))
      for (const node of nodes) for (let index = 0; index < 10; index++) assert.isTrue(yield* admit(node, 100))
      for (const node of nodes) assert.isFalse(yield* admit(node, 5))
      yield* TestClock.adjust("60 seconds")
      let admitted = 0
      for (let round = 0; round < 6; round++) for (const node of nodes) if (yield* admit(node, 5)) admitted++
      assert.strictEqual(admitted, 5)
    }).pipe(Effect.scoped, Effect.provide(SqliteStore.layerMemory))
  )

  it.effect("a limit that is lowered holds at every node from its next request on", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(NOW)
      const { join } = yield* ownership
      const nodes = [yield* join, yield* join, yield* join]
      const admit = ({ limiter }: TestNode, rpm: number) =>
        Effect.isSuccess(Effect.scoped(limiter.admit(callerWith({ limits: { ...noLimits, rpm } }), 0)))
      for (const node of nodes) assert.isTrue(yield* admit(node, 100))
      let admitted = 3
      for (let round = 0; round < 20; round++) {
        for (const node of nodes) if (yield* admit(node, 5)) admitted++
      }
      assert.strictEqual(admitted, 5)
    }).pipe(Effect.scoped, Effect.provide(SqliteStore.layerMemory))
  )
})
