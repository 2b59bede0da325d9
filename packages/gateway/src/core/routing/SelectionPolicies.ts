/** Selection policies: the order in which deployments are tried. Ties keep the list's order. */
import type { Random } from "effect"
import type { Deployment } from "../domain/Deployment.ts"
import type { DeploymentHealth } from "../pool/ProviderPool.ts"
import { worstCase } from "../domain/pricing/Pricing.ts"
import { RouteNotes } from "./RouteNotes.ts"
import type { Order } from "../domain/Settings.ts"

export type Chance = Pick<Random.Random, "nextDoubleUnsafe">

/** Orders `deployments`. Those that are full or whose circuit is open go last under every policy, which is noted. */
export const arrange = (
  deployments: ReadonlyArray<Deployment>,
  order: Order,
  pool: DeploymentHealth,
  now: number,
  random: Chance,
  notes = new RouteNotes()
): ReadonlyArray<Deployment> => {
  if (deployments.length === 1) return deployments
  const ordered = order === "weight" ? byWeight(deployments, random) : sorted(deployments, order, pool, now)
  return readyFirst(ordered, pool, now, notes)
}

/** Keeps the order, but moves deployments that are not ready to the end, which is noted. */
export const readyFirst = (
  list: ReadonlyArray<Deployment>,
  pool: DeploymentHealth,
  now: number,
  notes: RouteNotes
): ReadonlyArray<Deployment> => {
  const ready: Array<Deployment> = []
  const others: Array<Deployment> = []
  for (const deployment of list) (pool.isReady(deployment.id, now) ? ready : others).push(deployment)
  if (others.length === 0) return list
  notes.notReady(others, pool, now)
  return [...ready, ...others]
}

const sorted = (deployments: ReadonlyArray<Deployment>, order: Order, pool: DeploymentHealth, now: number) => {
  const rank = (deployment: Deployment): number => {
    switch (order) {
      case "priority":
        return deployment.priority
      case "least_busy":
        return pool.inFlight(deployment.id)
      case "latency":
        return pool.expectedFirstToken(deployment.id, now)
      case "throughput":
        return -pool.throughput(deployment.id, now)
      case "cost":
        return deployment.price === undefined ? Number.POSITIVE_INFINITY : typicalCost(deployment)
      default:
        return 0
    }
  }
  return deployments
    .map((deployment) => ({ deployment, rank: rank(deployment) }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ deployment }) => deployment)
}

/** Prices are compared for three input tokens and one output token, as is typical for chats. */
const typicalCost = (deployment: Deployment): number => worstCase(deployment.price!, { input: 3_000, output: 1_000 }, 0)

/** A weighted draw without replacement: exponential times by weight, the shortest first. */
const byWeight = (deployments: ReadonlyArray<Deployment>, random: Chance): ReadonlyArray<Deployment> =>
  deployments
    .map((deployment) => {
      const chance = random.nextDoubleUnsafe()
      // Deployments without weight come last, in list order.
      const after = deployment.weight > 0 ? -Math.log(1 - chance) / deployment.weight : Number.POSITIVE_INFINITY
      return { deployment, after }
    })
    .sort((a, b) => (a.after < b.after ? -1 : a.after > b.after ? 1 : 0))
    .map(({ deployment }) => deployment)
