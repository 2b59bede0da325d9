/** Which deployments can serve a request for this caller, and what is in the way of the others. Comes before any scoring. */
import type { RoutedRequest } from "../operations/ChatRequest.ts"
import type { OperationName } from "../operations/OperationName.ts"
import { type Capability, type Deployment, decisionName } from "../domain/Deployment.ts"
import { ModelNotAllowed, NoCapableDeployment, OutOfRotation, PriceUnknown } from "../domain/Errors.ts"
import { matchesGlob } from "../collections/Glob.ts"
import { type Caller, unknownPriceRule } from "../keys/Caller.ts"
import type { ProviderPool } from "../pool/ProviderPool.ts"
import { unpricedIn } from "../bounds/Unpriced.ts"

export const AUTO = "auto"

/** What is in the way, in the order in which it is asked: who gets further was nearer to serving the request. */
export const obstacles = ["key", "operation", "rotation", "price", "capability", "context_window"] as const
export type Obstacle = (typeof obstacles)[number]

/** A deployment that can't serve a request. It may be remembered longer than the request. */
export interface Ineligible {
  readonly deployment: Deployment
  readonly obstacle: Obstacle
  /** What it can't do, where that is the obstacle. */
  readonly need: Capability | undefined
  /** What was asked for. */
  readonly operation: OperationName | undefined
  /** What it serves instead, where that is the obstacle. */
  readonly served: ReadonlySet<OperationName> | undefined
  /** What of it has no price, as its setting is called; undefined: nothing has. */
  readonly unpriced?: string | undefined
  readonly inputEstimate: number
}

export interface Eligibility {
  readonly fit: ReadonlyArray<Deployment>
  readonly unfit: ReadonlyArray<Ineligible>
}

const nobody: ReadonlyArray<Ineligible> = []

type Pool = Pick<ProviderPool["Service"], "isInRotation" | "operations">

/**
 * `via`: the name that the caller asked for. `operation`: undefined where it does not matter. `fit` is `listed` itself where all of it
 * is.
 */
export const eligibility = (
  listed: ReadonlyArray<Deployment>,
  request: RoutedRequest,
  caller: Caller,
  via: string,
  pool: Pool,
  operation: OperationName | undefined
): Eligibility => {
  let unfit: Array<Ineligible> | undefined
  for (const deployment of listed) {
    const obstacle = obstacleOf(deployment, request, caller, via, pool, operation)
    if (obstacle === undefined) continue
    const need = obstacle === "capability" ? lackOf(deployment, request) : undefined
    unfit ??= []
    const { price } = deployment
    const unpriced = obstacle === "price" && price !== undefined ? unpricedIn(deployment, price, request) : undefined
    const served = obstacle === "operation" ? pool.operations(deployment.id) : undefined
    unfit.push({ deployment, obstacle, need, operation, served, unpriced, inputEstimate: request.inputEstimate })
  }
  if (unfit === undefined) return { fit: listed, unfit: nobody }
  const out = new Set(unfit.map(({ deployment }) => deployment))
  return { fit: listed.filter((deployment) => !out.has(deployment)), unfit }
}

/** Lengths are guessed; only what is too long however it is counted is left out. The rest is for the upstream to say. */
const SURELY = 0.7

const obstacleOf = (
  deployment: Deployment,
  request: RoutedRequest,
  caller: Caller,
  via: string,
  pool: Pool,
  operation: OperationName | undefined
): Obstacle | undefined => {
  if (!mayUse(caller, via, deployment)) return "key"
  if (operation !== undefined && !pool.operations(deployment.id).has(operation)) return "operation"
  if (!pool.isInRotation(deployment.id)) return "rotation"
  if (unknownPriceRule(caller) === "deny") {
    const { price } = deployment
    if (price === undefined || unpricedIn(deployment, price, request) !== undefined) return "price"
  }
  if (lackOf(deployment, request) !== undefined) return "capability"
  const { contextWindow } = deployment
  return contextWindow !== undefined && request.inputEstimate * SURELY > contextWindow ? "context_window" : undefined
}

const lackOf = ({ supports }: Deployment, { needs }: RoutedRequest): Capability | undefined =>
  needs.find((need) => !supports.has(need))

/** In plain words. */
export const wordsOf = ({
  deployment,
  inputEstimate,
  need,
  obstacle,
  operation,
  served,
  unpriced
}: Ineligible): string => {
  const { contextWindow, id } = deployment
  switch (obstacle) {
    case "key":
      return `${id} was skipped: the key may not use it`
    case "operation":
      return `${id} can't serve ${operation}; it serves ${[...(served ?? [])].join(", ")}`
    case "rotation":
      return `${id} was skipped: out of rotation`
    case "price":
      return `${id} was skipped: nobody knows its price${unpriced === undefined ? "" : ` of ${unpriced}`}`
    case "capability":
      return `${id} does not support ${need}`
    case "context_window":
      return `${id} has a context window of ${contextWindow} tokens, the request about ${inputEstimate}`
  }
}

/**
 * Why nothing is left of what was asked for: what those say that came nearest. `bucket`: where the prompt belongs, when something is
 * left in the buckets below.
 */
export const refusalOf = (unfit: ReadonlyArray<Ineligible>, model: string, { key }: Caller, bucket?: string) => {
  const asked = bucket === undefined ? { model } : { model, bucket }
  const at = (...names: ReadonlyArray<Obstacle>) => unfit.filter(({ obstacle }) => names.includes(obstacle))
  const lacking = at("capability", "context_window")
  if (lacking.length > 0) {
    const isTooLong = lacking.every(({ obstacle }) => obstacle === "context_window")
    return new NoCapableDeployment({ model, isTooLong, reasons: lacking.map(wordsOf) })
  }
  const [unknown] = at("price")
  if (unknown !== undefined) {
    const { unpriced } = unknown
    return new PriceUnknown({ model, keyId: key.id, ...(unpriced === undefined ? {} : { of: unpriced }) })
  }
  if (at("rotation").length > 0 || unfit.length === 0) return new OutOfRotation(asked)
  const others = at("operation")
  if (others.length > 0) return new NoCapableDeployment({ model, isTooLong: false, reasons: others.map(wordsOf) })
  return new ModelNotAllowed({ ...asked, keyId: key.id })
}

const mayName = ({ key }: Caller, name: string): boolean =>
  key.models.length === 0 || key.models.some((pattern) => matchesGlob(pattern, name))

/**
 * A key that may use an alias may use what it stands for; `auto` alone in its list stands for everything. In any other list
 * `auto` only goes where the key may go by itself.
 */
export const mayUse = (caller: Caller, via: string, deployment: Deployment): boolean => {
  const { models } = caller.key
  if (models.length === 0) return true
  if (via === AUTO ? models.every((pattern) => pattern === AUTO) : mayName(caller, via)) return true
  return [deployment.id, decisionName(deployment), deployment.model].some((name) => mayName(caller, name))
}
