/** Codes for links that a gateway prints on its terminal. Each opens one session; a restart ends them. */
import { Clock, Context, Effect, Layer } from "effect"
import { hashOf, randomBase62 } from "../keys/Credential.ts"

const CODE_MS = 5 * 60_000

/** 43 base62 characters hold 256 bits. */
const LENGTH = 43

export class SignInCodes extends Context.Service<
  SignInCodes,
  {
    readonly issue: Effect.Effect<string>
    /** Whether it may open a session now. It may not a second time. */
    readonly take: (code: string) => Effect.Effect<boolean>
  }
>()("gateway/core/SignInCodes") {
  static readonly layer = Layer.sync(SignInCodes, () => {
    /** By hash, when they were made. Looking a hash up tells nothing of codes that are near. */
    const made = new Map<string, number>()

    const isGood = (madeAt: number, now: number) => now >= madeAt && now < madeAt + CODE_MS

    const issue = Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      for (const [hash, madeAt] of made) if (!isGood(madeAt, now)) made.delete(hash)
      const code = randomBase62(LENGTH)
      made.set(hashOf(code), now)
      return code
    })

    const take = Effect.fnUntraced(function* (code: string) {
      const now = yield* Clock.currentTimeMillis
      const hash = hashOf(code)
      const madeAt = made.get(hash)
      made.delete(hash)
      return madeAt !== undefined && isGood(madeAt, now)
    })

    return { issue, take }
  })
}
