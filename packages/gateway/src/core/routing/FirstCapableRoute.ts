/**
 * `auto` without a prompt to classify (embeddings, images, speech …): the first deployment that can serve, without score and
 * bucket. For embeddings only the same model is a failover, as vectors of different models can't be compared.
 */
import { Clock, Effect } from "effect"
import type { RoutedRequest } from "../operations/CallRequest.ts"
import type { OperationName } from "../domain/OperationName.ts"
import { type Decision, NO_BUCKET } from "./Decision.ts"
import { type Deployment, isWildcard } from "../domain/Deployment.ts"
import { NoCapableDeployment } from "../domain/Errors.ts"
import type { Fleet } from "../domain/Fleet.ts"
import type { Caller } from "../keys/Caller.ts"
import { RouteNotes } from "./RouteNotes.ts"
import { readyFirst } from "./SelectionPolicies.ts"
import type { DeploymentHealth } from "../pool/ProviderPool.ts"
import { AUTO, refusalOf, eligibility, wordsOf } from "./Eligibility.ts"

/** Whether the classifier has nothing to read in this request. */
export const isUnclassified = ({ needs }: RoutedRequest): boolean => !needs.includes("chat")

/** Vectors of different models can't be compared: of these deployments, those of the first one's model. */
export const comparable = (fit: ReadonlyArray<Deployment>, { needs }: RoutedRequest): ReadonlyArray<Deployment> => {
  if (!needs.includes("embeddings") || fit[0] === undefined) return fit
  const model = bareName(fit[0])
  return fit.filter((one) => bareName(one) === model)
}

/** The reason why the others are excluded. */
export const incomparable = (
  fit: ReadonlyArray<Deployment>,
  candidates: ReadonlyArray<Deployment>
): Decision["unused"] =>
  candidates.length === fit.length
    ? undefined
    : { deployments: fit, fate: "not_needed", why: "vectors of other models can't be compared" }

/** Some providers put the maker's name before it: `baai/bge-m3`. */
const bareName = ({ model }: Deployment): string => model.slice(model.lastIndexOf("/") + 1).toLowerCase()

export const makeFirstCapableRoute = ({ deployments }: Fleet["Service"], pool: DeploymentHealth) => {
  /** In configured order, whether or not they are in a bucket. */
  const listed = ({ needs }: RoutedRequest, operation: OperationName | undefined): ReadonlyArray<Deployment> =>
    deployments.filter(
      (one) =>
        !isWildcard(one) &&
        needs.every((need) => one.supports.has(need)) &&
        (operation === undefined || pool.operations(one).has(operation))
    )

  const route = Effect.fnUntraced(function* (request: RoutedRequest, caller: Caller, operation?: OperationName) {
    const { model, needs } = request
    const what = operation ?? needs.join(", ")
    const able = listed(request, operation)
    if (able.length === 0) {
      return yield* new NoCapableDeployment({ model, isTooLong: false, reasons: [`no deployment supports ${what}`] })
    }
    const { fit, unfit } = eligibility(able, request, caller, AUTO, pool, operation)
    const [first] = fit
    if (first === undefined) return yield* refusalOf(unfit, model, caller)
    const isVectors = needs.includes("embeddings")
    const standby = isVectors ? `, and only others of ${first.model} stand by` : ""
    const notes = new RouteNotes()
    notes.words.push(
      `auto: there is no bucket for ${what}; the first deployment that can serve it does${standby}`,
      ...unfit.map(wordsOf)
    )
    const candidates = comparable(fit, request)
    const ordered = readyFirst(candidates, pool, yield* Clock.currentTimeMillis, notes)
    return {
      candidates: ordered,
      bucket: NO_BUCKET,
      score: 0,
      reasons: notes.words,
      affinityKey: undefined,
      unfit,
      unready: notes.unready,
      unused: incomparable(fit, candidates)
    } satisfies Decision as Decision
  })

  return { listed, route }
}
