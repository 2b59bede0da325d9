/** When a call is tried again, on a clock that only the tests move. */
import { afterEach, assert, beforeEach, describe, it } from "@effect/vitest"
import { vi } from "vitest"
import { GatewayConnectionError, GatewayError } from "../../src/index.ts"
import { GatewayCaller } from "../../src/connection/GatewayCaller.ts"
import { failure } from "../support/Model.ts"

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const down = (headers: Record<string, string> = {}, status = 503) =>
  new GatewayError("down", { status, headers: new Headers(headers), retryable: true })

/** Fails with each of these in turn, then answers. */
const failing = (...errors: ReadonlyArray<unknown>) => {
  let calls = 0
  const attempt = async () => {
    const error = errors[calls++]
    if (error !== undefined) throw error
    return "answered"
  }
  return { attempt, calls: () => calls }
}

describe("a pause before the next try", () => {
  it("is one to two seconds, then two to four, when nobody says how long", async () => {
    const { attempt, calls } = failing(down(), new GatewayConnectionError("gone", { retryable: true }))
    const answer = new GatewayCaller({}).try(attempt)
    await vi.advanceTimersByTimeAsync(999)
    assert.strictEqual(calls(), 1)
    await vi.advanceTimersByTimeAsync(1_001)
    assert.strictEqual(calls(), 2)
    await vi.advanceTimersByTimeAsync(999)
    assert.strictEqual(calls(), 2)
    await vi.advanceTimersByTimeAsync(3_001)
    assert.strictEqual(await answer, "answered")
  })

  for (const [what, headers, ms] of [
    ["in milliseconds", { "retry-after-ms": "40", "retry-after": "1" }, 40],
    ["in seconds", { "retry-after": "7" }, 7_000],
    ["not to wait", { "retry-after": "0" }, 0],
    ["a date", { "retry-after": "Thu, 01 Jan 2026 00:00:30 GMT" }, 30_000]
  ] as const) {
    it(`is what the server says, ${what}`, async () => {
      vi.setSystemTime(Date.UTC(2026, 0, 1))
      for (const status of [429, 503]) {
        const { attempt, calls } = failing(down(headers, status))
        const answer = new GatewayCaller({}).try(attempt)
        if (ms > 0) {
          await vi.advanceTimersByTimeAsync(ms - 1)
          assert.strictEqual(calls(), 1)
        }
        await vi.advanceTimersByTimeAsync(1)
        assert.strictEqual(await answer, "answered")
        vi.setSystemTime(Date.UTC(2026, 0, 1))
      }
    })
  }

  for (const after of ["-5", "NaN", "5, 10", "soon", "-2026-01-01"]) {
    it(`is our own where the server's makes no sense: ${after}`, async () => {
      const { attempt, calls } = failing(down({ "retry-after": after, "retry-after-ms": after }))
      const answer = new GatewayCaller({}).try(attempt)
      await vi.advanceTimersByTimeAsync(999)
      assert.strictEqual(calls(), 1)
      await vi.advanceTimersByTimeAsync(1_001)
      assert.strictEqual(await answer, "answered")
    })
  }

  it("is none where the server's date is over", async () => {
    const { attempt } = failing(down({ "retry-after": "Thu, 01 Jan 1970 00:00:30 GMT" }))
    const answer = new GatewayCaller({}).try(attempt)
    await vi.advanceTimersByTimeAsync(1)
    assert.strictEqual(await answer, "answered")
  })

  it("of more than a minute is nobody's to wait: the error comes at once", async () => {
    for (const after of ["61", "1e9", "Infinity", "Fri, 01 Jan 2100 00:00:00 GMT"]) {
      const error = down({ "retry-after": after })
      const { attempt, calls } = failing(error)
      assert.strictEqual(await failure(new GatewayCaller({}).try(attempt)), error, after)
      assert.strictEqual(calls(), 1)
    }
  })

  it("is never more than a minute of our own: as many tries are made as were asked for", async () => {
    const { attempt, calls } = failing(...Array.from({ length: 12 }, () => down()))
    const answer = new GatewayCaller({ maxRetries: 12 }).try(attempt)
    await vi.advanceTimersByTimeAsync(12 * 60_000)
    assert.strictEqual(calls(), 13)
    assert.strictEqual(await answer, "answered")
  })

  it("ends with the caller's signal, and leaves nothing behind", async () => {
    const controller = new AbortController()
    const { attempt, calls } = failing(down())
    const given = failure(new GatewayCaller({}).try(attempt, { signal: controller.signal }))
    await vi.advanceTimersByTimeAsync(10)
    controller.abort(new Error("enough"))
    assert.match((await given).message, /enough|[Aa]bort/)
    assert.strictEqual(vi.getTimerCount(), 0)
    await vi.advanceTimersByTimeAsync(10_000)
    assert.strictEqual(calls(), 1)
  })
})

describe("a call is not tried again", () => {
  it("more often than it may be: the last error is thrown", async () => {
    const errors = [down(), down(), down()]
    for (const [maxRetries, tries] of [
      [0, 1],
      [1, 2],
      [undefined, 3]
    ] as const) {
      const { attempt, calls } = failing(...errors)
      const given = failure(new GatewayCaller({}).try(attempt, { maxRetries }))
      await vi.runAllTimersAsync()
      assert.strictEqual(await given, errors[tries - 1])
      assert.strictEqual(calls(), tries)
    }
  })

  it("when its judge says no, who is asked once a failure", async () => {
    const asked: Array<unknown> = []
    const onFailedAttempt = (error: unknown) => {
      asked.push(error)
      if (asked.length === 2) throw error
    }
    const errors = [down({ "retry-after": "0" }), down()]
    const { attempt } = failing(...errors)
    const given = failure(new GatewayCaller({ onFailedAttempt }).try(attempt))
    await vi.runAllTimersAsync()
    assert.strictEqual(await given, errors[1])
    assert.deepStrictEqual(asked, errors)
  })

  it("when a program is wrong", async () => {
    const mistake = new TypeError("x is not a function")
    const { attempt, calls } = failing(mistake)
    assert.strictEqual(await failure(new GatewayCaller({}).try(attempt)), mistake)
    assert.strictEqual(calls(), 1)
  })
})

it("no more calls run at a time than may, pauses included", async () => {
  const caller = new GatewayCaller({ maxConcurrency: 1 })
  const first = failing(down())
  const second = failing()
  const both = Promise.all([caller.try(first.attempt), caller.try(second.attempt)])
  await vi.advanceTimersByTimeAsync(500)
  assert.deepStrictEqual([first.calls(), second.calls()], [1, 0])
  await vi.runAllTimersAsync()
  assert.deepStrictEqual(await both, ["answered", "answered"])
})
