/** A random world of several nodes with one limit of tokens: they have to decide as one process would. */
import { assert } from "@effect/vitest"
import { Effect, Exit, Layer, Random, Scope } from "effect"
import { TestClock } from "effect/testing"
import type { Permit } from "../../../src/core/limits/Admitted.ts"
import { RateLimiter } from "../../../src/core/limits/RateLimiter.ts"
import { callerWith, noLimits, NOW } from "../call/Support.ts"

const TPM = 1_000

interface World {
  readonly seed: number
  readonly steps: number
  /** An administrator changes the limit now and then. */
  readonly isChanged: boolean
}

interface Running {
  readonly expected: number
  readonly permits: ReadonlyArray<Permit>
}

/** → how many were admitted. */
export const asOneProcess = (
  nodes: ReadonlyArray<{ readonly limiter: RateLimiter["Service"] }>,
  { isChanged, seed, steps }: World
) =>
  Effect.gen(function* () {
    yield* TestClock.setTime(NOW)
    const alone = yield* Effect.provide(RateLimiter, Layer.fresh(RateLimiter.layerMemory))
    const scope = yield* Effect.scope
    const running: Array<Running> = []
    const decisions: Array<string> = []
    let tpm = TPM
    let admitted = 0
    for (let step = 0; step < steps; step++) {
      // What was refused is asked for again after a moment.
      yield* TestClock.adjust(yield* Random.nextIntBetween(30, yield* Random.choice([100, 2_000, 30_000])))
      if (isChanged && (yield* Random.next) < 0.1) tpm = yield* Random.nextIntBetween(200, 2 * TPM)
      const index = yield* Random.nextIntBetween(0, nodes.length - 1)
      const { limiter } = nodes[index]!
      if (running.length > 0 && (yield* Random.next) < 0.4) {
        const [one] = running.splice(yield* Random.nextIntBetween(0, running.length - 1), 1)
        const used = Math.floor(one!.expected * (yield* Random.choice([0, 0.5, 1, 1, 3, 6])))
        for (const permit of one!.permits) yield* permit.settle(used)
        decisions.push(`${one!.expected} became ${used}`)
        continue
      }
      const expected = yield* Random.nextIntBetween(1, yield* Random.choice([50, 200, 600]))
      const caller = callerWith({ limits: { ...noLimits, tpm } })
      const admit = (limiter: RateLimiter["Service"]) =>
        Effect.exit(Scope.provide(limiter.admit(caller, expected), scope))
      const [here, one] = [yield* admit(limiter), yield* admit(alone)]
      decisions.push(`${expected} of ${tpm} at node ${index}: ${here._tag}`)
      assert.strictEqual(here._tag, one._tag, decisions.join("\n"))
      if (Exit.isFailure(here) || Exit.isFailure(one)) continue
      admitted++
      running.push({ expected, permits: [here.value, one.value] })
    }
    return admitted
  }).pipe(Effect.scoped, Random.withSeed(`${seed}`))
