/** Limits of a key that three gateways serve at once; `rpm` over more than a minute of real time, for callers who wait as they are told. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { freshDatabase, isSkipped } from "../../support/postgres/Databases.ts"
import { chat, clusterOf, newKey } from "../../support/postgres/Gateways.ts"
import { completion, upstream } from "../../support/Upstream.ts"
import { longUsage } from "../Serving.ts"

const RPM = 40
const WINDOW_MS = 60_000
const CALLERS = 12

/** It waits for a minute, beside all that a busy machine makes longer. */
const LONGEST_MS = 240_000

interface Admitted {
  readonly sent: number
  readonly answered: number
}

/** As many as were surely admitted within the same minute as this one. */
const surelyInWindowOf = ({ sent }: Admitted, all: ReadonlyArray<Admitted>): number =>
  all.filter((other) => other.sent >= sent && other.answered < sent + WINDOW_MS).length

describe.skipIf(isSkipped)("requests a minute over three gateways", () => {
  it.live(
    "are all of use, never too many in any minute, and who waits as told is admitted",
    () =>
      Effect.gen(function* () {
        const database = yield* freshDatabase
        const { baseUrl } = yield* upstream(() => ({ body: completion("yes") }))
        const { start } = yield* clusterOf({ database, provider: baseUrl })
        const urls = (yield* Effect.replicateEffect(start, 3, { concurrency: 3 })).map(({ ready }) => ready)
        const { secret } = yield* newKey(urls[0]!, { limits: { rpm: RPM } })
        const admitted: Array<Admitted> = []
        let refusedAfterWait = 0
        const caller = Effect.fnUntraced(function* (first: number) {
          let hasWaited = false
          for (let turn = first; admitted.length < 2 * RPM; turn++) {
            const sent = performance.now()
            const { headers, status, text } = yield* chat(urls[turn % urls.length]!, secret)
            if (status === 200) {
              admitted.push({ sent, answered: performance.now() })
              hasWaited = false
              continue
            }
            assert.strictEqual(status, 429, text)
            if (hasWaited) refusedAfterWait++
            const seconds = Number(headers["retry-after"])
            assert.isTrue(Number.isInteger(seconds) && seconds >= 1 && seconds <= 60, `retry-after: ${seconds}`)
            if (admitted.length >= 2 * RPM) break
            yield* Effect.sleep(1_000 * seconds)
            hasWaited = true
          }
        })
        const began = performance.now()
        yield* Effect.forEach(Array.from({ length: CALLERS }).keys(), caller, {
          concurrency: "unbounded",
          discard: true
        })
        assert.isAtMost(Math.max(...admitted.map((one) => surelyInWindowOf(one, admitted))), RPM)
        // The first minute gave all that it had, and so does the second.
        assert.lengthOf(
          admitted.filter(({ answered }) => answered < began + WINDOW_MS / 2),
          RPM
        )
        assert.isAtLeast(admitted.length, 2 * RPM)
        // Where many wait for the same moment some come second, but nobody has to ask again and again.
        assert.isBelow(refusedAfterWait, 3 * CALLERS)
      }),
    LONGEST_MS
  )
})

describe.skipIf(isSkipped)("tokens a minute over three gateways", () => {
  it.live("that nobody expected count at once, at whichever gateway", () =>
    Effect.gen(function* () {
      const database = yield* freshDatabase
      const { baseUrl } = yield* upstream((_, number) => ({
        body: completion("yes", number === 3 ? { usage: longUsage } : {})
      }))
      const { start } = yield* clusterOf({ database, provider: baseUrl })
      const urls = (yield* Effect.replicateEffect(start, 3, { concurrency: 3 })).map(({ ready }) => ready)
      const { secret } = yield* newKey(urls[0]!, { limits: { tpm: 1_000 } })
      for (const url of [...urls, urls[0]!]) assert.strictEqual((yield* chat(url, secret)).status, 200)
      for (const url of [...urls, ...urls]) {
        const { json, status } = yield* chat(url, secret)
        assert.strictEqual(status, 429)
        assert.deepInclude(json.error, { kind: "tpm", limit: 1_000 })
      }
    })
  )
})
