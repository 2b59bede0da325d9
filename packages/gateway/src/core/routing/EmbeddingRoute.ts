/**
 * `auto` for embeddings. Vectors of different models can't be compared, so the model must always be the same one, and need not be
 * strong. There is no score and no bucket: the first deployment that makes vectors serves, and others of the same model are its
 * failover.
 */
import { Clock, Effect } from "effect"
import type { RoutedRequest } from "../operations/CallRequest.ts"
import type { OperationName } from "../operations/OperationName.ts"
import type { Decision } from "./Decision.ts"
import { NoCapableDeployment } from "../domain/Errors.ts"
import type { Fleet } from "../domain/Fleet.ts"
import type { Caller } from "../keys/Caller.ts"
import { readyFirst } from "./SelectionPolicies.ts"
import type { ProviderPool } from "../pool/ProviderPool.ts"
import { AUTO, refusalOf, eligibility, wordsOf } from "./Eligibility.ts"

export const makeEmbeddingRoute = ({ deployments }: Fleet["Service"], pool: ProviderPool["Service"]) => {
  /** In configured order, whether or not they are in a bucket. */
  const listed = deployments.filter(({ supports }) => supports.has("embeddings"))

  const route = Effect.fnUntraced(function* (request: RoutedRequest, caller: Caller, operation?: OperationName) {
    const { model } = request
    if (listed.length === 0) {
      return yield* new NoCapableDeployment({ model, isTooLong: false, reasons: ["no deployment supports embeddings"] })
    }
    const { fit, unfit } = eligibility(listed, request, caller, AUTO, pool, operation)
    const [first] = fit
    if (first === undefined) return yield* refusalOf(unfit, model, caller)
    const reasons = [
      `auto: embeddings have no bucket; the first that can make them serves, and only others of ${first.model} stand by`,
      ...unfit.map(wordsOf)
    ]
    const same = fit.filter((one) => one.model === first.model)
    const candidates = readyFirst(same, pool, yield* Clock.currentTimeMillis, reasons)
    return { candidates, bucket: "none", score: 0, reasons, seat: undefined } satisfies Decision as Decision
  })

  return { listed, route, isFor: ({ needs }: RoutedRequest): boolean => needs.includes("embeddings") }
}
