import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { collectWhenQuiet, processHeap } from "../../../src/cli/process/QuietHeap.ts"

const MB = 1024 * 1024

/** A heap of 100 MB after each collection, and an event loop as busy as the test says. */
class MadeUp {
  bytes = 100 * MB
  share = 0
  collections = 0
  readonly busy = () => this.share
  readonly size = () => this.bytes
  readonly collect = () => {
    this.collections++
    this.bytes = 100 * MB
  }
}

describe("QuietHeap", () => {
  it.effect("never stops a server that is busy from its start on", () =>
    Effect.gen(function* () {
      const heap = new MadeUp()
      heap.share = 0.1
      const running = yield* Effect.forkChild(collectWhenQuiet(heap))
      yield* TestClock.adjust("10 minutes")
      assert.strictEqual(heap.collections, 0)
      yield* Fiber.interrupt(running)
    })
  )

  it.effect(
    "collects ten seconds after the start, and again once the heap has grown and the server is quiet for half a minute",
    () =>
      Effect.gen(function* () {
        const heap = new MadeUp()
        const running = yield* Effect.forkChild(collectWhenQuiet(heap))
        yield* TestClock.adjust("9 seconds")
        assert.strictEqual(heap.collections, 0)
        yield* TestClock.adjust("1 second")
        assert.strictEqual(heap.collections, 1)

        heap.share = 0.4
        heap.bytes = 300 * MB
        yield* TestClock.adjust("1 minute")
        assert.strictEqual(heap.collections, 1)

        heap.share = 0.0005
        yield* TestClock.adjust("25 seconds")
        assert.strictEqual(heap.collections, 1)
        yield* TestClock.adjust("5 seconds")
        assert.strictEqual(heap.collections, 2)

        yield* TestClock.adjust("1 hour")
        assert.strictEqual(heap.collections, 2)
        yield* Fiber.interrupt(running)
      })
  )

  it.effect("collects what the start left of a small heap, too", () =>
    Effect.gen(function* () {
      const heap = new MadeUp()
      heap.bytes = 20 * MB
      const running = yield* Effect.forkChild(collectWhenQuiet(heap))
      yield* TestClock.adjust("10 seconds")
      assert.strictEqual(heap.collections, 1)
      yield* Fiber.interrupt(running)
    })
  )

  it.effect("collects after ten seconds what was no work to speak of", () =>
    Effect.gen(function* () {
      const heap = new MadeUp()
      const running = yield* Effect.forkChild(collectWhenQuiet(heap))
      yield* TestClock.adjust("10 seconds")
      heap.share = 0.1
      heap.bytes = 300 * MB
      yield* TestClock.adjust("5 seconds")
      heap.share = 0
      yield* TestClock.adjust("10 seconds")
      assert.strictEqual(heap.collections, 2)
      yield* Fiber.interrupt(running)
    })
  )

  it.effect("leaves a heap alone that has hardly grown", () =>
    Effect.gen(function* () {
      const heap = new MadeUp()
      const running = yield* Effect.forkChild(collectWhenQuiet(heap))
      yield* TestClock.adjust("10 seconds")
      heap.bytes = 120 * MB
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(heap.collections, 1)
      yield* Fiber.interrupt(running)
    })
  )

  it.effect("of a process: a collection takes away what nobody holds", () =>
    Effect.gen(function* () {
      const heap = yield* processHeap
      assert.isAtLeast(heap.busy(), 0)
      heap.collect()
      const before = heap.size()
      let held: ReadonlyArray<object> = Array.from({ length: 500_000 }, (_, index) => ({ index }))
      const grown = heap.size() - before
      assert.strictEqual(held.length, 500_000)
      held = []
      heap.collect()
      assert.strictEqual(held.length, 0)
      assert.isAbove(grown, 8 * MB)
      assert.isBelow(heap.size() - before, 8 * MB)
    })
  )
})
