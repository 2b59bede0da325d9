/** Time for requests that wait. */
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { countTokens } from "../../../src/core/operations/Tokens.ts"

/** Time goes on by itself while `effect` runs. */
export const inTime = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    // The tokenizer is read from a file, for which a test clock does not wait.
    yield* countTokens("read the ranks", "openai-chat")
    const fiber = yield* Effect.forkChild(effect)
    for (let i = 0; i < 150; i++) yield* TestClock.adjust("5 seconds")
    return yield* Fiber.join(fiber)
  })
