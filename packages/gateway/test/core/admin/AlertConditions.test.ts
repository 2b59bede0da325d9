/** Which budgets are reported where very many are used up. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { findings, type AlertServices } from "../../../src/core/admin/AlertConditions.ts"
import type { Budget } from "../../../src/core/domain/Budget.ts"
import type { AlertSettings } from "../../../src/core/domain/Settings.ts"
import type { Budgeted } from "../../../src/core/keys/KeyRepository.ts"

const NOW = Date.UTC(2026, 10, 27, 12, 30)
const USED_UP = 2_500

const budget = (window: Budget["window"]): Budget => ({ limit: 1_000, window, timeZone: "UTC" })
const keys = Array.from({ length: USED_UP }, (_, number): Budgeted => ({
  scope: "key",
  team: null,
  id: `key_${number}`,
  name: null,
  budgets: [budget("total")]
}))
const team: Budgeted = { scope: "team", id: "zeta", name: null, team: "zeta", budgets: [budget("month")] }

interface HourAsked {
  readonly scopes: ReadonlyArray<string>
  readonly hour: number
}

/** Every key has used up its budget; the team has spent 85 % of its own. */
const means = (asked: Array<HourAsked>) => {
  const spentOf = (scope: string) => (scope.startsWith("key:") ? 1_000 : 850)
  const state = (scope: string, one: Budget) => ({
    budget: one,
    spent: spentOf(scope),
    reserved: 0,
    resetsAt: one.window === "total" ? null : Date.UTC(2026, 11, 1)
  })
  return {
    keys: { budgeted: (visit: (some: ReadonlyArray<Budgeted>) => Effect.Effect<void>) => visit([...keys, team]) },
    ledger: {
      spentIn: (windows: ReadonlyArray<{ scope: string }>) =>
        Effect.succeed(windows.map(({ scope }) => spentOf(scope))),
      budgets: (scope: string, all: ReadonlyArray<Budget>) => Effect.succeed(all.map((one) => state(scope, one))),
      hourCosts: (scopes: ReadonlyArray<string>, hour: number) => {
        asked.push({ scopes, hour })
        return Effect.succeed(scopes.map(() => 0))
      }
    }
  } as unknown as AlertServices
}

const alert = (scope?: string) => ({ on: "budget", at: 0.8, scope }) as AlertSettings

describe("alerts on budgets", () => {
  it.effect("find a team's budget beside thousands that are used up for good", () =>
    Effect.gen(function* () {
      const found = yield* findings(alert("team:zeta"), means([]), NOW, new Set())
      assert.deepStrictEqual(
        found.map(({ scope }) => scope),
        ["team:zeta"]
      )
    })
  )

  it.effect("without a scope report all of them over several looks, each once", () =>
    Effect.gen(function* () {
      const raised = new Set<string>()
      const scopes: Array<string | null> = []
      for (let look = 0; look < 4; look++) {
        const found = yield* findings(alert(), means([]), NOW, raised)
        for (const { budgetWindow, scope } of found) {
          raised.add(budgetWindow ?? "")
          scopes.push(scope)
        }
      }
      assert.strictEqual(scopes.length, USED_UP + 1)
      assert.strictEqual(new Set(scopes).size, USED_UP + 1)
      assert.include(scopes, "team:zeta")
    })
  )

  it.effect("read sums of whole hours and never single rows of the ledger", () =>
    Effect.gen(function* () {
      const asked: Array<HourAsked> = []
      yield* findings(alert("team:zeta"), means(asked), NOW, new Set())
      const hour = Date.UTC(2026, 10, 27, 12)
      assert.deepStrictEqual(asked, [
        { scopes: ["team:zeta"], hour: hour - 3_600_000 },
        { scopes: ["team:zeta"], hour }
      ])
    })
  )
})

describe("alerts on budgets of end users", () => {
  const ann: Budgeted = {
    scope: "end_user",
    id: "team%3Ared/ann%201",
    name: null,
    team: "red",
    budgets: [budget("day")]
  }
  const bob: Budgeted = { ...ann, id: "team%3Ared/bob" }
  const atWork = (given?: string) => {
    const services = means([])
    type Used = (of: Budgeted, window: object) => number | undefined
    const fullestEndUsers = (used: Used) =>
      Effect.succeed([ann, bob].filter((of) => used(of, { booked: 850, budget: of.budgets[0] }) !== undefined))
    const ledger = { ...services.ledger, fullestEndUsers } as unknown as AlertServices["ledger"]
    return Effect.map(findings(alert(given), { ...services, ledger }, NOW, new Set()), (found) =>
      found.map(({ scope }) => scope)
    )
  }

  it.effect("report those at work where the alert is on end users, and none without a scope", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* atWork("end_user:*"), ["end_user:team:red/ann 1", "end_user:team:red/bob"])
      assert.deepStrictEqual(yield* atWork("end_user:team:red/ann 1"), ["end_user:team:red/ann 1"])
      assert.notInclude(yield* atWork(), "end_user:team:red/bob")
    })
  )
})

describe("alerts on soft amounts of budgets", () => {
  it.effect("report a budget that has spent its soft amount, and none without one", () =>
    Effect.gen(function* () {
      const ask = (soft: number) => {
        const softly: Budgeted = { ...team, budgets: [{ ...budget("month"), soft }] }
        const budgeted = (visit: (some: ReadonlyArray<Budgeted>) => Effect.Effect<void>) => visit([...keys, softly])
        const services = { ...means([]), keys: { budgeted } } as unknown as AlertServices
        return findings({ on: "soft_budget", at: 1 } as AlertSettings, services, NOW, new Set())
      }
      const [found, ...others] = yield* ask(800)
      assert.deepStrictEqual(others, [])
      assert.deepInclude(found, { on: "soft_budget", scope: "team:zeta" })
      assert.include(found?.message, "zeta has spent 106 % of its soft amount of 0.0000008 USD (month).")
      assert.strictEqual(found?.data["soft_usd"], "0.0000008")
      assert.deepStrictEqual(yield* ask(900), [])
    })
  )
})

describe("alerts on models that shut down", () => {
  const DAY_MS = 86_400_000
  const on = "2026-12-11"
  const pool = (facts: object) =>
    ({
      rotation: { status: Effect.succeed([{ deployment: { id: "openai/old", facts } }]) }
    }) as unknown as AlertServices
  const at = (daysBefore: number) =>
    findings(
      { on: "model_shutdown" } as AlertSettings,
      pool({ shutdown: { on, replacement: "new" } }),
      Date.parse(on) - daysBefore * DAY_MS,
      new Set()
    )

  it.effect("come 30, 7 and 1 days before, each once, and not after", () =>
    Effect.gen(function* () {
      const ids = new Set<string>()
      for (let days = 40; days >= -3; days--) for (const { id } of yield* at(days)) ids.add(id)
      assert.deepStrictEqual(
        [...ids],
        [30, 7, 1].map((days) => `model_shutdown openai/old ${on} ${days}`)
      )
    })
  )

  it.effect("name the day and the replacement", () =>
    Effect.gen(function* () {
      const [found] = yield* at(7)
      assert.strictEqual(found?.message, "openai/old shuts down on 2026-12-11, in 7 days; its replacement is new.")
    })
  )
})
