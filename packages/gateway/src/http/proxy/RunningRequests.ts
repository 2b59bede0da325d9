/** The fibers of requests that run. As `FiberSet`, but on a `Roster`: a set would keep requests in memory long after their end. */
import { Effect, type Exit, Fiber, Latch, type Scope } from "effect"
import { type RosterMember, NOWHERE, Roster } from "../../core/collections/Roster.ts"

interface RunningFiber<A, E> extends RosterMember {
  /** Undefined until it waits for something. */
  fiber: Fiber.Fiber<A, E> | undefined
}

export class Running<A, E> {
  private readonly fibers = new Roster<RunningFiber<A, E>>()
  /** Open while none runs. */
  private readonly none = Latch.makeUnsafe(true)
  private isOver = false
  private readonly fork: (effect: Effect.Effect<A, E>) => Fiber.Fiber<A, E>

  private constructor(fork: (effect: Effect.Effect<A, E>) => Fiber.Fiber<A, E>) {
    this.fork = fork
  }

  /** When the Scope closes, all that run are interrupted, and so is each that begins later. */
  static make = Effect.fnUntraced(function* <A, E>(): Effect.fn.Return<Running<A, E>, never, Scope.Scope> {
    const fork = Effect.runForkWith(yield* Effect.context())
    const running = new Running<A, E>((effect) => fork(effect))
    yield* Effect.addFinalizer(() =>
      Effect.suspend(() => {
        running.isOver = true
        return running.interrupt
      })
    )
    return running
  })

  /**
   * `ended` is called at the end, however it comes. Observers of a fiber are an array, which V8 may keep in old space, with all that
   * they lead to, until the next full collection.
   */
  run(effect: Effect.Effect<A, E>, ended: (exit: Exit.Exit<A, E>) => void = () => {}): Fiber.Fiber<A, E> {
    const entry: RunningFiber<A, E> = { fiber: undefined, place: NOWHERE }
    if (this.fibers.size === 0) this.none.closeUnsafe()
    this.fibers.add(entry)
    const whole = Effect.onExitPrimitive(this.isOver ? Effect.interrupt : effect, (exit) => {
      this.fibers.delete(entry)
      if (this.fibers.size === 0) this.none.openUnsafe()
      ended(exit)
      return undefined
    })
    return (entry.fiber = this.fork(whole))
  }

  get count(): Effect.Effect<number> {
    return Effect.sync(() => this.fibers.size)
  }

  /** Completes when none runs. */
  get ended(): Effect.Effect<void> {
    return this.none.await
  }

  /** Completes when those that run now have ended. */
  get interrupt(): Effect.Effect<void> {
    return Effect.suspend(() => Fiber.interruptAll(this.fibers.all().flatMap(({ fiber }) => fiber ?? [])))
  }
}
