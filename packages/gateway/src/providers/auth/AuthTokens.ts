/** Tokens that run out: one is fetched when it is first needed, and again before it runs out, once for all requests that wait. */
import { Clock, Deferred, Effect, Exit, type Redacted } from "effect"
import type { AuthFailed } from "../../core/pool/Auth.ts"

export interface Token<A = string> {
  readonly value: Redacted.Redacted<A>
  /** Epoch ms. */
  readonly endsAt: number
}

/** How long before its end a token is renewed, while requests go on with it: but never in the first half of its life. */
const EARLY_MS = 5 * 60_000
/** In its last seconds a token may run out on the way. */
const LATE_MS = 10_000
/** After an early renewal that failed the next one waits: the token still holds. */
const PAUSE_MS = 30_000

interface HeldToken<A> extends Token<A> {
  readonly renewAt: number
}

/** The token in force. `fetch` asks for one; its failure is that of all who wait for it, and the next request tries again. */
export const heldToken = <A = string>(
  fetch: Effect.Effect<Token<A>, AuthFailed>
): Effect.Effect<Redacted.Redacted<A>, AuthFailed> => {
  let held: HeldToken<A> | undefined
  let waiting: Deferred.Deferred<Token<A>, AuthFailed> | undefined

  const keep = Effect.fnUntraced(function* (began: number, exit: Exit.Exit<Token<A>, AuthFailed>) {
    waiting = undefined
    if (Exit.isSuccess(exit)) {
      const { endsAt } = exit.value
      held = { ...exit.value, renewAt: endsAt - Math.min(EARLY_MS, (endsAt - began) / 2) }
    } else if (held !== undefined) {
      const now = yield* Clock.currentTimeMillis
      held = { ...held, renewAt: Math.min(now + PAUSE_MS, held.endsAt - LATE_MS) }
    }
  })

  /** Runs apart from the request that needs it first, which may be given up. */
  const refresh = Effect.fnUntraced(function* (began: number) {
    if (waiting !== undefined) return waiting
    const deferred = Deferred.makeUnsafe<Token<A>, AuthFailed>()
    waiting = deferred
    const fetched = Effect.flatMap(Effect.exit(fetch), (exit) =>
      Effect.andThen(keep(began, exit), Deferred.done(deferred, exit))
    )
    yield* Effect.forkDetach(fetched)
    return deferred
  })

  return Effect.flatMap(Clock.currentTimeMillis, (now) => {
    if (held !== undefined && now < held.renewAt) return Effect.succeed(held.value)
    if (held !== undefined && now < held.endsAt - LATE_MS) return Effect.as(refresh(now), held.value)
    return Effect.map(Effect.flatMap(refresh(now), Deferred.await), ({ value }) => value)
  })
}
