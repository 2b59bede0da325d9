/** Decides which deployments may serve a request, and in which order they are tried. */
import { Clock, Context, Effect, Layer, Random, Result } from "effect"
import { makeArrange } from "./CandidateOrder.ts"
import { makeAutoRoute } from "./AutoRoute.ts"
import type { RoutedRequest } from "../operations/CallRequest.ts"
import { anyProvider } from "../operations/ReadChoice.ts"
import type { Choice, Sort } from "../domain/Choice.ts"
import { decisionName } from "../domain/Deployment.ts"
import type { OperationName } from "../domain/OperationName.ts"
import { Classifier, type Demand } from "./Classifier.ts"
import { cutPointsOf } from "./CutPoints.ts"
import { type Decision, type Hints, NO_BUCKET, threadOf, withCandidates } from "./Decision.ts"
import { comparable, incomparable, isUnclassified, makeFirstCapableRoute } from "./FirstCapableRoute.ts"
import { InvalidField, ModelNotFound } from "../domain/Errors.ts"
import { Fleet } from "../domain/Fleet.ts"
import type { Caller } from "../keys/Caller.ts"
import { indexNames, type ModelEntry } from "./ModelNames.ts"
import { matchesGlob } from "../collections/Glob.ts"
import { nearestNames } from "../collections/NearestNames.ts"
import { ProviderPool } from "../pool/ProviderPool.ts"
import { LruMap } from "../collections/LruMap.ts"
import { type Explanation, makeExplain } from "./RouteExplanation.ts"
import { AUTO, mayUse, refusalOf, eligibility, wordsOf } from "./Eligibility.ts"
import { lackedTag, routesItself, slugsOf } from "./ProviderChoice.ts"
import { RouteNotes } from "./RouteNotes.ts"
import type { RoutingError } from "./RoutingError.ts"
import { TrafficHistory } from "./TrafficHistory.ts"

/** A name that leads to no deployment. `nearest`: closest first. */
export interface Stranger {
  readonly model: string
  readonly nearest: ReadonlyArray<string>
}

/** OpenRouter's short forms of `provider.sort`, where no model has that name. */
const SUFFIX = /^(.+):(nitro|floor)$/
const SUFFIXES: { readonly [suffix: string]: Sort } = { nitro: "throughput", floor: "price" }

export class Router extends Context.Service<
  Router,
  {
    /** Decides at the moment of the call. `operation`: left out, any that the deployment serves. */
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
      const random = yield* Random.Random
      const arranged = makeArrange(fleet.failover, pool, affinity, random)
      const { bucketed } = names
      const auto = makeAutoRoute({ fleet, pool, classifier, lately, cutPoints, arranged, random, bucketed })
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
        const visit = { keyId: caller.key.id, route: request.model, request, sessionId: threadOf(hints) }
        const spares = comparable(fit, request)
        if (spares.length < fit.length) notes.words.push("vectors of other models in the list can't be compared")
        const now = clock.currentTimeMillisUnsafe()
        const { affinityKey, list } = arranged(spares, order, visit, now, notes, named.rule?.fallbacks)
        const presets = named.rule?.presets
        const decision: Decision = {
          candidates: list,
          bucket: NO_BUCKET,
          score: 0,
          reasons: notes.words.length === 0 ? named.reasons : [...named.reasons, ...notes.words],
          affinityKey,
          unfit,
          unready: notes.unready,
          unused: incomparable(fit, spares),
          presets: presets && new Map(list.map((one) => [one, presets]))
        }
        const isWatched = fleet.router.shadow && !isUnclassified(request)
        return Effect.succeed(
          isWatched ? auto.watch(decision, auto.weigh(request, caller, hints, now, operation)) : decision
        )
      }

      const decideOne = (
        request: RoutedRequest,
        caller: Caller,
        hints: Hints,
        operation: OperationName | undefined
      ): Effect.Effect<Decision, RoutingError> =>
        request.model === AUTO
          ? decideAuto(request, caller, hints, operation)
          : decideNamed(request, caller, hints, operation)

      /** A request for one of the names in `models`, with what its suffix says. */
      const askingFor = (model: string, request: RoutedRequest): RoutedRequest => {
        const [, base = "", suffix] = SUFFIX.exec(model) ?? []
        const sort = suffix === undefined || names.isExact(model) || !isKnown(base) ? undefined : SUFFIXES[suffix]
        if (sort === undefined) return model === request.model ? request : { ...request, model }
        return { ...request, model: base, choice: { ...(request.choice ?? anyProvider), sort } }
      }
      const isKnown = (name: string) => name === AUTO || names.find(name) !== undefined

      /** The slugs that mean nothing here are OpenRouter's, if the caller may use it. */
      const withHosts = (choice: Choice, caller: Caller): Result.Result<Choice, InvalidField> => {
        const named = [choice.only, choice.order, choice.ignore].flatMap((list) => list ?? [])
        if (named.length === 0) return Result.succeed(choice)
        const usable = fleet.deployments.filter((one) => mayUse(caller, one.id, one))
        const known = new Set(usable.flatMap(slugsOf))
        const hosts = named.filter((slug) => !known.has(slug))
        if (hosts.length === 0) return Result.succeed(choice)
        if (usable.some(routesItself)) return Result.succeed({ ...choice, hosts })
        const providers = [...new Set(usable.map(({ provider }) => provider))].slice(0, 20).join(", ")
        const message = `\`provider\` names \`${hosts[0]}\`, which is no provider here: there are ${providers}`
        return Result.fail(new InvalidField({ param: "provider", message }))
      }

      /** Every model with its own candidates, in the caller's order. */
      const decideAll = Effect.fnUntraced(function* (
        request: RoutedRequest,
        caller: Caller,
        hints: Hints,
        operation: OperationName | undefined
      ): Effect.fn.Return<Decision, RoutingError> {
        const choice = request.choice && (yield* Effect.fromResult(withHosts(request.choice, caller)))
        const chosen = choice === undefined ? request : { ...request, choice }
        const models = [...new Set([request.model, ...(choice?.models ?? [])])]
        const made: Array<Decision> = []
        const reasons: Array<string> = []
        let refused: RoutingError | undefined
        for (const model of models) {
          const asked = askingFor(model, chosen)
          const decision = yield* Effect.result(decideOne(asked, caller, hints, operation))
          if (Result.isSuccess(decision)) {
            const { candidates } = decision.success
            const isLimited = choice?.allowFallbacks === false && choice.order === undefined
            made.push(withCandidates(decision.success, isLimited ? candidates.slice(0, 1) : candidates, asked.choice))
            continue
          }
          const { failure } = decision
          // A name of `models` that is not served here is skipped and named, as is one that can't serve this request.
          const isMissing = failure._tag === "ModelNotFound"
          if (models.length === 1 || failure._tag === "ModelNotAllowed" || (isMissing && model === request.model)) {
            return yield* failure
          }
          refused ??= failure
          reasons.push(
            isMissing
              ? `${model} of \`models\` was skipped: there is no model of this name`
              : `${model} was skipped: nothing of it can serve this request`
          )
        }
        const [first, ...others] = made
        if (first === undefined) return yield* refused!
        if (others.length === 0 && reasons.length === 0) return first
        const all = [...new Set(made.flatMap(({ candidates }) => candidates))]
        const decision = withCandidates(first, comparable(all, request), first.choice)
        return {
          ...decision,
          reasons: [...made.flatMap((one) => one.reasons), ...reasons],
          unfit: made.flatMap(({ unfit }) => unfit ?? []),
          presets: new Map(made.toReversed().flatMap(({ presets }) => [...(presets ?? [])]))
        }
      })

      const decide = (
        request: RoutedRequest,
        caller: Caller,
        hints: Hints = {},
        operation?: OperationName
      ): Effect.Effect<Decision, RoutingError> =>
        Effect.suspend(() =>
          request.choice === undefined && !SUFFIX.test(request.model)
            ? decideOne(request, caller, hints, operation)
            : decideAll(request, caller, hints, operation)
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
          const deployments = entry.deployments.filter(
            (deployment) =>
              mayUse(caller, entry.id, deployment) && lackedTag(deployment, caller.key.require) === undefined
          )
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
