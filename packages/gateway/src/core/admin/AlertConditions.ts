/** The alerts to raise now. Every finding has its window in its ID, and is raised once per window. */
import { Effect } from "effect"
import { nanoToDecimal } from "../domain/Money.ts"
import type { AlertSettings } from "../domain/Settings.ts"
import type { StoreHealth } from "../domain/StoreHealth.ts"
import type { KeyStore } from "../keys/KeyStore.ts"
import { budgetWindowId, fullestBudgets, shownId, shownScope } from "../ledger/FullestBudgets.ts"
import type { SpendLedger } from "../ledger/SpendLedger.ts"
import type { Rotation } from "../pool/ProviderPool.ts"
import { callsByDeployment } from "./FailureRate.ts"
import type { Traffic } from "./Traffic.ts"
import { HOUR_MS } from "./TrafficRow.ts"
import type { AlertMessage } from "./AlertMessage.ts"

/** The most budgets reported by one check. The rest follow in the next checks. */
const MOST_BUDGETS = 1000

/** The scope of alerts on end users: without it only keys and teams are looked at. */
const EVERY_END_USER = "end_user:*"

/** Calls of the last five minutes count, if there were enough. */
const RATE_MS = 300_000
const RATE_MIN_CALLS = 20

/** A shorter fault of the store raises no alert. */
const TROUBLE_MS = 10_000

const DAY_MS = 86_400_000
/** Days before a model shuts down at which its deployments are reported. */
const SHUTDOWN_DAYS = [30, 7, 1]

export interface AlertServices {
  readonly keys: KeyStore["Service"]
  readonly ledger: SpendLedger["Service"]
  readonly rotation: Rotation
  readonly traffic: Traffic["Service"]
  readonly store: StoreHealth["Service"]
}

/** `raised`: windows of budgets that this alert was raised for, by `budgetWindowId`; they are skipped. */
export const findings = Effect.fnUntraced(function* (
  alert: AlertSettings,
  means: AlertServices,
  now: number,
  raised: ReadonlySet<string>
) {
  switch (alert.on) {
    case "budget":
    case "soft_budget":
      return yield* fullBudgets(alert, means, now, raised)
    case "circuit":
      return yield* openCircuits(alert, means, now)
    case "error_rate":
      return yield* failing(alert, means, now)
    case "store":
      return troubled(means, now)
    case "model_shutdown":
      return yield* shuttingDown(alert, means, now)
  }
})

const fullBudgets = Effect.fnUntraced(function* (
  { at = 0, on, scope }: AlertSettings,
  { keys, ledger }: AlertServices,
  now: number,
  raised: ReadonlySet<string>
) {
  const wanted = {
    visibility: "all" as const,
    scope: scope?.startsWith("end_user:") === true ? ("end_user" as const) : undefined,
    only: scope === EVERY_END_USER ? undefined : scope,
    except: raised,
    minUsed: at,
    of: on === "soft_budget" ? ("soft" as const) : ("limit" as const),
    limit: MOST_BUDGETS
  }
  const { budgets } = yield* fullestBudgets(keys, ledger, wanted, now)
  return budgets.map(({ budget, limit, of, resetsAt, runsOutAt, spent }): AlertMessage => {
    const whose = shownScope(of)
    const window = `${budget.window}@${budget.timeZone}`
    const most = on === "soft_budget" ? (budget.soft ?? limit) : limit
    const named = on === "soft_budget" ? "soft amount" : "budget"
    return {
      id: `${on} ${whose} ${window} ${on === "soft_budget" ? most : budget.limit} ${resetsAt ?? "total"} ${at}`,
      budgetWindow: budgetWindowId(of, budget, resetsAt),
      on,
      at: now,
      scope: whose,
      message: `${of.name ?? shownId(of)} has spent ${Math.floor((100 * spent) / most)} % of its ${named} of ${nanoToDecimal(most)} USD (${budget.window}).`,
      data: {
        window: budget.window,
        time_zone: budget.timeZone,
        budget_usd: nanoToDecimal(limit),
        ...(budget.soft === undefined ? {} : { soft_usd: nanoToDecimal(budget.soft) }),
        spent_usd: nanoToDecimal(spent),
        resets_at: timeOf(resetsAt),
        runs_out_at: timeOf(runsOutAt)
      }
    }
  })
})

const openCircuits = Effect.fnUntraced(function* ({ scope }: AlertSettings, { rotation }: AlertServices, now: number) {
  return (yield* rotation.status).flatMap(({ deployment: { id }, health }): ReadonlyArray<AlertMessage> => {
    if (scope !== undefined && scope !== id) return []
    const why = health.lastError === null ? "" : `: ${health.lastError.message}`
    return health.openings.map((openedAt) => ({
      id: `circuit ${id} ${openedAt}`,
      on: "circuit",
      at: now,
      scope: id,
      message: `${id} failed, so its circuit opened and calls went to other deployments${why}.`,
      data: {
        since: timeOf(openedAt),
        circuit: health.circuit,
        consecutive_failures: health.consecutiveFailures,
        class: health.lastError?.class ?? null
      }
    }))
  })
})

/** Once an hour per deployment. */
const failing = Effect.fnUntraced(function* (
  { at = 0, scope }: AlertSettings,
  { traffic }: AlertServices,
  now: number
) {
  const found = yield* callsByDeployment(traffic, now - RATE_MS, now)
  return Array.from(found).flatMap(([id, { calls, failed }]): ReadonlyArray<AlertMessage> => {
    if (calls < RATE_MIN_CALLS || failed / calls < at || (scope !== undefined && scope !== id)) return []
    return [
      {
        id: `error_rate ${id} ${Math.floor(now / HOUR_MS)} ${at}`,
        on: "error_rate",
        at: now,
        scope: id,
        message: `${failed} of ${calls} calls of ${id} failed in the last five minutes.`,
        data: { calls, failed }
      }
    ]
  })
})

const troubled = ({ store }: AlertServices, now: number): ReadonlyArray<AlertMessage> => {
  const trouble = store.trouble()
  if (trouble === undefined || now - trouble.since < TROUBLE_MS) return []
  return [
    {
      id: `store ${trouble.since}`,
      on: "store",
      at: now,
      scope: null,
      message: "The gateway can't write to its store and refuses new requests.",
      data: { since: timeOf(trouble.since) }
    }
  ]
}

/** Once for each of the days above, by the model catalogue. */
const shuttingDown = Effect.fnUntraced(function* ({ scope }: AlertSettings, { rotation }: AlertServices, now: number) {
  return (yield* rotation.status).flatMap(({ deployment: { facts, id } }): ReadonlyArray<AlertMessage> => {
    const { on, redirectsTo, replacement } = facts?.shutdown ?? {}
    if (on === undefined || (scope !== undefined && scope !== id)) return []
    const left = Math.ceil((Date.parse(on) - now) / DAY_MS)
    const days = SHUTDOWN_DAYS.findLast((one) => left <= one)
    if (days === undefined || left < 0) return []
    const then = redirectsTo ?? replacement
    return [
      {
        id: `model_shutdown ${id} ${on} ${days}`,
        on: "model_shutdown",
        at: now,
        scope: id,
        message: `${id} shuts down on ${on}, in ${left} ${left === 1 ? "day" : "days"}${then === undefined ? "" : `; its replacement is ${then}`}.`,
        data: { shutdown_on: on, days_left: left, replacement: then ?? null }
      }
    ]
  })
})

const timeOf = (at: number | null): string | null => (at === null ? null : new Date(at).toISOString())
