/**
 * Router, classifier and pool of the configured deployments. Another fleet gets new ones, which take over between two requests.
 * A call ends in the generation in which it was decided; what traffic has shown goes on to the next.
 */
import { Context, Effect, Layer, ScopedRef, Semaphore } from "effect"
import * as PromptClassifier from "./classifier/PromptClassifier.ts"
import type { ModelFileInvalid } from "./classifier/model/ModelFile.ts"
import type { Deployment } from "./core/domain/Deployment.ts"
import type { StoreUnavailable } from "./core/domain/Errors.ts"
import { Fleet, FleetInForce } from "./core/domain/Fleet.ts"
import { hasPatterns } from "./core/guardrails/Guardrails.ts"
import { loadPatterns } from "./core/guardrails/PatternRule.ts"
import { ProviderPool } from "./core/pool/ProviderPool.ts"
import { Classifier } from "./core/routing/Classifier.ts"
import { Router } from "./core/routing/Router.ts"
import { TrafficHistory, trafficHistory } from "./core/routing/TrafficHistory.ts"
import * as UpstreamPool from "./providers/pool/UpstreamPool.ts"

const rules = Router.layer.pipe(Layer.provideMerge(UpstreamPool.layer), Layer.provideMerge(PromptClassifier.layer))

export class Generations extends Context.Service<
  Generations,
  {
    /** From then on new requests are served by this fleet. If it can't be used, nothing changes. */
    readonly replace: (fleet: Fleet["Service"]) => Effect.Effect<void, ModelFileInvalid | StoreUnavailable>
  }
>()("gateway/Generations") {
  /** `Fleet`: that of the first generation. */
  static readonly layer = Layer.effectContext(
    Effect.gen(function* () {
      const services = yield* Effect.context<Exclude<Layer.Services<typeof rules>, TrafficHistory>>()
      const listeners: Array<(fleet: Fleet["Service"]) => void> = []
      const pools = new WeakMap<Deployment, ProviderPool["Service"]>()

      const made = Effect.fnUntraced(function* (fleet: Fleet["Service"], before?: TrafficHistory["Service"]) {
        if (fleet.guardrails !== undefined && hasPatterns(fleet.guardrails)) yield* loadPatterns
        const history = trafficHistory(fleet.deployments, before)
        const built = yield* Layer.build(Layer.fresh(rules)).pipe(
          Effect.provideContext(services.pipe(Context.add(Fleet, fleet), Context.add(TrafficHistory, history)))
        )
        const pool = Context.get(built, ProviderPool)
        for (const deployment of fleet.deployments) pools.set(deployment, pool)
        return { fleet, history, pool, router: Context.get(built, Router), classifier: Context.get(built, Classifier) }
      })

      const current = yield* ScopedRef.fromAcquire(made(yield* Fleet))
      const now = () => ScopedRef.getUnsafe(current)
      // What administrators change in one generation must be seen by the next.
      const oneChange = Semaphore.makeUnsafe(1)

      const replace = (fleet: Fleet["Service"]) =>
        Effect.suspend(() => ScopedRef.set(current, made(fleet, now().history))).pipe(
          Effect.andThen(Effect.sync(() => listeners.forEach((listener) => listener(fleet)))),
          Semaphore.withPermit(oneChange),
          Effect.uninterruptible
        )

      const pool = passedOn(() => now().pool)
      const poolOf = ({ deployment }: { readonly deployment: Deployment }) =>
        pools.get(deployment.wildcard ?? deployment) ?? now().pool

      return Context.make(Generations, { replace }).pipe(
        Context.add(FleetInForce, {
          follow: (listener) => {
            listeners.push(listener)
            listener(now().fleet)
          }
        }),
        Context.add(
          Router,
          passedOn(() => now().router)
        ),
        Context.add(
          Classifier,
          passedOn(() => now().classifier)
        ),
        Context.add(ProviderPool, {
          ...pool,
          setRotation: (ids, inRotation, entries) => oneChange.withPermit(pool.setRotation(ids, inRotation, entries)),
          complete: (call) => Effect.suspend(() => poolOf(call).complete(call)),
          stream: (call) => Effect.suspend(() => poolOf(call).stream(call))
        })
      )
    })
  )
}

/** A service whose members are those of the service in force when they are used. */
const passedOn = <Service extends object>(inForce: () => Service): Service => {
  const member = (name: keyof Service) => inForce()[name]
  return Object.fromEntries(
    Object.entries(inForce()).map(([key, value]) => {
      const name = key as keyof Service
      if (Effect.isEffect(value)) return [key, Effect.suspend(() => member(name) as Effect.Effect<unknown>)]
      return [
        key,
        (...given: ReadonlyArray<unknown>) => (member(name) as (...given: ReadonlyArray<unknown>) => unknown)(...given)
      ]
    })
  ) as Service
}
