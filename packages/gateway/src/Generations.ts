/**
 * The rules that depend on the configured deployments, in generations: another fleet gets a classifier, a pool, a router and a
 * gateway of its own, and takes over between two requests. A request ends in the generation in which it began; a generation closes
 * when its last request has ended. What traffic has shown of a deployment goes on to the next generation.
 */
import { Context, Effect, Exit, Layer, Scope, Semaphore } from "effect"
import * as ClassifierLive from "./classifier/PromptClassifier.ts"
import type { ModelFileInvalid } from "./classifier/model/ModelFile.ts"
import { Gateway } from "./core/call/Gateway.ts"
import type { StoreUnavailable } from "./core/domain/Errors.ts"
import { Fleet, FleetInForce } from "./core/domain/Fleet.ts"
import { ProviderPool } from "./core/pool/ProviderPool.ts"
import { Classifier } from "./core/routing/Classifier.ts"
import { Router } from "./core/routing/Router.ts"
import { TrafficHistory, trafficHistory } from "./core/routing/TrafficHistory.ts"
import * as ProviderPoolLive from "./providers/pool/UpstreamPool.ts"

const rules = Gateway.layer.pipe(
  Layer.provideMerge(Router.layer),
  Layer.provideMerge(ProviderPoolLive.layer),
  Layer.provideMerge(ClassifierLive.layer)
)

interface Generation {
  readonly fleet: Fleet["Service"]
  readonly scope: Scope.Closeable
  readonly gateway: Gateway["Service"]
  readonly router: Router["Service"]
  readonly pool: ProviderPool["Service"]
  readonly classifier: Classifier["Service"]
  readonly history: TrafficHistory["Service"]
  /** Requests that began in it and have not ended. */
  requests: number
  isOver: boolean
}

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
      const outer = yield* Effect.scope
      const services = yield* Effect.context<Exclude<Layer.Services<typeof rules>, TrafficHistory>>()
      const listeners: Array<(fleet: Fleet["Service"]) => void> = []
      // What administrators change in one generation must be seen by the next.
      const oneChange = Semaphore.makeUnsafe(1)

      const made = Effect.fnUntraced(function* (fleet: Fleet["Service"], before?: TrafficHistory["Service"]) {
        const scope = yield* Scope.fork(outer)
        const history = trafficHistory(fleet.deployments, before)
        const context = yield* Layer.buildWithScope(Layer.fresh(rules), scope).pipe(
          Effect.provideContext(services.pipe(Context.add(Fleet, fleet), Context.add(TrafficHistory, history))),
          Effect.onError((cause) => Scope.close(scope, Exit.failCause(cause)))
        )
        return {
          fleet,
          scope,
          gateway: Context.get(context, Gateway),
          router: Context.get(context, Router),
          pool: Context.get(context, ProviderPool),
          classifier: Context.get(context, Classifier),
          history,
          requests: 0,
          isOver: false
        } satisfies Generation as Generation
      })

      let now = yield* made(yield* Fleet)

      /** Undefined: nothing to do. */
      const closed = (generation: Generation): Effect.Effect<void> | undefined =>
        generation.isOver && generation.requests === 0 ? Scope.close(generation.scope, Exit.void) : undefined

      const replace = (fleet: Fleet["Service"]) =>
        Effect.gen(function* () {
          const next = yield* made(fleet, now.history)
          const before = now
          now = next
          before.isOver = true
          for (const listener of listeners) listener(fleet)
          yield* closed(before) ?? Effect.void
        }).pipe(Semaphore.withPermit(oneChange), Effect.uninterruptible)

      const ended = (generation: Generation): Effect.Effect<void> | undefined => {
        generation.requests--
        return closed(generation)
      }

      /** A call in the present generation, which lasts until the answer is there; of a stream, until the Scope closes. */
      const call: Gateway["Service"]["call"] = (operation, input) => {
        let used: Generation | undefined
        const calling = Effect.suspend(() => {
          used = now
          used.requests++
          return used.gateway.call(operation, input)
        })
        return Effect.onExitPrimitive(calling, (exit) => {
          if (used === undefined) return undefined
          const generation = used
          if (Exit.isFailure(exit) || exit.value.kind === "whole") return ended(generation)
          return Effect.flatMap(Effect.scope, (scope) =>
            Scope.addFinalizer(
              scope,
              Effect.suspend(() => ended(generation) ?? Effect.void)
            )
          )
        })
      }

      return Context.make(Generations, { replace }).pipe(
        Context.add(FleetInForce, {
          follow: (listener) => {
            listeners.push(listener)
            listener(now.fleet)
          }
        }),
        Context.add(Gateway, { admit: (caller) => now.gateway.admit(caller), call }),
        Context.add(Router, {
          decide: (request, caller, hints, operation) => now.router.decide(request, caller, hints, operation),
          answered: (decision, deploymentId) => now.router.answered(decision, deploymentId),
          isPinned: (name) => now.router.isPinned(name),
          strangers: (models) => now.router.strangers(models),
          explain: (request, caller, hints, operation) => now.router.explain(request, caller, hints, operation),
          models: (caller) => now.router.models(caller),
          bucketsOf: (deploymentId) => now.router.bucketsOf(deploymentId)
        }),
        Context.add(Classifier, {
          assess: (request, session) => now.classifier.assess(request, session),
          explain: (prompt) => now.classifier.explain(prompt),
          model: () => now.classifier.model()
        }),
        Context.add(ProviderPool, {
          status: Effect.suspend(() => now.pool.status),
          setRotation: (ids, inRotation, entries) =>
            oneChange.withPermit(Effect.suspend(() => now.pool.setRotation(ids, inRotation, entries))),
          reset: (ids) => Effect.suspend(() => now.pool.reset(ids)),
          operations: (id) => now.pool.operations(id),
          isInRotation: (id) => now.pool.isInRotation(id),
          isReady: (id, at) => now.pool.isReady(id, at),
          isHealthy: (id, at) => now.pool.isHealthy(id, at),
          hasOtherKey: (id, at, tried) => now.pool.hasOtherKey(id, at, tried),
          inFlight: (id) => now.pool.inFlight(id),
          load: (id) => now.pool.load(id),
          expectedFirstToken: (id, at) => now.pool.expectedFirstToken(id, at),
          outputRate: (id) => now.pool.outputRate(id),
          complete: (call) => now.pool.complete(call),
          stream: (call) => now.pool.stream(call)
        })
      )
    })
  )
}
