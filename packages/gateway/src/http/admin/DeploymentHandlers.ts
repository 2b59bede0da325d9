/** `/admin/deployments`. */
import { DeploymentSelection, ServedApi } from "@model-gateway/protocol"
import { Clock, Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { type DeploymentStatus, ProviderPool } from "../../core/pool/ProviderPool.ts"
import { callFailureRate, callsByDeployment, RECENT_MS } from "../../core/admin/FailureRate.ts"
import { Traffic } from "../../core/admin/Traffic.ts"
import { HOUR_MS } from "../../core/admin/TrafficRow.ts"
import { Router } from "../../core/routing/Router.ts"
import type { EndpointError } from "../errors/WireError.ts"
import { type Lately, wireDeployment } from "./DeploymentRecords.ts"
import { entryOf, makeNote } from "./access/Audited.ts"
import { listOf } from "./AdminPages.ts"
import { withBody } from "./AdminRequestBody.ts"

export const deploymentHandlers = HttpApiBuilder.group(
  ServedApi,
  "deployments",
  Effect.fnUntraced(function* (handlers) {
    const pool = yield* ProviderPool
    const router = yield* Router
    const traffic = yield* Traffic
    const note = yield* makeNote

    const rotated = Effect.fnUntraced(function* (ids: ReadonlyArray<string>, inRotation: boolean) {
      const action = inRotation ? "deployments.enable" : "deployments.disable"
      const entry = yield* entryOf(action)
      const entries = ids.map((id) =>
        entry(id, { status: rotation(pool.isInRotation(id)) }, { status: rotation(inRotation) })
      )
      return yield* pool.setRotation(ids, inRotation, entries)
    })

    const reset = Effect.fnUntraced(function* (ids: ReadonlyArray<string>) {
      const circuits = new Map((yield* pool.status).map(({ deployment, health }) => [deployment.id, health.circuit]))
      const changed = yield* pool.reset(ids)
      for (const id of ids) {
        yield* note("deployments.reset", id, { circuit: circuits.get(id) }, { circuit: "closed" })
      }
      return changed
    })

    const shown = Effect.fnUntraced(function* (deployments: ReadonlyArray<DeploymentStatus>) {
      const now = yield* Clock.currentTimeMillis
      // A store that can't be asked hides no health.
      const lately = yield* Effect.orElseSucceed(lastHour(traffic, now), () => new Map<string, Lately>())
      return listOf(
        deployments.map((one) => {
          const { id } = one.deployment
          return wireDeployment(one, router.bucketsOf(id), lately.get(id), now)
        })
      )
    })

    const selected = <R>(
      change: (ids: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<DeploymentStatus>, EndpointError, R>
    ) => withBody(DeploymentSelection, (selection) => Effect.flatMap(change(idsIn(selection)), shown))

    return handlers
      .handle("listDeployments", () => Effect.flatMap(pool.status, shown))
      .handleRaw(
        "disableDeployments",
        selected((ids) => rotated(ids, false))
      )
      .handleRaw(
        "enableDeployments",
        selected((ids) => rotated(ids, true))
      )
      .handleRaw("resetDeployments", selected(reset))
  })
)

const rotation = (inRotation: boolean) => (inRotation ? "in_rotation" : "out_of_rotation")

const idsIn = ({ deployment, deployments = [] }: DeploymentSelection): ReadonlyArray<string> =>
  deployment === undefined ? [...new Set(deployments)] : [deployment]

const lastHour = Effect.fnUntraced(function* (traffic: Traffic["Service"], now: number) {
  const slice = { cut: "fleet", grain: "minute", from: now - HOUR_MS, to: now + 1 } as const
  const { groups } = yield* traffic.query({
    visibility: "all",
    slice,
    timeZone: "UTC",
    interval: undefined,
    groupBy: ["deployment"],
    filters: {}
  })
  const hour = yield* callsByDeployment(traffic, slice.from, now)
  const recent = yield* callsByDeployment(traffic, now - RECENT_MS, now)
  return new Map(
    groups.map(({ sums, values }): readonly [string, Lately] => {
      const id = values[0] ?? ""
      const median = sums.pace.quantile(0.5)
      return [
        id,
        {
          ...(hour.get(id) ?? { calls: 0, failed: 0 }),
          failureRate: callFailureRate(recent.get(id)),
          tokensPerSecond: median === null ? null : Number(median.toPrecision(3))
        }
      ]
    })
  )
})
