/** The state of deployments and of the store, as it is when somebody asks: it costs requests nothing. */
import { Effect, Option } from "effect"
import { Classifier } from "../../core/routing/Classifier.ts"
import { CatalogueState } from "../../core/domain/models/CatalogueState.ts"
import type { Deployment } from "../../core/domain/Deployment.ts"
import { FleetInForce } from "../../core/domain/Fleet.ts"
import { type DeploymentStatus, ProviderPool } from "../../core/pool/ProviderPool.ts"
import { CachedResponses } from "../../core/kept/KeptResponses.ts"
import { Nodes } from "../../core/admin/Nodes.ts"
import { StoreHealth } from "../../core/domain/StoreHealth.ts"
import { Metrics as Definitions } from "@model-gateway/protocol"
import type { Meters } from "./Meters.ts"

const circuits = { closed: 0, half_open: 1, open: 2 }

export const stateMetrics = Effect.fnUntraced(function* (meters: Meters) {
  const { follow } = yield* FleetInForce
  const pool = yield* ProviderPool
  const store = yield* StoreHealth
  const { sharing, vitals } = yield* Nodes
  const classifier = yield* Classifier
  const run = Effect.runSyncWith(yield* Effect.context<never>())

  /** Deployments and providers that have series. Those of a former configuration keep theirs, at rest. */
  const known = new Set<string>()
  const providers = new Map<string, Deployment>()
  let first: string | undefined
  let statuses: ReadonlyMap<string, DeploymentStatus> = new Map()
  /** All deployments at once: series are read in the order they were made in, so the first one reads for the others. */
  const circuitOf = (id: string): number => {
    if (id === first) statuses = new Map(run(pool.status).map((one) => [one.deployment.id, one]))
    return circuits[statuses.get(id)?.health.circuit ?? "closed"]
  }
  follow(({ deployments }) => {
    for (const { id } of deployments) {
      if (known.has(id)) continue
      known.add(id)
      first ??= id
      const labels = { deployment: id }
      meters.gauge(Definitions.inFlight, labels, () => pool.inFlight(id))
      meters.gauge(Definitions.inRotation, labels, () => (pool.isInRotation(id) ? 1 : 0))
      meters.gauge(Definitions.circuit, labels, () => circuitOf(id))
    }
    const added = new Set(deployments.map((one) => one.provider).filter((provider) => !providers.has(provider)))
    for (const one of deployments) providers.set(one.provider, one)
    for (const provider of added) {
      const load = () => pool.load(providers.get(provider)?.id ?? "")
      meters.gauge(Definitions.upstreamCalls, { provider, state: "open" }, () => load().open)
      meters.gauge(Definitions.upstreamCalls, { provider, state: "waiting" }, () => load().waiting)
      if (providers.get(provider)?.maxConnections === undefined) continue
      meters.gauge(Definitions.upstreamCallsMax, { provider }, () => providers.get(provider)?.maxConnections ?? 0)
    }
  })

  const none = {}
  const catalogue = yield* CatalogueState
  const versions = new Set<string>()
  catalogue.follow(() => {
    const { layer, version } = catalogue
    if (version === "" || versions.has(`${version} ${layer}`)) return
    versions.add(`${version} ${layer}`)
    const isInForce = () => (catalogue.version === version && catalogue.layer === layer ? 1 : 0)
    meters.gauge(Definitions.catalogueInfo, { version, layer }, isInForce)
  })
  meters.counter(Definitions.catalogueFailures, none, () => catalogue.failures)
  meters.gauge(Definitions.storeLag, none, () => store.lagMs() / 1000)
  meters.gauge(Definitions.storeCommit, none, () => store.lastCommitMs() / 1000)
  meters.counter(Definitions.storeCommits, none, () => store.commits())
  meters.gauge(Definitions.storeTrouble, none, () => (store.trouble() === undefined ? 0 : 1))
  const cached = Option.getOrUndefined(yield* Effect.serviceOption(CachedResponses))?.vitals
  if (cached !== undefined) {
    meters.gauge(Definitions.cacheBytes, none, () => cached.bytes)
    meters.gauge(Definitions.cacheEntries, none, () => cached.entries)
    for (const reason of ["expired", "room"] as const)
      meters.counter(Definitions.cacheEvictions, { reason }, () => cached[reason])
  }
  if (vitals !== undefined) {
    meters.gauge(Definitions.leaseAge, none, () => vitals().leaseAgeMs / 1000)
    meters.gauge(Definitions.clockDifference, none, () => vitals().clockAheadMs / 1000)
    meters.counter(Definitions.resentFlushes, none, () => vitals().resentFlushes)
  }
  if (sharing !== undefined) {
    meters.gauge(Definitions.sharesHeld, none, sharing.held)
    meters.counter(Definitions.shareRecalls, none, sharing.recalls)
    meters.counter(Definitions.shareQuestions, none, sharing.questions)
  }
  meters.gauge(Definitions.modelLoaded, none, () => classifier.model().loadedAt / 1000)
  meters.gauge(Definitions.modelRefused, none, () => (classifier.model().refused === undefined ? 0 : 1))
})
