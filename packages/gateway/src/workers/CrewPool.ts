/** The deployments as all workers see them together: what is changed here is changed in every one. */
import { Effect, Layer } from "effect"
import { type DeploymentStatus, ProviderPool } from "../core/pool/ProviderPool.ts"
import type { UpstreamLoad } from "../core/pool/Transport.ts"
import type { Crew, WorkerState } from "./Crew.ts"

type Reported = WorkerState["deployments"][number]

const circuits = { closed: 0, half_open: 1, open: 2 }

/** Over this process's own pool, which calls nobody. */
export const layer = (crew: Crew) =>
  Layer.effect(
    ProviderPool,
    Effect.map(ProviderPool, (pool) => {
      const states = () => Array.from(crew.members, ({ state }) => state).filter((state) => state !== undefined)
      const merged = (status: DeploymentStatus): DeploymentStatus => {
        const { id } = status.deployment
        const reports = states().flatMap(({ deployments }) => deployments.filter((one) => one.id === id))
        const worst = reports.reduce<Reported | undefined>(
          (a, b) => (a === undefined || isWorse(b, a) ? b : a),
          undefined
        )
        const inFlight = reports.reduce((sum, one) => sum + one.inFlight, 0)
        if (worst === undefined) return status
        const openings = reports.flatMap(({ health }) => health.openings).sort((a, b) => a - b)
        return { ...status, health: { ...worst.health, openings }, keys: worst.keys, inFlight }
      }
      const inFlight = (id: string) =>
        states().reduce((sum, { deployments }) => sum + (deployments.find((one) => one.id === id)?.inFlight ?? 0), 0)
      const load = (id: string): UpstreamLoad =>
        states().reduce(
          ({ open, waiting }, { loads }) => ({
            open: open + (loads[id]?.open ?? 0),
            waiting: waiting + (loads[id]?.waiting ?? 0)
          }),
          { open: 0, waiting: 0 }
        )
      return {
        ...pool,
        inFlight,
        load,
        status: Effect.map(pool.status, (all) => all.map(merged)),
        setRotation: (ids, inRotation, entries) =>
          Effect.tap(pool.setRotation(ids, inRotation, entries), () => crew.everyone("rotate", ids, inRotation)),
        reset: (ids) => Effect.tap(pool.reset(ids), () => crew.everyone("reset", ids))
      }
    })
  )

/** The health that is shown is that of the worker which sees it worst. */
const isWorse = ({ health: a }: Reported, { health: b }: Reported): boolean =>
  circuits[a.circuit] !== circuits[b.circuit]
    ? circuits[a.circuit] > circuits[b.circuit]
    : (a.errorRate ?? 0) > (b.errorRate ?? 0)
