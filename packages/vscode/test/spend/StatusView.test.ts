import type { Decision, OwnKey } from "@model-gateway/client"
import { assert, describe, it } from "@effect/vitest"
import { type Budget, escaped, spendView } from "../../src/spend/StatusView.ts"

const budget = (remaining_usd: number, more: Partial<Budget> = {}): Budget => ({
  usd: 10,
  window: "month",
  time_zone: "UTC",
  spent_usd: 10 - remaining_usd,
  reserved_usd: 0,
  remaining_usd,
  resets_at: "2026-12-01T00:00:00Z",
  ...more
})

const key = (more: Partial<OwnKey> = {}): OwnKey => ({
  object: "key",
  id: "key_1",
  name: "ada",
  team: null,
  models: [],
  status: "active",
  limits: { rpm: null, tpm: null, max_parallel: null },
  remaining: { rpm: null, tpm: null },
  spend: { hour_usd: 0, day_usd: 0.42, week_usd: 1, month_usd: 2, total_usd: 3, time_zone: "UTC" },
  budgets: [],
  team_budgets: [],
  tags: [],
  expires_at: null,
  ...more
})

const decision: Decision = {
  decision: "demo/mini",
  deployment: "demo/mini",
  provider: "demo",
  model: "mini",
  bucket: "simple",
  score: 0.18,
  costUsd: 0.000021,
  costIsFinal: true,
  retries: 2,
  requestId: "req_1",
  receiptId: "rcpt_1",
  guardrail: null
}

describe("the status bar", () => {
  it("shows today's spend, and what is left where there is a budget", () => {
    assert.strictEqual(spendView("Work", key(), undefined).text, "$(credit-card) $0.42")
    const limited = spendView("Work", key({ budgets: [budget(4.58)] }), undefined)
    assert.strictEqual(limited.text, "$(credit-card) $0.42 · $4.58 left")
    assert.strictEqual(limited.colour, "plain")
  })

  it("takes the budget that ends first, the team's too", () => {
    const view = spendView("Work", key({ budgets: [budget(9)], team_budgets: [budget(1.5)] }), undefined)
    assert.include(view.text, "$1.50 left")
    assert.include(view.tooltip, "Budget: 10 %")
    assert.include(view.tooltip, "Budget of the team: 85 %")
  })

  it("changes its colour at 80 and at 100 %", () => {
    const colour = (left: number) => spendView("Work", key({ budgets: [budget(left)] }), undefined).colour
    assert.deepStrictEqual([2.01, 2, 0.01, 0].map(colour), ["plain", "warning", "warning", "error"])
  })

  it("counts what running requests hold", () => {
    const held = budget(1, { spent_usd: 1, reserved_usd: 8 })
    assert.strictEqual(spendView("Work", key({ budgets: [held] }), undefined).colour, "warning")
  })

  it("tells the last decision, and a click opens its receipt", () => {
    const view = spendView("Work", key(), decision)
    assert.include(view.tooltip, "Last answer: demo/mini · simple, score 0.18 · $0.000021 · 2 retries")
    assert.strictEqual(view.command, "openReceipt")
    assert.strictEqual(spendView("Work", key(), undefined).command, "openDashboard")
    assert.strictEqual(spendView("Work", key(), { ...decision, receiptId: null }).command, "openDashboard")
  })

  it("says of a price that nobody knows that nobody knows it", () => {
    assert.include(spendView("Work", key(), { ...decision, costUsd: null }).tooltip, "price unknown")
  })

  it("has no links, commands or icons of a server's making", () => {
    const name = "[x](command:evil) $(gear) <b>\nnext"
    const { tooltip } = spendView("Work", key({ name }), undefined)
    assert.notInclude(tooltip, "](")
    assert.notInclude(tooltip, "$(gear)")
    assert.notInclude(tooltip, "<b>")
    assert.strictEqual(escaped("a_b"), String.raw`a\_b`)
  })
})
