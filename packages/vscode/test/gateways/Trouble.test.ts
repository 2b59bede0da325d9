import { BudgetExceededError, RateLimitError, TimeoutError } from "@model-gateway/client"
import { assert, describe, it } from "@effect/vitest"
import { timeText, troubleOf } from "../../src/gateways/Trouble.ts"

const now = Date.parse("2026-11-22T12:00:00Z")
const clock = (date: Date) => date.toISOString().slice(11, 19)
const where = { name: "Work", url: "https://gw.example.com", now, clock }

describe("a used-up budget", () => {
  const budget = { kind: "budget", limit: 5, used: 5, scope: "key" }

  it("is told with its amount and its next beginning", () => {
    const error = new BudgetExceededError("no", { ...budget, resetsAt: "2026-11-22T13:00:00Z" })
    assert.deepStrictEqual(troubleOf(error, where), {
      text: "The budget of this key of $5.00 is used up. The next one begins at 13:00:00.",
      help: "spend"
    })
  })

  it("that never resets says who helps and whose budget it is", () => {
    for (const [scope, whose] of [
      ["team", "team"],
      ["end_user", "end user"],
      ["session", "session"]
    ]) {
      const { text } = troubleOf(new BudgetExceededError("no", { ...budget, scope }), where)
      assert.match(text, new RegExp(`^The ${whose}'s budget of \\$5\\.00 is used up\\. Ask whoever`))
    }
  })

  it("is told apart from one that running requests hold", () => {
    const error = new BudgetExceededError("no", { ...budget, kind: "budget_reserved" })
    assert.match(troubleOf(error, where).text, /held by requests that are running/)
  })
})

describe("a rate limit", () => {
  it("says when to go on, by the clock", () => {
    const error = new RateLimitError("no", { kind: "tpm", limit: 1000, retryAfterSeconds: 12 })
    assert.strictEqual(
      troubleOf(error, where).text,
      "Too many tokens in a minute (at most 1000). Go on in 12 s, at 12:00:12."
    )
  })

  it("of a kind that is new is told in the gateway's words", () => {
    const error = new RateLimitError("Slow down, please.", { kind: "novel" })
    assert.strictEqual(troubleOf(error, where).text, "Slow down, please. Try again in a moment.")
  })
})

describe("anything else", () => {
  it("has the request's id once", () => {
    const error = new TimeoutError("Nothing came.", { requestId: "req_1" })
    assert.strictEqual(troubleOf(error, where).text, "Nothing came. (req_1)")
    const named = new TimeoutError("Nothing came for req_1.", { requestId: "req_1" })
    assert.strictEqual(troubleOf(named, where).text, "Nothing came for req_1.")
  })

  it("is told as it is", () => {
    assert.strictEqual(troubleOf("odd", where).text, "odd")
    assert.strictEqual(troubleOf(new Error("odd"), where).text, "odd")
  })
})

describe("a time", () => {
  it("is a moment, a time of day, or a day", () => {
    assert.strictEqual(timeText(new Date(now - 5_000), now, clock), "in 1 s, at 11:59:55")
    assert.strictEqual(timeText(new Date(now + 3_600_000), now, clock), "at 13:00:00")
    assert.strictEqual(timeText(new Date(now + 9 * 86_400_000), now, clock), "on 2026-12-01 at 12:00:00")
  })
})
