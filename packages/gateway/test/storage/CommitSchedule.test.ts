import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { FULL_BATCH, InCompany, MAX_GROUP } from "../../src/storage/sqlite/writer/CommitSchedule.ts"

/** A schedule on a clock of the test's, whose milliseconds of company end when the test says so, and a queue that counts. */
const made = () => {
  const waits: Array<() => void> = []
  const lengths: Array<number> = []
  const times = { now: 0 }
  const schedule = new InCompany(
    () => times.now,
    (begin, ms) => {
      waits.push(begin)
      lengths.push(ms)
    }
  )
  const queue = {
    waiting: 0,
    isUrgent: false,
    groups: [] as Array<number>,
    flush: () => {
      queue.groups.push(queue.waiting)
      queue.waiting = 0
    }
  }
  return { lengths, queue, schedule, times, waits }
}

const turns = (count: number) =>
  Effect.promise(async () => {
    for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve))
  })

describe("CommitSchedule", () => {
  it.effect("the first commit waits for nobody, one close behind it waits for company", () =>
    Effect.gen(function* () {
      const { queue, schedule, times, waits } = made()
      queue.waiting = 1
      schedule.soon(queue)
      yield* turns(4)
      assert.deepStrictEqual(queue.groups, [1])

      times.now = 1
      queue.waiting = 1
      schedule.soon(queue)
      yield* turns(20)
      assert.deepStrictEqual(queue.groups, [1])
      queue.waiting = 3
      assert.strictEqual(waits.length, 1)
      waits[0]!()
      assert.deepStrictEqual(queue.groups, [1, 3])

      times.now = 3
      queue.waiting = 1
      schedule.soon(queue)
      yield* turns(4)
      assert.deepStrictEqual(queue.groups, [1, 3, 1])
      assert.strictEqual(waits.length, 1)
    })
  )

  it.effect("a change by itself, and a full transaction, wait for no company", () =>
    Effect.gen(function* () {
      const { queue, schedule, waits } = made()
      queue.waiting = 1
      schedule.soon(queue)
      yield* turns(4)
      queue.waiting = 1
      queue.isUrgent = true
      schedule.soon(queue)
      yield* turns(4)
      queue.isUrgent = false
      queue.waiting = MAX_GROUP
      schedule.soon(queue)
      yield* turns(4)
      assert.deepStrictEqual(queue.groups, [1, 1, MAX_GROUP])
      assert.strictEqual(waits.length, 0)
    })
  )

  it.effect(
    "company that is large enough, or in a hurry, ends the wait, and what waited does not cut the next one short",
    () =>
      Effect.gen(function* () {
        const { queue, schedule, times, waits } = made()
        const add = (count: number) => {
          queue.waiting += count
          schedule.more(queue)
        }
        queue.waiting = 1
        schedule.soon(queue)
        yield* turns(4)
        queue.waiting = 1
        schedule.soon(queue)
        add(FULL_BATCH - 2)
        yield* turns(20)
        assert.deepStrictEqual(queue.groups, [1])
        add(1)
        yield* turns(4)
        assert.deepStrictEqual(queue.groups, [1, FULL_BATCH])

        times.now = 1
        queue.waiting = 1
        schedule.soon(queue)
        assert.strictEqual(waits.length, 2)
        waits[0]!()
        yield* turns(20)
        assert.deepStrictEqual(queue.groups, [1, FULL_BATCH])
        queue.isUrgent = true
        add(1)
        yield* turns(4)
        assert.deepStrictEqual(queue.groups, [1, FULL_BATCH, 2])
        waits[1]!()
        assert.deepStrictEqual(queue.groups, [1, FULL_BATCH, 2])
      })
  )

  it.effect("turns that each bring more share a transaction, but only some", () =>
    Effect.gen(function* () {
      const { queue, schedule } = made()
      queue.waiting = 1
      schedule.soon(queue)
      for (let turn = 0; turn < 20 && queue.groups.length === 0; turn++) {
        yield* turns(1)
        if (queue.groups.length === 0) queue.waiting++
      }
      assert.strictEqual(queue.groups.length, 1)
      assert.isAtLeast(queue.groups[0]!, 7)
      assert.isAtMost(queue.groups[0]!, 9)
    })
  )
})
