/** How `auto` decides: eligibility, then the score selects the bucket, or a higher one if it has no deployment. */
import { Effect } from "effect"
import type { RoutedRequest } from "../operations/CallRequest.ts"
import type { OperationName } from "../domain/OperationName.ts"
import type { CutPoints } from "./CutPoints.ts"
import type { Assessment, Classifier, Demand } from "./Classifier.ts"
import { AutoDecision, type Decision, type Hints, type Shadow, threadOf, type Topic } from "./Decision.ts"
import type { Deployment } from "../domain/Deployment.ts"
import { expectedCost } from "./ExpectedCost.ts"
import type { Fleet } from "../domain/Fleet.ts"
import type { Caller } from "../keys/Caller.ts"
import type { makeArrange } from "./CandidateOrder.ts"
import { RouteNotes } from "./RouteNotes.ts"
import { arrange, type Chance, readyFirst } from "./SelectionPolicies.ts"
import type { DeploymentHealth } from "../pool/ProviderPool.ts"
import type { LruMap } from "../collections/LruMap.ts"
import { AUTO, refusalOf, eligibility, type Ineligible } from "./Eligibility.ts"

interface AutoRouteServices {
  readonly fleet: Fleet["Service"]
  readonly pool: DeploymentHealth
  readonly classifier: Pick<Classifier["Service"], "assess">
  /** The last demand of each session. */
  readonly lately: Pick<LruMap<Demand>, "get">
  readonly cutPoints: CutPoints
  readonly arranged: ReturnType<typeof makeArrange>
  readonly random: Chance
  /** The deployments of each bucket, lowest first. */
  readonly bucketed: ReadonlyArray<ReadonlyArray<Deployment>>
}

type AutoRefusal = ReturnType<typeof refusalOf>

/** Everything that a decision needs. */
export interface Weighed {
  readonly request: RoutedRequest
  readonly caller: Caller
  readonly hints: Hints
  readonly now: number
  /** For each bucket, the deployments that can serve the request. */
  readonly fit: ReadonlyArray<ReadonlyArray<Deployment>>
  readonly unfit: ReadonlyArray<Ineligible>
  readonly assessed: Assessed
}

/** The classifier's assessment, and what to remember of the caller's session if it named one. */
interface Assessed extends Assessment {
  readonly topic: Topic | undefined
}

export const makeAutoRoute = ({
  arranged,
  bucketed,
  classifier,
  cutPoints,
  fleet,
  lately,
  pool,
  random
}: AutoRouteServices) => {
  const { cutPoints: usual, buckets, shadow: isShadow } = fleet.router
  const order = fleet.failover.order ?? "listed"
  const names = buckets.map(({ name }) => name)
  const all = [...new Set(bucketed.flat())]
  const upward = bucketed.map((_, index) => new Set(bucketed.slice(index).flat()))

  const assess = (request: RoutedRequest, { key }: Caller, hints: Hints, now: number): Assessed => {
    const { prefer } = hints
    const thread = threadOf(hints)
    const session = thread === undefined ? undefined : `${key.id} ${thread}`
    const assessment = classifier.assess(request, {
      cutPoints: cutPoints[prefer ?? "none"],
      last: () => (session === undefined ? undefined : lately.get(session, now))
    })
    const { session: demand } = assessment
    const topic = session === undefined || demand === undefined ? undefined : { ...demand, session }
    return { ...assessment, topic }
  }

  /** Filters the deployments, then scores the prompt and selects its bucket. */
  const weigh = (
    request: RoutedRequest,
    caller: Caller,
    hints: Hints,
    now: number,
    operation?: OperationName
  ): Weighed => {
    const { fit: left, unfit } = eligibility(all, request, caller, AUTO, pool, operation)
    const fit = left === all ? bucketed : bucketed.map((bucket) => bucket.filter((one) => left.includes(one)))
    return { request, caller, hints, now, fit, unfit, assessed: assess(request, caller, hints, now) }
  }

  /** The index of the bucket that serves: the prompt's or a higher one, with a ready deployment if possible; -1: none. */
  const servingFrom = ({ fit, assessed, now }: Weighed): number => {
    const isReady = ({ id }: Deployment) => pool.isReady(id, now)
    for (let index = assessed.bucket; index < fit.length; index++) if (fit[index]!.some(isReady)) return index
    return fit.findIndex((bucket, index) => index >= assessed.bucket && bucket.length > 0)
  }

  const refusal = ({ caller, fit, assessed, request, unfit }: Weighed) => {
    const above = unfit.filter(({ deployment }) => upward[assessed.bucket]?.has(deployment))
    const isLeftBelow = fit.some((bucket) => bucket.length > 0)
    return refusalOf(above, request.model, caller, isLeftBelow ? names[assessed.bucket] : undefined)
  }

  /** Why a different bucket serves, and which cut points apply. */
  const notesOn = ({ fit, hints, assessed }: Weighed, serving: number): RouteNotes => {
    const notes = new RouteNotes()
    if (hints.prefer !== undefined) {
      const [moved, unmoved] = [cutPoints[hints.prefer].join(", "), usual.join(", ")]
      const what = moved === unmoved ? "no cut point is moved for that" : `cut points ${moved} instead of ${unmoved}`
      notes.words.push(`the caller prefers ${hints.prefer}: ${what}`)
    }
    for (let index = assessed.bucket; index < serving; index++) {
      const why = fit[index]!.length === 0 ? "that can serve this" : "that is ready"
      notes.words.push(`bucket ${names[index]} has no deployment ${why}: moved up to ${names[index + 1]}`)
    }
    return notes
  }

  /** Candidates from the serving bucket and those above, the prompt's bucket first. Deployments that are not ready come last. */
  const route = (weighed: Weighed): Effect.Effect<Decision, AutoRefusal> => {
    const { caller, fit, hints, assessed, now, request, unfit } = weighed
    const serving = servingFrom(weighed)
    if (serving === -1) return Effect.fail(refusal(weighed))
    const notes = notesOn(weighed, serving)
    const visit = { keyId: caller.key.id, route: `${AUTO} ${names[serving]}`, request, sessionId: threadOf(hints) }
    const { list, affinityKey } = arranged(fit[serving]!, order, visit, now, notes)
    const skipped = fit.slice(assessed.bucket, serving).flat()
    const higher = fit.slice(serving + 1).flat()
    const candidates = readyFirst([...new Set([...skipped, ...list, ...higher])], pool, now, notes)
    const { score, topic } = assessed
    const decision = new AutoDecision(
      { candidates, score, affinityKey, topic, isClassified: isOwn(weighed) },
      {
        bucket: assessed.bucket,
        names,
        cutPoints: cutPoints[hints.prefer ?? "none"],
        seen: assessed.reasons,
        features: assessed.features ?? [],
        fit,
        unfit,
        upward: upward[assessed.bucket]!,
        unready: notes.unready,
        notes: notes.words.length > 1 ? [...new Set(notes.words)] : notes.words
      }
    )
    return Effect.succeed(decision)
  }

  /** What `auto` would do, compared with where the request really goes. */
  const shadowOf = (weighed: Weighed, actual: Deployment): Shadow => {
    const { fit, assessed, now, request } = weighed
    const serving = servingFrom(weighed)
    const [first] = serving === -1 ? [] : arrange(fit[serving]!, order, pool, now, random)
    const [costs, would] = [actual, first].map((one) => (one === undefined ? null : expectedCost(one, request, now)))
    return {
      bucket: names[assessed.bucket] ?? "none",
      score: assessed.score,
      deployment: first?.id ?? null,
      difference: costs === null || would === null ? null : costs! - would!
    }
  }

  /** Shadow mode: the strongest bucket that can serve the request does. */
  const routeInShadow = (weighed: Weighed): Effect.Effect<Decision, AutoRefusal> => {
    const { caller, fit, hints, assessed, now, request, unfit } = weighed
    const isReady = ({ id }: Deployment) => pool.isReady(id, now)
    const ready = fit.findLastIndex((bucket) => bucket.some(isReady))
    const strongest = ready === -1 ? fit.findLastIndex((bucket) => bucket.length > 0) : ready
    if (strongest === -1) return Effect.fail(refusalOf(unfit, request.model, caller))
    const notes = new RouteNotes()
    const visit = { keyId: caller.key.id, route: `${AUTO} ${names[strongest]}`, request, sessionId: threadOf(hints) }
    const { list, affinityKey } = arranged(fit[strongest]!, order, visit, now, notes)
    const shadow = shadowOf(weighed, list[0]!)
    // No bucket is stronger, so failover goes down to the nearest weaker one: better than no response.
    const candidates = [...new Set([...list, ...fit.toReversed().flat()])]
    const why = `auto only records (router.shadow): the strongest capable bucket serves, ${names[strongest]}`
    const reasons = [why, ...wouldHave(shadow, assessed), ...notes.words]
    return Effect.succeed<Decision>({
      candidates,
      bucket: names[strongest]!,
      score: 0,
      reasons,
      affinityKey,
      topic: assessed.topic,
      shadow,
      isClassified: isOwn(weighed),
      cutPoints: cutPoints[hints.prefer ?? "none"],
      features: assessed.features,
      unfit,
      unready: notes.unready
    })
  }

  return {
    weigh,
    /** Decides among the candidates. */
    route: (weighed: Weighed): Effect.Effect<Decision, AutoRefusal> =>
      isShadow ? routeInShadow(weighed) : route(weighed),
    /** The decision of a caller that named its model, with what `auto` would have done added. */
    watch: (decision: Decision, weighed: Weighed): Decision => {
      const shadow = shadowOf(weighed, decision.candidates[0]!)
      const { features, topic } = weighed.assessed
      return {
        ...decision,
        reasons: [...decision.reasons, ...wouldHave(shadow, weighed.assessed)],
        topic,
        shadow,
        isClassified: isOwn(weighed),
        cutPoints: cutPoints[weighed.hints.prefer ?? "none"],
        features
      }
    }
  }
}

/** Whether the request's own prompt was classified, not an earlier one. */
const isOwn = ({ assessed, request }: Weighed): boolean => assessed.text === request.prompt

const wouldHave = ({ bucket, deployment, score }: Shadow, { short }: Assessment): ReadonlyArray<string> => {
  const would = `auto would have chosen ${deployment ?? "no deployment"}: score ${score}, bucket ${bucket}`
  return short === undefined ? [would] : [would, short]
}
