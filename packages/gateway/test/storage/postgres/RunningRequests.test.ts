/** Requests with an `Idempotency-Key` that two gateways have in hand, since one of them was taken for dead. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { NewRecord } from "../../../src/core/kept/KeptResponses.ts"
import { NOW } from "../Support.ts"
import { isSkipped, storeDatabase } from "../../support/postgres/Databases.ts"
import { joinAt, type PostgresNode } from "../../support/postgres/Nodes.ts"
import { administer } from "../../support/postgres/Queries.ts"

const DAY = 86_400_000

const quota = { all: 1e9, perKey: 1e9 }

const answered = (text: string): NewRecord => ({
  keyId: "key_a",
  request: "hash",
  answer: { kind: "json", headers: {}, body: Buffer.from(text) }
})

/** At `now`, where answers are kept for a day. */
const claim = ({ idempotency }: PostgresNode, now: number) => idempotency.claim("a", "hash", now - DAY)

/** What a repeated request gets. */
const repeated = (node: PostgresNode, now: number) =>
  Effect.map(claim(node, now), (claimed) =>
    claimed.kind === "kept" ? Buffer.from(claimed.record.answer.body).toString() : claimed.kind
  )

describe.skipIf(isSkipped)("a request that runs at a gateway that was taken for dead", () => {
  const begun = Effect.gen(function* () {
    const url = yield* storeDatabase
    const [one, two] = [yield* joinAt(url), yield* joinAt(url)]
    assert.strictEqual((yield* claim(one, NOW)).kind, "first")
    assert.strictEqual((yield* claim(two, NOW)).kind, "running")
    // What others do once it is.
    yield* administer(url, "DELETE FROM model_gateway.running_requests")
    return { one, two }
  })

  it.live("keeps its answer where nobody else has taken it over", () =>
    Effect.gen(function* () {
      const { one, two } = yield* begun
      yield* one.idempotency.keep("a", answered("late"), NOW + 2, quota)
      assert.strictEqual(yield* repeated(two, NOW + 3), "late")
    })
  )

  it.live("does not take back the answer of whoever has, given or not", () =>
    Effect.gen(function* () {
      for (const isGiven of [false, true]) {
        const { one, two } = yield* begun
        assert.strictEqual((yield* claim(two, NOW + 1)).kind, "first")
        if (isGiven) yield* two.idempotency.keep("a", answered("given"), NOW + 2, quota)
        yield* one.idempotency.keep("a", answered("late"), NOW + 3, quota)
        if (!isGiven) {
          assert.strictEqual(yield* repeated(one, NOW + 4), "running")
          yield* two.idempotency.keep("a", answered("given"), NOW + 5, quota)
        }
        assert.strictEqual(yield* repeated(one, NOW + 6), "given")
        assert.strictEqual(yield* repeated(two, NOW + 6), "given")
      }
    })
  )

  it.live("replaces an answer that was too old when it began", () =>
    Effect.gen(function* () {
      const url = yield* storeDatabase
      const one = yield* joinAt(url)
      yield* one.idempotency.keep("a", answered("old"), NOW - 2 * DAY, quota)
      assert.strictEqual((yield* claim(one, NOW)).kind, "first")
      yield* one.idempotency.keep("a", answered("new"), NOW + 1, quota)
      assert.strictEqual(yield* repeated(one, NOW + 2), "new")
    })
  )
})
