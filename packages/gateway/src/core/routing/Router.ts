/** Decides which deployments may serve a request, and in which order they are tried. */
import { Clock, Context, Effect, Layer } from "effect"
import { makeArrange } from "./CandidateOrder.ts"
import { makeAutoRoute } from "./AutoRoute.ts"
import type { RoutedRequest } from "../operations/CallRequest.ts"
import { decisionName } from "../domain/Deployment.ts"
import type { OperationName } from "../domain/OperationName.ts"
import { Classifier, type Demand } from "./Classifier.ts"
import { cutPointsOf } from "./CutPoints.ts"
import { type Decision, type Hints, NO_BUCKET } from "./Decision.ts"
import { comparable, incomparable, isUnclassified, makeFirstCapableRoute } from "./FirstCapableRoute.ts"
import { ModelNotFound } from "../domain/Errors.ts"
import { Fleet } from "../domain/Fleet.ts"
import type { Caller } from "../keys/Caller.ts"
import { indexNames, type ModelEntry } from "./ModelNames.ts"
import { matchesGlob } from "../collections/Glob.ts"
import { nearestNames } from "../collections/NearestNames.ts"
import { ProviderPool } from "../pool/ProviderPool.ts"
import { LruMap } from "../collections/LruMap.ts"
import { type Explanation, makeExplain } from "./RouteExplanation.ts"
import { AUTO, mayUse, refusalOf, eligibility, wordsOf } from "./Eligibility.ts"
import { RouteNotes } from "./RouteNotes.ts"
import type { RoutingError } from "./RoutingError.ts"
import { TrafficHistory } from "./TrafficHistory.ts"

/** A name that leads to no deployment. `nearest`: closest first. */
export interface Stranger {
  readonly model: string
  readonly nearest: ReadonlyArray<string>
}

export class Router extends Context.Service<
  Router,
  {
    /**
     * Decides by what is known at the moment of the call. `operation`: what the request asks for; left out: whatever a deployment
     * serves will do.
     */
    readonly decide: (
      request: RoutedRequest,
      caller: Caller,
      hints?: Hints,
      operation?: OperationName
    ) => Effect.Effect<Decision, RoutingError>
    /** Reports that a deployment answered the request: its session stays there, and its demand is remembered. */
    readonly answered: (decision: Pick<Decision, "affinityKey" | "topic">, deploymentId: string) => void
    /** Whether a name stands for one deployment, or for those of one model at one provider: its id, or `<provider>/<model>`. */
    readonly isPinned: (name: string) => boolean
    /** The decision with everything that led to it. Calls nobody and remembers nothing. */
    readonly explain: (
      request: RoutedRequest,
      caller: Caller,
      hints?: Hints,
      operation?: OperationName
    ) => Effect.Effect<Explanation>
    /** All names this caller may use, `auto` first, each with the deployments it leads to. */
    readonly models: (caller: Caller) => ReadonlyArray<ModelEntry>
    /** Those of a key's allowed models, names or globs, that stand for nothing here, with similar names. */
    readonly strangers: (models: ReadonlyArray<string>) => ReadonlyArray<Stranger>
    /** The names of the buckets that a deployment is in. */
    readonly bucketsOf: (deploymentId: string) => ReadonlyArray<string>
  }
>()("gateway/core/Router") {
  static readonly layer = Layer.effect(
    Router,
    Effect.gen(function* () {
      const fleet = yield* Fleet
      const pool = yield* ProviderPool
      const classifier = yield* Classifier
      const clock = yield* Clock.Clock
      const names = indexNames(fleet)
      const { sessions: affinity } = yield* TrafficHistory
      const lately = new LruMap<Demand>()
      const cutPoints = cutPointsOf(fleet.router)
      const arranged = makeArrange(fleet.failover, pool, affinity)
      const auto = makeAutoRoute({ fleet, pool, classifier, lately, cutPoints, arranged, bucketed: names.bucketed })
      const firstCapable = makeFirstCapableRoute(fleet, pool)

      const decideAuto = (
        request: RoutedRequest,
        caller: Caller,
        hints: Hints,
        operation: OperationName | undefined
      ): Effect.Effect<Decision, RoutingError> =>
        isUnclassified(request)
          ? firstCapable.route(request, caller, operation)
          : auto.route(auto.weigh(request, caller, hints, clock.currentTimeMillisUnsafe(), operation))

      const decideNamed = (
        request: RoutedRequest,
        caller: Caller,
        hints: Hints,
        operation: OperationName | undefined
      ): Effect.Effect<Decision, RoutingError> => {
        const named = names.find(request.model)
        if (named === undefined) {
          const usable = usableBy(caller).map(({ id }) => id)
          return Effect.fail(new ModelNotFound({ model: request.model, nearest: nearestNames(request.model, usable) }))
        }
        const { fit, unfit } = eligibility(named.deployments, request, caller, request.model, pool, operation)
        if (fit.length === 0) return Effect.fail(refusalOf(unfit, request.model, caller))
        const notes = new RouteNotes()
        for (const one of unfit) notes.words.push(wordsOf(one))
        const order = named.rule?.order ?? fleet.failover.order ?? (named.bare ? "weight" : "listed")
        const visit = { keyId: caller.key.id, route: request.model, request, sessionId: hints.sessionId }
        const spares = comparable(fit, request)
        if (spares.length < fit.length) notes.words.push("vectors of other models in the list can't be compared")
        const now = clock.currentTimeMillisUnsafe()
        const inOrder = arranged(spares, order, visit, now, notes, named.rule?.fallbacks)
        return Effect.flatMap(inOrder, ({ affinityKey, list }) => {
          const decision: Decision = {
            candidates: list,
            bucket: NO_BUCKET,
            score: 0,
            reasons: notes.words.length === 0 ? named.reasons : [...named.reasons, ...notes.words],
            affinityKey,
            unfit,
            unready: notes.unready,
            unused: incomparable(fit, spares),
            presets: named.rule?.presets
          }
          if (!fleet.router.shadow || isUnclassified(request)) return Effect.succeed(decision)
          return auto.watch(decision, request, caller, hints, operation)
        })
      }

      const decide = (
        request: RoutedRequest,
        caller: Caller,
        hints: Hints = {},
        operation?: OperationName
      ): Effect.Effect<Decision, RoutingError> =>
        Effect.suspend(() =>
          request.model === AUTO
            ? decideAuto(request, caller, hints, operation)
            : decideNamed(request, caller, hints, operation)
        )

      const autoEntry: ModelEntry = {
        id: AUTO,
        kind: "auto",
        deployments: [...new Set(names.bucketed.flat())],
        bucket: null
      }
      /** Capabilities and prices of a name are those of the deployments that the caller may use through it. */
      const usableBy = (caller: Caller): ReadonlyArray<ModelEntry> =>
        [autoEntry, ...names.listed].flatMap((entry) => {
          const deployments = entry.deployments.filter((deployment) => mayUse(caller, entry.id, deployment))
          return deployments.length === 0 ? [] : [{ ...entry, deployments }]
        })
      const buckets = fleet.router.buckets.map((bucket) => bucket.name)
      return {
        decide,
        answered: ({ affinityKey, topic }, deploymentId) => {
          const now = clock.currentTimeMillisUnsafe()
          if (affinityKey !== undefined) affinity.keep(affinityKey, deploymentId, now)
          if (topic !== undefined) lately.keep(topic.session, topic, now)
        },
        isPinned: (name) =>
          !fleet.aliases.has(name) &&
          names.find(name)?.deployments.every((one) => one.id === name || decisionName(one) === name) === true,
        explain: makeExplain({ firstCapable, fleet, pool, classifier, cutPoints, names, auto, decide }),
        models: usableBy,
        strangers: (models) =>
          models
            .filter((model) => !matchesGlob(model, AUTO) && names.leadsNowhere(model))
            .map((model) => ({
              model,
              nearest: nearestNames(model, [AUTO, ...names.listed.map(({ id }) => id)])
            })),
        bucketsOf: (id) => buckets.filter((_, index) => names.bucketed[index]!.some((one) => one.id === id))
      }
    })
  )
}
