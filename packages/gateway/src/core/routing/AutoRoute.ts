/**
 * How `auto` decides: what can't serve the request is out before anything is scored; the score makes the bucket; a bucket that has
 * nothing hands up to the next, never down.
 */
import { Clock, Effect } from "effect"
import type { RoutedRequest } from "../operations/ChatRequest.ts"
import type { OperationName } from "../operations/OperationName.ts"
import type { CutPoints } from "./CutPoints.ts"
import type { Assessment, Classifier, Demand } from "./Classifier.ts"
import { AutoDecision, type Decision, type Hints, type Shadow, type Topic } from "./Decision.ts"
import type { Deployment } from "../domain/Deployment.ts"
import { expectedCost } from "./ExpectedCost.ts"
import type { Fleet } from "../domain/Fleet.ts"
import type { Caller } from "../keys/Caller.ts"
import type { makeArrange } from "./CandidateOrder.ts"
import { arrange, readyFirst } from "./SelectionPolicies.ts"
import type { ProviderPool } from "../pool/ProviderPool.ts"
import type { LruMap } from "../collections/LruMap.ts"
import { AUTO, refusalOf, eligibility, type Ineligible } from "./Eligibility.ts"

interface Means {
  readonly fleet: Fleet["Service"]
  readonly pool: ProviderPool["Service"]
  readonly classifier: Pick<Classifier["Service"], "assess">
  /** How demanding each session was last. */
  readonly lately: Pick<LruMap<Demand>, "get">
  readonly cutPoints: CutPoints
  readonly arranged: ReturnType<typeof makeArrange>
  /** The deployments of each bucket, lowest first. */
  readonly bucketed: ReadonlyArray<ReadonlyArray<Deployment>>
}

type Refusal = ReturnType<typeof refusalOf>

/** What there is to decide between. */
export interface Weighed {
  readonly request: RoutedRequest
  readonly caller: Caller
  readonly hints: Hints
  readonly now: number
  /** Of each bucket what can serve the request. */
  readonly fit: ReadonlyArray<ReadonlyArray<Deployment>>
  readonly unfit: ReadonlyArray<Ineligible>
  readonly assessed: Assessed
}

/** Beside what the classifier says: what is to be remembered of the caller's session, if it named one. */
interface Assessed extends Assessment {
  readonly topic: Topic | undefined
}

export const makeAutoRoute = ({ arranged, bucketed, classifier, cutPoints, fleet, lately, pool }: Means) => {
  const { cutPoints: usual, buckets, shadow: isShadow } = fleet.router
  const order = fleet.failover.order ?? "listed"
  const names = buckets.map(({ name }) => name)
  const all = [...new Set(bucketed.flat())]
  const upward = bucketed.map((_, index) => new Set(bucketed.slice(index).flat()))

  const assess = (request: RoutedRequest, { key }: Caller, { prefer, sessionId }: Hints, now: number): Assessed => {
    const session = sessionId === undefined ? undefined : `${key.id} ${sessionId}`
    const assessment = classifier.assess(request, {
      cutPoints: cutPoints[prefer ?? "none"],
      last: () => (session === undefined ? undefined : lately.get(session, now))
    })
    const { session: demand } = assessment
    const topic = session === undefined || demand === undefined ? undefined : { ...demand, session }
    return { ...assessment, topic }
  }

  /** Filters, then score and bucket. */
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

  /** The index of the bucket that serves: the prompt's own or one above, where something is ready if possible; -1: none. */
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

  /** Why another bucket serves than the prompt's, and by which cut points. */
  const notesOn = ({ fit, hints, assessed }: Weighed, serving: number): Array<string> => {
    const notes: Array<string> = []
    if (hints.prefer !== undefined) {
      const [moved, unmoved] = [cutPoints[hints.prefer].join(", "), usual.join(", ")]
      const what = moved === unmoved ? "no cut point is moved for that" : `cut points ${moved} instead of ${unmoved}`
      notes.push(`the caller prefers ${hints.prefer}: ${what}`)
    }
    for (let index = assessed.bucket; index < serving; index++) {
      const why = fit[index]!.length === 0 ? "that can serve this" : "that is ready"
      notes.push(`bucket ${names[index]} has nothing ${why}: up to ${names[index + 1]}`)
    }
    return notes
  }

  /** Those of the bucket that serves and above; what is not ready comes last, the prompt's own bucket first. */
  const route = Effect.fnUntraced(function* (weighed: Weighed) {
    const { caller, fit, hints, assessed, now, request, unfit } = weighed
    const serving = servingFrom(weighed)
    if (serving === -1) return yield* refusal(weighed)
    const notes = notesOn(weighed, serving)
    const visit = { keyId: caller.key.id, route: `${AUTO} ${names[serving]}`, request, sessionId: hints.sessionId }
    const { list, seat } = yield* arranged(fit[serving]!, order, visit, now, notes)
    const skipped = fit.slice(assessed.bucket, serving).flat()
    const higher = fit.slice(serving + 1).flat()
    const candidates = readyFirst([...new Set([...skipped, ...list, ...higher])], pool, now, notes)
    return new AutoDecision(candidates, assessed.score, seat, assessed.topic, isOwn(weighed), {
      bucket: assessed.bucket,
      names,
      cutPoints: cutPoints[hints.prefer ?? "none"],
      seen: assessed.reasons,
      unfit,
      upward: upward[assessed.bucket]!,
      notes: notes.length > 1 ? [...new Set(notes)] : notes
    })
  })

  /** What would be done with it, compared with where it goes. */
  const shadowOf = Effect.fnUntraced(function* (weighed: Weighed, actual: Deployment) {
    const { fit, assessed, now, request } = weighed
    const serving = servingFrom(weighed)
    const [first] = serving === -1 ? [] : yield* arrange(fit[serving]!, order, pool, now)
    const [costs, would] = [actual, first].map((one) => (one === undefined ? null : expectedCost(one, request, now)))
    return {
      bucket: names[assessed.bucket] ?? "none",
      score: assessed.score,
      deployment: first?.id ?? null,
      difference: costs === null || would === null ? null : costs! - would!
    } satisfies Shadow as Shadow
  })

  /** As if there were no router: the strongest bucket that can serves. */
  const routeInShadow = Effect.fnUntraced(function* (weighed: Weighed) {
    const { caller, fit, hints, assessed, now, request, unfit } = weighed
    const isReady = ({ id }: Deployment) => pool.isReady(id, now)
    const ready = fit.findLastIndex((bucket) => bucket.some(isReady))
    const strongest = ready === -1 ? fit.findLastIndex((bucket) => bucket.length > 0) : ready
    if (strongest === -1) return yield* refusalOf(unfit, request.model, caller)
    const notes: Array<string> = []
    const visit = { keyId: caller.key.id, route: `${AUTO} ${names[strongest]}`, request, sessionId: hints.sessionId }
    const { list, seat } = yield* arranged(fit[strongest]!, order, visit, now, notes)
    const shadow = yield* shadowOf(weighed, list[0]!)
    // There is nothing above to fail over to: what comes nearest below is better than no answer.
    const candidates = [...new Set([...list, ...fit.toReversed().flat()])]
    const why = `auto only watches (router.shadow): the strongest bucket that can serves, ${names[strongest]}`
    const reasons = [why, ...wouldHave(shadow, assessed), ...notes]
    const decision: Decision = {
      candidates,
      bucket: names[strongest]!,
      score: 0,
      reasons,
      seat,
      topic: assessed.topic,
      shadow,
      isClassified: isOwn(weighed)
    }
    return decision
  })

  return {
    weigh,
    /** Decides between what was weighed. */
    route: (weighed: Weighed): Effect.Effect<Decision, Refusal> => (isShadow ? routeInShadow(weighed) : route(weighed)),
    /** The same decision, of a caller who named its model, with what `auto` would have done. */
    watch: Effect.fnUntraced(function* (
      decision: Decision,
      request: RoutedRequest,
      caller: Caller,
      hints: Hints,
      operation?: OperationName
    ) {
      const weighed = weigh(request, caller, hints, yield* Clock.currentTimeMillis, operation)
      const shadow = yield* shadowOf(weighed, decision.candidates[0]!)
      const { topic } = weighed.assessed
      const reasons = [...decision.reasons, ...wouldHave(shadow, weighed.assessed)]
      const watched: Decision = { ...decision, reasons, topic, shadow, isClassified: isOwn(weighed) }
      return watched
    })
  }
}

/** What was classified is the request's own prompt, not one before it. */
const isOwn = ({ assessed, request }: Weighed): boolean => assessed.text === request.prompt

const wouldHave = ({ bucket, deployment, score }: Shadow, { short }: Assessment): ReadonlyArray<string> => {
  const would = `auto would have taken ${deployment ?? "nothing"}: score ${score}, bucket ${bucket}`
  return short === undefined ? [would] : [would, short]
}
