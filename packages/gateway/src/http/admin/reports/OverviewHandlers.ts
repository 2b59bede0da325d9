/** `/admin/overview`. */
import { type Overview, ServedApi } from "@model-gateway/protocol"
import { Clock, Effect, Option } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { nanoToUsd } from "../../../core/domain/Money.ts"
import { KeyStore } from "../../../core/keys/KeyStore.ts"
import { fullestBudgets } from "../../../core/ledger/FullestBudgets.ts"
import { SpendLedger } from "../../../core/ledger/SpendLedger.ts"
import { type DeploymentStatus, ProviderPool } from "../../../core/pool/ProviderPool.ts"
import { ReceiptArchive } from "../../../core/receipts/ReceiptArchive.ts"
import { callFailureRate, callsByDeployment, RECENT_MS, UNHEALTHY_FROM } from "../../../core/admin/FailureRate.ts"
import { Traffic } from "../../../core/admin/Traffic.ts"
import type { TrafficGroup } from "../../../core/admin/TrafficGroups.ts"
import { TrafficSums } from "../../../core/admin/TrafficSums.ts"
import { CurrentPrincipal } from "../../../core/domain/Principal.ts"
import { answering } from "../../shared/Answer.ts"
import { wireReceipt } from "../../records/ReceiptRecords.ts"
import { rfc3339 } from "../../errors/WireFormat.ts"
import type { QueryOf } from "../AdminPages.ts"
import { wireHealth } from "../DeploymentRecords.ts"
import { wireUse } from "./BudgetHandlers.ts"
import { trafficQueryOf } from "./TrafficPeriod.ts"

const DEFAULT_LIMIT = 5

/** Receipts that are looked through for failures: some milliseconds. */
const LOOKED_THROUGH = 2_000

export const overviewHandlers = HttpApiBuilder.group(
  ServedApi,
  "overview",
  Effect.fnUntraced(function* (handlers) {
    const archive = yield* ReceiptArchive
    const keys = yield* KeyStore
    const ledger = yield* SpendLedger
    const pool = yield* ProviderPool
    const traffic = yield* Traffic

    const named = Effect.fnUntraced(function* (all: ReadonlyArray<Dear>) {
      // A key of another store, or of before a loss, has spent all the same.
      const names = new Map((yield* keys.names(all.flatMap(([id]) => id ?? []))).map(({ id, name }) => [id, name]))
      return all.flatMap(([id, sums]) => (id === null ? [] : [{ id, name: names.get(id) ?? null, ...wireSums(sums) }]))
    })

    const overview = Effect.fnUntraced(function* ({ limit = DEFAULT_LIMIT, ...time }: QueryOf<"getOverview">) {
      const now = yield* Clock.currentTimeMillis
      const { visibility } = yield* CurrentPrincipal
      const query = yield* trafficQueryOf({ ...time, group_by: "key,team" }, now, visibility)
      const { groups } = yield* traffic.query(query)
      const { budgets } = yield* fullestBudgets(keys, ledger, { visibility, scope: undefined, minUsed: 0, limit }, now)
      const failures = yield* archive.list({
        visibility,
        statuses: ["failed", "cut", "abandoned"],
        limit,
        after: undefined,
        atMost: LOOKED_THROUGH
      })
      const calls = yield* callsByDeployment(traffic, now - RECENT_MS, now)
      const body: Overview = {
        object: "overview",
        from: rfc3339(query.slice.from),
        to: rfc3339(query.slice.to),
        keys: yield* named(dearest(groups, 0, limit)),
        teams: dearest(groups, 1, limit).map(([team, sums]) => ({ team, ...wireSums(sums) })),
        budgets: budgets.map(wireUse),
        deployments: (visibility === "all" ? yield* pool.status : [])
          .map((one) => [one, callFailureRate(calls.get(one.deployment.id))] as const)
          .filter(([one, rate]) => isUnhealthy(one, rate))
          .slice(0, limit)
          .map(([one, rate]) => wireUnhealthy(one, rate)),
        failures: Option.match(failures, { onNone: () => [], onSome: ({ receipts }) => receipts.map(wireReceipt) })
      }
      return body
    })

    return handlers.handle("getOverview", ({ query }) => answering(overview(query)))
  })
)

type Dear = readonly [name: string | null, sums: TrafficSums]

/** By the value of a dimension. A key that changed its team has a group for each. */
const dearest = (groups: ReadonlyArray<TrafficGroup>, dimension: 0 | 1, limit: number): ReadonlyArray<Dear> => {
  const found = new Map<string | null, TrafficSums>()
  for (const { sums, values } of groups) {
    const name = values[dimension] ?? null
    const known = found.get(name) ?? new TrafficSums()
    known.merge(sums)
    found.set(name, known)
  }
  return [...found].sort(([, a], [, b]) => b.cost - a.cost || b.requests - a.requests).slice(0, limit)
}

const wireSums = ({ cost, requests, unpriced }: TrafficSums) => ({ requests, cost_usd: nanoToUsd(cost), unpriced })

const isUnhealthy = ({ health, inRotation }: DeploymentStatus, rate: number | null): boolean =>
  !inRotation || health.circuit !== "closed" || (rate ?? 0) >= UNHEALTHY_FROM

const wireUnhealthy = (
  { deployment, health, inRotation }: DeploymentStatus,
  rate: number | null
): Overview["deployments"][number] => {
  const { circuit, error_rate, last_error, since } = wireHealth(health)
  return {
    id: deployment.id,
    status: inRotation ? "in_rotation" : "out_of_rotation",
    circuit,
    since,
    error_rate,
    failure_rate_15m: rate,
    last_error
  }
}
