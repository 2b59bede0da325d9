/** The provider pool with the real protocols and vendors. */
import { Effect, Layer } from "effect"
import { Fleet } from "../../core/domain/Fleet.ts"
import type { OperationName } from "../../core/domain/OperationName.ts"
import { type DeploymentHealth, ProviderPool } from "../../core/pool/ProviderPool.ts"
import { noLoad, Transport } from "../../core/pool/Transport.ts"
import { TrafficHistory } from "../../core/routing/TrafficHistory.ts"
import { ProviderRegistry } from "../catalogue/ProviderRegistry.ts"
import { PoolMember } from "./Member.ts"
import { authenticationsOf } from "./ProviderKeys.ts"
import { followRotation } from "./Rotation.ts"
import { makeCalls } from "./UpstreamCalls.ts"

export const layer = Layer.effect(
  ProviderPool,
  Effect.gen(function* () {
    const transport = yield* Transport
    const registry = yield* ProviderRegistry
    const { deployments } = yield* Fleet
    const { standings } = yield* TrafficHistory
    const authentications = authenticationsOf(deployments, registry, transport)
    const members = new Map(
      Array.from(standings, ([id, standing]) => {
        const auth = authentications.get(standing.deployment.provider)
        return [id, new PoolMember(standing, registry, transport, auth)]
      })
    )
    const rotation = yield* followRotation(members)
    const calls = yield* makeCalls(members)
    return { ...rotation, ...healthOf(members, transport), ...calls }
  })
)

const NO_OPERATIONS: ReadonlySet<OperationName> = new Set()

const healthOf = (members: ReadonlyMap<string, PoolMember>, transport: Transport["Service"]): DeploymentHealth => ({
  operations: (deployment) => members.get(deployment.id)?.of(deployment).operations ?? NO_OPERATIONS,
  isInRotation: (id) => members.get(id)?.inRotation ?? false,
  isReady: (id, now) => members.get(id)?.isReady(now) ?? false,
  whyNotReady: (id, now) => members.get(id)?.whyNotReady(now) ?? "it is not configured",
  isHealthy: (id, now) => members.get(id)?.isHealthy(now) ?? false,
  hasOtherKey: (id, now, tried) => members.get(id)?.keys.hasOther(now, tried) ?? false,
  inFlight: (id) => members.get(id)?.health.inFlight ?? 0,
  load: (id) => {
    const member = members.get(id)
    return member === undefined ? noLoad : transport.load(member.deployment.baseUrl)
  },
  expectedFirstToken: (id, now) => members.get(id)?.health.expectedFirstToken(now) ?? 0,
  throughput: (id, now) => members.get(id)?.health.throughput(now) ?? 0,
  outputRate: (id) => members.get(id)?.outputRate ?? 0
})
