/** A decision explained for people, with everything that led to it. It takes longer than a decision, so it is made apart. */
import { Clock, Effect, Result } from "effect"
import type { makeAutoRoute } from "./AutoRoute.ts"
import type { RoutedRequest } from "../operations/CallRequest.ts"
import type { OperationName } from "../domain/OperationName.ts"
import type { Classifier, Contribution, ModelInForce } from "./Classifier.ts"
import type { Fate } from "./Considered.ts"
import type { CutPoints } from "./CutPoints.ts"
import type { Decision, Hints } from "./Decision.ts"
import type { Deployment } from "../domain/Deployment.ts"
import { expectedCost } from "./ExpectedCost.ts"
import { isUnclassified, type makeFirstCapableRoute } from "./FirstCapableRoute.ts"
import type { Fleet } from "../domain/Fleet.ts"
import type { Caller } from "../keys/Caller.ts"
import type { indexNames } from "./ModelNames.ts"
import type { NanoUsd } from "../domain/Money.ts"
import type { DeploymentHealth } from "../pool/ProviderPool.ts"
import type { RoutingError } from "./RoutingError.ts"
import { AUTO, eligibility, type Ineligible, wordsOf } from "./Eligibility.ts"

export interface Candidate {
  readonly deployment: Deployment
  /** Null if the request has no bucket. */
  readonly bucket: string | null
  readonly fate: Fate
  /** Its position among the candidates, from 1; null: it is not one. */
  readonly place: number | null
  readonly why: string | null
  readonly cost: NanoUsd | null
}

/** The classifier's assessment of the prompt. Made for every request with a prompt, even if the caller named a model. */
interface ExplainedAssessment {
  readonly bucket: string
  readonly score: number
  readonly features: ReadonlyArray<Contribution>
}

export interface Explanation {
  readonly decision: Result.Result<Decision, RoutingError>
  readonly assessment: ExplainedAssessment | undefined
  readonly cutPoints: ReadonlyArray<number>
  /** For each bucket, lowest first; without a bucket if the caller named a model. */
  readonly candidates: ReadonlyArray<Candidate>
  readonly model: ModelInForce
}

interface ExplanationServices {
  readonly firstCapable: ReturnType<typeof makeFirstCapableRoute>
  readonly fleet: Fleet["Service"]
  readonly pool: DeploymentHealth
  readonly classifier: Classifier["Service"]
  readonly cutPoints: CutPoints
  readonly names: ReturnType<typeof indexNames>
  readonly auto: ReturnType<typeof makeAutoRoute>
  readonly decide: (
    request: RoutedRequest,
    caller: Caller,
    hints: Hints,
    operation?: OperationName
  ) => Effect.Effect<Decision, RoutingError>
}

export const makeExplain = ({
  auto,
  classifier,
  cutPoints,
  decide,
  firstCapable,
  fleet,
  names,
  pool
}: ExplanationServices) =>
  Effect.fnUntraced(function* (request: RoutedRequest, caller: Caller, hints: Hints = {}, operation?: OperationName) {
    const now = yield* Clock.currentTimeMillis
    const decision = yield* Effect.result(decide(request, caller, hints, operation))
    const isText = !isUnclassified(request)
    const points = cutPoints[hints.prefer ?? "none"]
    const assessed = isText ? auto.weigh(request, caller, hints, now, operation).assessed : undefined

    const tried = Result.isSuccess(decision) ? decision.success.candidates : []
    const shown = (listed: ReadonlyArray<Deployment>, bucket: string | null, isBelow = false) => {
      const unfit = new Map<Deployment, Ineligible>()
      for (const one of eligibility(listed, request, caller, request.model, pool, operation).unfit)
        unfit.set(one.deployment, one)
      return listed.map((deployment): Candidate => {
        const place = isBelow ? 0 : tried.indexOf(deployment) + 1
        const found = unfit.get(deployment)
        const fate: Fate =
          found !== undefined
            ? "filtered"
            : place === 1
              ? "chosen"
              : place === 0
                ? isBelow
                  ? "lower_bucket"
                  : "not_needed"
                : pool.isReady(deployment.id, now)
                  ? "spare"
                  : "unhealthy"
        return {
          deployment,
          bucket,
          fate,
          place: place === 0 ? null : place,
          why:
            found !== undefined ? wordsOf(found) : fate === "unhealthy" ? pool.whyNotReady(deployment.id, now) : null,
          cost: expectedCost(deployment, request, now)
        }
      })
    }

    const candidates =
      request.model !== AUTO
        ? shown(names.find(request.model)?.deployments ?? [], null)
        : assessed === undefined
          ? shown(firstCapable.listed(request, operation), null)
          : names.bucketed.flatMap((bucket, index) => {
              const isBelow = index < assessed.bucket && !fleet.router.shadow
              return shown(bucket, fleet.router.buckets[index]!.name, isBelow)
            })

    const assessment =
      assessed === undefined
        ? undefined
        : {
            bucket: fleet.router.buckets[assessed.bucket]?.name ?? "none",
            score: assessed.score,
            features: assessed.text === undefined ? [] : classifier.explain(assessed.text).contributions
          }
    const explanation: Explanation = { decision, assessment, cutPoints: points, candidates, model: classifier.model() }
    return explanation
  })
