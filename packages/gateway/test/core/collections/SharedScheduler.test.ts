import { assert, describe, it } from "@effect/vitest"
import { Effect, Scheduler } from "effect"
import { SharedScheduler, together } from "../../../src/core/collections/Together.ts"

const queued = () => {
  const dispatcher = new SharedScheduler().makeDispatcher()
  const ran: Array<string> = []
  const task = (name: string, more?: () => void) =>
    dispatcher.scheduleTask(() => {
      ran.push(name)
      more?.()
    }, 0)
  return { dispatcher, ran, task }
}

describe("SharedScheduler", () => {
  it("runs tasks in the order they came, those of other tasks last", () => {
    const { dispatcher, ran, task } = queued()
    task("one", () => task("three"))
    task("two")
    dispatcher.flush()
    assert.deepStrictEqual(ran, ["one", "two", "three"])
  })

  it("runs nothing twice when a task empties the queue", () => {
    const { dispatcher, ran, task } = queued()
    task("one", () => {
      task("two")
      dispatcher.flush()
    })
    task("three")
    dispatcher.flush()
    assert.sameMembers(ran, ["one", "two", "three"])
  })

  it.live("takes the fibers of one iteration from step to step", () =>
    Effect.gen(function* () {
      const steps: Array<string> = []
      const request = (name: string) =>
        Effect.gen(function* () {
          for (const step of [1, 2]) {
            yield* together
            steps.push(`${name}${step}`)
          }
        })
      const shared = new SharedScheduler()
      yield* Effect.forEach(
        ["a", "b", "c"],
        (name) => Effect.provideService(request(name), Scheduler.Scheduler, shared),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(steps, ["a1", "b1", "c1", "a2", "b2", "c2"])
    })
  )
})
