import { assert, describe, it } from "@effect/vitest"
import { Health, type Ticket } from "../../../src/core/pool/Health.ts"
import { failureClasses } from "@model-gateway/protocol"
import { type FailureClass, ProviderFailure } from "../../../src/core/domain/Failures.ts"
import { failed } from "../call/Failures.ts"

const fail = (health: Health, now: number, name: FailureClass = "unavailable", retryAfterMs?: number) => {
  health.failed(health.began(now), now, failed(name, retryAfterMs), 0)
}

/** The caller of a key leaves at `now` when its answer is overdue. */
const leaveAt = (health: Health, ticket: Ticket, now: number, key: string) => {
  health.overdue(ticket, now, key)
  health.abandoned(ticket)
}

const succeed = (health: Health, now: number) => {
  health.succeeded(health.began(now), now, 100)
}

/** A circuit that five failures have opened at 0. */
const opened = () => {
  const health = new Health()
  for (let i = 0; i < 5; i++) fail(health, 0)
  return health
}

describe("Health", () => {
  it("opens after five failures in a row, not after four", () => {
    const health = new Health()
    for (let i = 0; i < 4; i++) fail(health, 0)
    succeed(health, 0)
    for (let i = 0; i < 4; i++) fail(health, 0)
    assert.isTrue(health.isReady(0))
    fail(health, 0)
    assert.isFalse(health.isReady(0))
    assert.strictEqual(health.report(0).circuit, "open")
    assert.strictEqual(health.report(0).consecutiveFailures, 5)
  })

  it("opens when more than half of at least twenty calls in 30 s fail", () => {
    const health = new Health()
    for (let i = 0; i < 9; i++) {
      fail(health, i)
      succeed(health, i)
    }
    fail(health, 10)
    assert.isTrue(health.isReady(10), "10 of 19")
    fail(health, 10)
    assert.isFalse(health.isReady(10), "11 of 20")
  })

  it("does not hold failures of long ago against it", () => {
    const health = new Health()
    for (let i = 0; i < 15; i++) {
      if (i % 4 === 3) succeed(health, 0)
      else fail(health, 0)
    }
    for (let i = 0; i < 15; i++) {
      if (i % 4 === 0) fail(health, 31_000)
      else succeed(health, 31_000)
    }
    assert.isTrue(health.isReady(31_000))
    assert.closeTo(health.report(31_000).errorRate, 4 / 15, 0.001)
    assert.strictEqual(health.report(62_000).errorRate, 0)
  })

  it("lets one call try after 10 s, and closes when that succeeds", () => {
    const health = opened()
    assert.isFalse(health.isReady(9_999))
    assert.isTrue(health.isReady(10_000))
    assert.strictEqual(health.report(10_000).circuit, "half_open")
    const trying = health.began(10_000)
    assert.isFalse(health.isReady(10_000))
    health.succeeded(trying, 10_100, 100)
    assert.isTrue(health.isReady(10_100))
    assert.strictEqual(health.report(10_100).circuit, "closed")
  })

  it("doubles the time with every try that fails soon, up to 20 s", () => {
    const health = opened()
    let now = 10_000
    for (const seconds of [20, 20, 20]) {
      fail(health, now)
      assert.isFalse(health.isReady(now + seconds * 1_000 - 1), `${seconds} s`)
      now += seconds * 1_000
      assert.isTrue(health.isReady(now), `${seconds} s`)
    }
  })

  it("doubles the time with every try that fails late, up to 300 s", () => {
    const health = opened()
    let now = 10_000
    for (const seconds of [20, 40, 80, 160, 300, 300]) {
      health.failed(health.began(now), now, failed("first_token_timeout"), 30_000)
      assert.isFalse(health.isReady(now + seconds * 1_000 - 1), `${seconds} s`)
      now += seconds * 1_000
      assert.isTrue(health.isReady(now), `${seconds} s`)
    }
    succeed(health, now)
    for (let i = 0; i < 5; i++) fail(health, now)
    assert.isTrue(health.isReady(now + 10_000))
  })

  it("opens for 10 s when many calls that run at once fail together", () => {
    const health = new Health()
    const all = Array.from({ length: 30 }, () => health.began(0))
    for (const one of all) health.failed(one, 50, failed("unavailable"), 50)
    assert.isFalse(health.isReady(10_049))
    assert.isTrue(health.isReady(10_050))
  })

  it("lets another call try when the one that tried was broken off by its caller", () => {
    const health = opened()
    health.abandoned(health.began(10_000))
    assert.isTrue(health.isReady(10_000))
    assert.strictEqual(health.inFlight, 0)
  })

  it("counts what the provider did, not what the caller asked, nor what concerns a key", () => {
    const counted = failureClasses.filter((name) => {
      const health = new Health()
      for (let i = 0; i < 30; i++) fail(health, 0, name, 60_000)
      assert.strictEqual(health.isReady(0), health.isHealthy())
      return !health.isReady(0)
    })
    assert.sameMembers(counted, ["unavailable", "connect_timeout", "first_token_timeout", "idle_timeout", "truncated"])
  })

  it("slides: the share of failures is that of the last 30 s, at any moment", () => {
    const health = new Health()
    // 4 of 10 fail in every second for a minute: never more than half, and never forgotten at once.
    for (let second = 0; second < 60; second++) {
      for (let i = 0; i < 10; i++) {
        if (i % 5 < 2) fail(health, second * 1_000)
        else succeed(health, second * 1_000)
      }
      assert.isTrue(health.isReady(second * 1_000))
      assert.closeTo(health.report(second * 1_000).errorRate, 0.4, 0.001)
    }
    // From here on 4 of 5 fail: it opens when they outweigh the calls of the 30 s before, not at the end of some window.
    let opened = 0
    for (let i = 0; opened === 0 && i < 1_000; i++) {
      const now = 60_000 + i * 100
      if (i % 5 === 4) succeed(health, now)
      else fail(health, now)
      if (!health.isReady(now)) opened = now
    }
    assert.isAbove(opened, 65_000)
    assert.isBelow(opened, 75_000)
  })

  it("is not told by calls of before that all is well, nor that it failed once more", () => {
    const health = new Health()
    const [early, late] = [health.began(0), health.began(0)]
    for (let i = 0; i < 5; i++) fail(health, 0)
    health.succeeded(early, 5_000, 5_000)
    assert.strictEqual(health.report(5_000).circuit, "open")
    const trying = health.began(10_000)
    health.abandoned(late)
    assert.isFalse(health.isReady(10_000), "one tries it already")
    health.succeeded(trying, 10_100, 100)
    assert.strictEqual(health.report(10_100).circuit, "closed")
  })

  it("closes when it answers, though it was asked for want of anything better", () => {
    const health = opened()
    succeed(health, 3_000)
    assert.strictEqual(health.report(3_000).circuit, "closed")
    const still = opened()
    fail(still, 3_000)
    assert.isTrue(still.isReady(10_000), "nobody expected more of it")
  })

  it("starts anew when it closes: the failures that opened it don't open it again", () => {
    const health = new Health()
    for (let i = 0; i < 30; i++) fail(health, 0)
    succeed(health, 10_000)
    fail(health, 10_001)
    assert.isTrue(health.isReady(10_001))
    assert.strictEqual(health.report(10_001).errorRate, 1)
  })

  it("is healthy when nothing at all speaks against it", () => {
    const health = new Health()
    assert.isTrue(health.isHealthy())
    fail(health, 0)
    assert.isFalse(health.isHealthy())
    assert.isTrue(health.isReady(0))
    succeed(health, 0)
    assert.isTrue(health.isHealthy())
  })

  it("opens when callers of two keys leave when the response is overdue, five in a row, and not for one key alone", () => {
    const leave = (health: Health, key: string) => leaveAt(health, health.began(0), 0, key)
    const health = new Health()
    for (let i = 0; i < 100; i++) leave(health, "a")
    assert.isTrue(health.isHealthy())
    leave(health, "b")
    assert.strictEqual(health.report(0).circuit, "open")

    const both = new Health()
    for (const key of ["a", "b", "a", "b"]) leave(both, key)
    assert.isFalse(both.isHealthy())
    assert.deepInclude(both.report(0), { circuit: "closed", consecutiveFailures: 4 })
    succeed(both, 0)
    assert.isTrue(both.isHealthy(), "an answer came")
    for (const key of ["a", "b", "c", "d"]) leave(both, key)
    assert.strictEqual(both.report(0).circuit, "closed")
    leave(both, "a")
    assert.strictEqual(both.report(0).circuit, "open")
    assert.strictEqual(both.inFlight, 0)

    const failing = new Health()
    for (let i = 0; i < 9; i++) leave(failing, "a")
    for (let i = 0; i < 4; i++) fail(failing, 0)
    assert.strictEqual(failing.report(0).circuit, "closed", "what one key says does not add to failures")
  })

  it("stays open when the caller of the call that tries leaves it overdue", () => {
    const health = opened()
    leaveAt(health, health.began(10_000), 40_000, "a")
    assert.isFalse(health.isReady(59_999))
    assert.isTrue(health.isReady(60_000))
    assert.strictEqual(health.inFlight, 0)
    const early = opened()
    const before = early.began(0)
    succeed(early, 10_000)
    for (let i = 0; i < 9; i++) early.overdue(before, 10_000, `key_${i}`)
    assert.isTrue(early.isHealthy(), "calls from before are no news")
  })

  it("reports medians and the last error", () => {
    const health = new Health()
    assert.deepInclude(health.report(0), { latencyP50: null, firstTokenP50: null, lastError: null, errorRate: 0 })
    for (const took of [10, 1_000, 20]) {
      const ticket = health.began(0)
      health.firstToken(0, took)
      health.succeeded(ticket, 0, took * 2)
    }
    fail(health, 7, "auth")
    assert.deepInclude(health.report(8), { latencyP50: 40, firstTokenP50: 20 })
    assert.deepInclude(health.report(8).lastError, { at: 7, class: "auth" })
    assert.strictEqual(health.inFlight, 0)
  })

  it("waits no longer for a circuit because the clock was set back by a month", () => {
    const month = 31 * 86_400_000
    const health = new Health()
    for (let i = 0; i < 5; i++) fail(health, month)
    assert.isFalse(health.isReady(0))
    assert.isFalse(health.isReady(9_999))
    assert.isTrue(health.isReady(10_000))
  })

  it("remembers of an error who said what, not what a provider quotes", () => {
    const health = new Health()
    const words = { class: "bad_request", message: "Invalid: my diary", type: null, param: null } as const
    for (const [status, code, told] of [
      [400, "invalid_value", "invalid_value"],
      [422, "my diary", null],
      [400, "x".repeat(65), null],
      [400, null, null]
    ] as const) {
      health.failed(health.began(0), 0, new ProviderFailure({ ...words, status, code }), 0)
      const { lastError } = health.report(0)
      assert.deepInclude(lastError, { status, code: told })
      assert.notInclude(lastError?.message, "diary")
    }
    const own = new ProviderFailure({ ...words, class: "unavailable", status: 0, code: null, message: "reset" })
    health.failed(health.began(0), 0, own, 0)
    assert.deepInclude(health.report(0).lastError, { status: null, message: "reset" })
  })
})
