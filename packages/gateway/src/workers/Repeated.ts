/** The requests with an `Idempotency-Key` that run in one worker, as the owner knows them. */
import { Effect, Exit, Scope } from "effect"
import type { StoreUnavailable } from "../core/domain/Errors.ts"
import type { Idempotency, Repeatable } from "../core/idempotency/Idempotency.ts"
import type { KeptAnswer } from "../core/idempotency/IdempotencyRepository.ts"
import type { Channel } from "./Channel.ts"
import type { OwnersAnswer } from "./WorkerPorts.ts"

/** `close`: the worker is gone, and none of its requests runs any more. */
export const repeated = (
  channel: Channel,
  repeats: Idempotency["Service"],
  run: (effect: Effect.Effect<void>) => void
): { readonly close: Effect.Effect<void> } => {
  const all = Scope.makeUnsafe("parallel")
  const running = new Map<number, { readonly scope: Scope.Closeable; readonly keep: Keep }>()
  let last = 0
  const release = (claim: number) =>
    Effect.suspend(() => {
      const known = running.get(claim)
      running.delete(claim)
      return known === undefined ? Effect.void : Scope.close(known.scope, Exit.void)
    })
  channel.answer("idempotency.begin", (wish: Repeatable) =>
    Effect.gen(function* () {
      // Of a worker that is gone by the time the store answers, it is closed already.
      const scope = Scope.forkUnsafe(all)
      const begun = yield* Effect.result(Effect.provideService(repeats.begin(wish), Scope.Scope, scope))
      if (begun._tag === "Success" && begun.success.kind === "first") {
        const claim = ++last
        running.set(claim, { scope, keep: begun.success.keep })
        return { kind: "first", claim } satisfies OwnersAnswer
      }
      yield* Scope.close(scope, Exit.void)
      if (begun._tag === "Success") return begun.success
      const { failure } = begun
      if (failure._tag === "StoreUnavailable") return yield* failure
      return { kind: "conflict", why: failure.why } satisfies OwnersAnswer
    })
  )
  channel.answer("idempotency.keep", (claim: number, answer: KeptAnswer) =>
    Effect.suspend(() => running.get(claim)?.keep(answer) ?? Effect.succeed(false))
  )
  channel.answer("idempotency.erase", (keyId: string, responseId?: string) => repeats.erase(keyId, responseId))
  channel.listen("idempotency.release", (claim: number) => run(release(claim)))
  return { close: Scope.close(all, Exit.void) }
}

type Keep = (answer: KeptAnswer) => Effect.Effect<boolean, StoreUnavailable>
