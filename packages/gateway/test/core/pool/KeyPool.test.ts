import { assert, describe, it } from "@effect/vitest"
import { KeyPool, KeyStanding, type Suspect } from "../../../src/core/pool/KeyPool.ts"
import { failureClasses } from "@model-gateway/protocol"
import { type FailureClass, ProviderFailure } from "../../../src/core/domain/Failures.ts"
import { failed } from "../call/Failures.ts"

const standings = (count: number) => Array.from({ length: count }, () => new KeyStanding())
const pool = (count: number) => new KeyPool(standings(count))

const nobody = (): Suspect => assert.fail("nobody asked")

/** A call at `now` that fails at once; the key it used. */
const fail = (keys: KeyPool, now: number, name: FailureClass, retryAfterMs?: number, tried?: ReadonlyArray<number>) => {
  const index = keys.take(now, tried)
  keys.failed(index, now, now, failed(name, retryAfterMs), nobody)
  return index
}

const work = (keys: KeyPool, now: number) => {
  const index = keys.take(now)
  keys.worked(index, now)
  return index
}

/** A 403 to what `caller` said with the first key. */
const refuse = (keys: KeyPool, now: number, caller: string, prompt: string) => {
  const failure = new ProviderFailure({ ...failed("auth"), status: 403, message: "no", mayBeOfRequest: true })
  keys.failed(0, now, now, failure, () => ({ caller, prompt }))
}

const states = (keys: KeyPool, now: number) => keys.report(now).map(({ state }) => state)

describe("KeyPool", () => {
  it("waits no longer for a rate limit or a refused key because the clock was set back by a month", () => {
    const month = 31 * 86_400_000
    const limited = pool(1)
    fail(limited, month, "rate_limited", 20_000)
    assert.isFalse(limited.isReady(0))
    assert.isTrue(limited.isReady(20_000))
    const refused = pool(1)
    fail(refused, month, "auth")
    assert.isFalse(refused.isReady(0))
    assert.isTrue(refused.isReady(300_000))
  })

  it("takes the keys in turn", () => {
    const keys = pool(3)
    assert.deepStrictEqual(
      [0, 1, 2, 3].map((now) => work(keys, now)),
      [0, 1, 2, 0]
    )
  })

  it("sets a key aside for 5 minutes that is refused or out of credit, and then lets one call try it", () => {
    for (const [name, state] of [
      ["auth", "refused"],
      ["quota_exhausted", "out_of_credit"]
    ] as const) {
      const keys = pool(2)
      assert.strictEqual(fail(keys, 0, name), 0)
      for (let n = 0; n < 5; n++) assert.strictEqual(work(keys, 299_999), 1)
      assert.deepStrictEqual(keys.report(299_999), [
        { index: 0, state, until: 300_000 },
        { index: 1, state: "ready", until: null }
      ])
      const trying = keys.take(300_000)
      assert.strictEqual(trying, 0)
      for (let n = 0; n < 3; n++) assert.strictEqual(work(keys, 300_001), 1, "one tries it already")
      keys.worked(trying, 300_000)
      assert.deepStrictEqual([work(keys, 300_002), work(keys, 300_002)].sort(), [0, 1])
      assert.deepStrictEqual(states(keys, 300_002), ["ready", "ready"])
    }
  })

  it("lets another call try when the one that tried said nothing of the key", () => {
    const keys = pool(1)
    fail(keys, 0, "auth")
    keys.released(keys.take(300_000), 300_000)
    assert.isTrue(keys.isReady(300_001))
    fail(keys, 300_001, "unavailable")
    assert.isTrue(keys.isReady(300_002))
    assert.strictEqual(keys.circuit(300_002), "half_open")
    fail(keys, 300_003, "auth")
    assert.isFalse(keys.isReady(600_002))
    assert.strictEqual(keys.circuit(600_002), "open")
  })

  it("believes no success of a call that began before its key was set aside", () => {
    const keys = pool(1)
    const early = keys.take(0)
    fail(keys, 1_000, "auth")
    keys.worked(early, 0)
    assert.isFalse(keys.isReady(2_000))
    // Asked all the same, for want of anything better.
    assert.strictEqual(work(keys, 3_000), 0)
    assert.isTrue(keys.isReady(3_000))
  })

  it("waits as long as a rate limit says, an hour at most, and calls that no outage", () => {
    const keys = pool(1)
    fail(keys, 0, "rate_limited", 3_000)
    assert.isFalse(keys.isReady(2_999))
    assert.isFalse(keys.isHealthy(2_999))
    assert.strictEqual(keys.circuit(0), "closed")
    assert.isTrue(keys.isReady(3_000))
    assert.isTrue(keys.isHealthy(3_000))
    fail(keys, 3_000, "rate_limited")
    assert.isTrue(keys.isReady(3_000), "nobody said how long, and there is no other")
    fail(keys, 0, "rate_limited", 1e12)
    assert.isFalse(keys.isReady(3_599_999))
    assert.isTrue(keys.isReady(3_600_000))
  })

  it("goes to other keys for a second after a rate limit of no known length", () => {
    const keys = pool(2)
    assert.strictEqual(fail(keys, 0, "rate_limited"), 0)
    assert.deepStrictEqual([work(keys, 1), work(keys, 999)], [1, 1])
    assert.strictEqual(work(keys, 1_000), 0)
  })

  it("stays ready when all keys met a rate limit of no known length, but tries no key after the other", () => {
    const keys = pool(2)
    assert.strictEqual(fail(keys, 0, "rate_limited"), 0)
    assert.isTrue(keys.hasOther(0, [0]))
    assert.strictEqual(fail(keys, 0, "rate_limited", undefined, [0]), 1)
    assert.isTrue(keys.isReady(1))
    assert.deepStrictEqual(states(keys, 1), ["ready", "ready"])
    assert.isFalse(keys.hasOther(999, [0]))
    assert.isTrue(keys.hasOther(1_000, [0]))
  })

  it("takes an untried key before one that failed for the request, usable or not", () => {
    const keys = pool(3)
    assert.strictEqual(fail(keys, 0, "auth"), 0)
    assert.strictEqual(fail(keys, 0, "rate_limited", 5_000), 1)
    assert.isTrue(keys.hasOther(0, [0, 1]))
    assert.strictEqual(fail(keys, 0, "rate_limited", 2_000, [0, 1]), 2)
    assert.isFalse(keys.hasOther(0, [2]))
    assert.isFalse(keys.hasOther(9_000, [1, 2]))
    // Without any: the one whose time is over first.
    assert.strictEqual(keys.take(0), 2)
    assert.strictEqual(keys.take(0, [2]), 1)
  })

  it("is ready and healthy as long as one key is, and its circuit is open when none is", () => {
    const keys = pool(2)
    fail(keys, 0, "auth")
    assert.isTrue(keys.isReady(0))
    assert.isTrue(keys.isHealthy(0))
    assert.strictEqual(keys.circuit(0), "closed")
    fail(keys, 1_000, "quota_exhausted")
    assert.isFalse(keys.isReady(1_000))
    assert.isFalse(keys.isHealthy(400_000), "until a call has shown otherwise")
    assert.strictEqual(keys.circuit(1_000), "open")
    assert.strictEqual(keys.circuit(300_000), "half_open")
  })

  it("shares what a key is refused with the provider's other deployments, and no rate limit", () => {
    const shared = standings(2)
    const [a, b] = [new KeyPool(shared), new KeyPool(shared)]
    fail(a, 0, "auth")
    fail(a, 0, "rate_limited", 60_000)
    assert.deepStrictEqual(states(a, 1), ["refused", "rate_limited"])
    assert.deepStrictEqual(states(b, 1), ["refused", "ready"])
    b.worked(b.take(300_000, [1]), 300_000)
    assert.deepStrictEqual(states(a, 300_001), ["ready", "ready"])
  })

  it("holds no other failure against a key", () => {
    for (const name of failureClasses) {
      if (name === "auth" || name === "quota_exhausted" || name === "rate_limited") continue
      const keys = pool(1)
      for (let n = 0; n < 30; n++) fail(keys, n, name, 60_000)
      assert.isTrue(keys.isHealthy(30), name)
    }
  })

  it("takes a refusal that may be the request's for the key's when another caller met it with another prompt", () => {
    const keys = pool(2)
    for (let n = 0; n < 100; n++) refuse(keys, n, "mallory", `prompt ${n}`)
    refuse(keys, 100, "alice", "prompt 0")
    assert.deepStrictEqual(states(keys, 100), ["ready", "ready"])
    refuse(keys, 101, "alice", "hello")
    assert.deepStrictEqual(states(keys, 101), ["refused", "ready"])
  })

  it("not when the key worked in between, for anybody, nor long after", () => {
    const keys = pool(1)
    refuse(keys, 0, "mallory", "attack")
    work(keys, 1)
    refuse(keys, 2, "alice", "hello")
    assert.deepStrictEqual(states(keys, 2), ["ready"])
    refuse(keys, 600_003, "bob", "good morning")
    assert.deepStrictEqual(states(keys, 600_003), ["ready"])
  })

  it("holds such a refusal against the key for this deployment only: it may be about the model", () => {
    const shared = standings(1)
    const [a, b] = [new KeyPool(shared), new KeyPool(shared)]
    refuse(a, 0, "alice", "one")
    refuse(a, 0, "bob", "two")
    assert.strictEqual(a.circuit(0), "open")
    assert.strictEqual(b.circuit(0), "closed")
    work(b, 300_000)
    assert.strictEqual(a.circuit(300_000), "half_open")
    work(a, 300_000)
    assert.strictEqual(a.circuit(300_000), "closed")
  })
})
