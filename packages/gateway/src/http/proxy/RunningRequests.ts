/** The fibers of requests that run. As `FiberSet`, but on a `Roster`: a set would keep requests in memory long after their end. */
import { Effect, Fiber, Latch, type Scope } from "effect"
import { type RosterMember, NOWHERE, Roster } from "../../core/collections/Roster.ts"

export class Running<A, E> {
  private readonly fibers = new Roster<RosterMember & { readonly fiber: Fiber.Fiber<A, E> }>()
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

  run(effect: Effect.Effect<A, E>): Fiber.Fiber<A, E> {
    const fiber = this.fork(this.isOver ? Effect.interrupt : effect)
    const entry = { fiber, place: NOWHERE }
    if (this.fibers.size === 0) this.none.closeUnsafe()
    this.fibers.add(entry)
    fiber.addObserver(() => {
      this.fibers.delete(entry)
      if (this.fibers.size === 0) this.none.openUnsafe()
    })
    return fiber
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
    return Effect.suspend(() => Fiber.interruptAll(this.fibers.all().map(({ fiber }) => fiber)))
  }
}
