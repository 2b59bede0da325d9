/** The provider pool with the real protocols and vendors. */
import { Clock, Effect, Layer, Schedule, Semaphore, Stream } from "effect"
import type { NewAuditEntry } from "../../core/domain/AuditRepository.ts"
import { NotFound, type StoreUnavailable } from "../../core/domain/Errors.ts"
import { Fleet } from "../../core/domain/Fleet.ts"
import type { OperationName } from "../../core/domain/OperationName.ts"
import {
  type DeploymentHealth,
  type DeploymentStatus,
  ProviderPool,
  type Rotation
} from "../../core/pool/ProviderPool.ts"
import { RotationRepository } from "../../core/pool/RotationRepository.ts"
import { noLoad, Transport } from "../../core/pool/Transport.ts"
import { TrafficHistory } from "../../core/routing/TrafficHistory.ts"
import { ProviderRegistry } from "../catalogue/ProviderRegistry.ts"
import { PoolMember } from "./Member.ts"
import { authenticationsOf } from "./ProviderKeys.ts"
import { makeCalls } from "./UpstreamCalls.ts"

// The administration of a pool. Deployments are enabled as the store has it, and as other processes change it.

/** Between two attempts to read a store that can't be read. */
const RETRY_DELAY = "100 millis"

/** When it completes, the members are as the store has them. They follow the store until the scope closes. */
const followRotation = Effect.fnUntraced(function* (members: ReadonlyMap<string, PoolMember>) {
  const rotation = yield* RotationRepository
  const clock = yield* Clock.Clock
  const reading = Semaphore.makeUnsafe(1)

  // One read at a time, so that the last one is in force.
  const refresh: Effect.Effect<void, StoreUnavailable> = Effect.map(rotation.disabled, (disabled) => {
    for (const [id, member] of members) member.inRotation = !disabled.has(id)
  }).pipe(Semaphore.withPermit(reading))

  const resetHere = (ids: ReadonlyArray<string>) =>
    Effect.sync(() => {
      for (const id of ids) members.get(id)?.health.reset(clock.currentTimeMillisUnsafe())
    })

  const follow = Stream.runForEach(rotation.changes, (change) =>
    change.what === "reset"
      ? resetHere([change.id])
      : Effect.orDie(Effect.retry(refresh, { schedule: Schedule.spaced(RETRY_DELAY) }))
  )
  // Started before the first read: a change in between is in that read, or is reported.
  yield* Effect.forkScoped(follow, { startImmediately: true })
  yield* refresh

  const statusOf = (member: PoolMember) =>
    Effect.map(Clock.currentTimeMillis, (now): DeploymentStatus => ({
      deployment: member.deployment,
      inRotation: member.inRotation,
      health: member.report(now),
      inFlight: member.health.inFlight,
      keys: member.keyReport(now)
    }))

  const membersOf = Effect.fnUntraced(function* (ids: ReadonlyArray<string>) {
    const unknown = ids.find((id) => !members.has(id))
    if (unknown !== undefined) return yield* new NotFound({ what: "deployment", id: unknown })
    return ids.flatMap((id) => members.get(id) ?? [])
  })

  const setRotation = Effect.fn("ProviderPool.setRotation")(function* (
    ids: ReadonlyArray<string>,
    inRotation: boolean,
    entries: ReadonlyArray<NewAuditEntry> = []
  ) {
    const chosen = yield* membersOf(ids)
    yield* rotation.setDisabled(ids, !inRotation, entries)
    // The store has accepted the change, so it is in force here even if the store can't be read now.
    const apply = Effect.sync(() => {
      for (const member of chosen) member.inRotation = inRotation
    })
    yield* refresh.pipe(Effect.catch(() => apply))
    return yield* Effect.forEach(chosen, statusOf)
  }, Effect.uninterruptible)

  const reset = Effect.fn("ProviderPool.reset")(function* (ids: ReadonlyArray<string>) {
    const chosen = yield* membersOf(ids)
    yield* Effect.andThen(resetHere(ids), rotation.reset(ids))
    return yield* Effect.forEach(chosen, statusOf)
  })

  const administration: Rotation = {
    status: Effect.suspend(() => Effect.forEach([...members.values()], statusOf)),
    setRotation,
    reset
  }
  return administration
})

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
