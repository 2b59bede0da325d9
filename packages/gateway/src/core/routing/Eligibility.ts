/** Finds the deployments that can serve a request for this caller, and why the others can't. Runs before any scoring. */
import type { RoutedRequest } from "../operations/CallRequest.ts"
import type { OperationName } from "../domain/OperationName.ts"
import { type Capability, type Deployment, decisionName } from "../domain/Deployment.ts"
import {
  ModelNotAllowed,
  NoAllowedProvider,
  NoCapableDeployment,
  NoRouteMeetsPolicy,
  OutOfRotation,
  PriceUnknown
} from "../domain/Errors.ts"
import { matchesGlob } from "../collections/Glob.ts"
import { type Caller, unknownPriceRule } from "../keys/Caller.ts"
import { policyOf } from "../keys/PersonalKeys.ts"
import type { DeploymentHealth } from "../pool/ProviderPool.ts"
import { unpricedIn } from "../bounds/Unpriced.ts"
import { excludedBy, lackedTag } from "./ProviderChoice.ts"

export const AUTO = "auto"

/** The obstacles in the order in which they are checked. A deployment that fails a later check is nearer to serving the request. */
const obstacles = ["key", "policy", "operation", "choice", "rotation", "price", "capability", "context_window"] as const
type Obstacle = (typeof obstacles)[number]

/** A deployment that can't serve a request. It may outlive the request. */
export interface Ineligible {
  readonly deployment: Deployment
  readonly obstacle: Obstacle
  /** The missing capability, where that is the obstacle. */
  readonly need: Capability | undefined
  /** What was asked for. */
  readonly operation: OperationName | undefined
  /** What the key requires, or the request's `provider`, in words, where that is the obstacle. */
  readonly said?: string | undefined
  /** What it serves instead, where that is the obstacle. */
  readonly served: ReadonlySet<OperationName> | undefined
  /** The name of the setting for the missing price; undefined: the deployment has no price at all. */
  readonly unpriced?: string | undefined
  readonly inputEstimate: number
}

export interface Eligibility {
  readonly fit: ReadonlyArray<Deployment>
  readonly unfit: ReadonlyArray<Ineligible>
}

const nobody: ReadonlyArray<Ineligible> = []

type EligibilityPool = Pick<DeploymentHealth, "isInRotation" | "operations">

/** `via`: the requested name. `operation`: undefined where it does not matter. `fit` may be `listed` itself. */
export const eligibility = (
  listed: ReadonlyArray<Deployment>,
  request: RoutedRequest,
  caller: Caller,
  via: string,
  pool: EligibilityPool,
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
    const served = obstacle === "operation" ? pool.operations(deployment) : undefined
    const said =
      obstacle === "policy"
        ? lackedTag(deployment, caller.key.require)
        : obstacle === "choice"
          ? excludedBy(request.choice!, deployment, request)
          : undefined
    unfit.push({ deployment, obstacle, need, operation, said, served, unpriced, inputEstimate: readAtOnce(request) })
  }
  if (unfit === undefined) return { fit: listed, unfit: nobody }
  const out = new Set(unfit.map(({ deployment }) => deployment))
  return { fit: listed.filter((deployment) => !out.has(deployment)), unfit }
}

/** Estimates are rough, so only clearly too long texts are excluded; the upstream judges the others. */
const SURELY = 0.7

const obstacleOf = (
  deployment: Deployment,
  request: RoutedRequest,
  caller: Caller,
  via: string,
  pool: EligibilityPool,
  operation: OperationName | undefined
): Obstacle | undefined => {
  if (!mayUse(caller, via, deployment)) return "key"
  if (lackedTag(deployment, caller.key.require) !== undefined) return "policy"
  if (operation !== undefined && !pool.operations(deployment).has(operation)) return "operation"
  if (request.choice !== undefined && excludedBy(request.choice, deployment, request) !== undefined) return "choice"
  if (!pool.isInRotation(deployment.id)) return "rotation"
  if (unknownPriceRule(caller) === "deny") {
    const { price } = deployment
    if (price === undefined || unpricedIn(deployment, price, request) !== undefined) return "price"
  }
  if (lackOf(deployment, request) !== undefined) return "capability"
  const { contextWindow } = deployment
  return contextWindow !== undefined && readAtOnce(request) * SURELY > contextWindow ? "context_window" : undefined
}

const readAtOnce = ({ inputEstimate, mediaEstimate, separate }: RoutedRequest): number =>
  separate?.longest ?? inputEstimate - mediaEstimate

const lackOf = ({ supports }: Deployment, { needs }: RoutedRequest): Capability | undefined =>
  needs.find((need) => !supports.has(need))

/** The obstacle in plain words. */
export const wordsOf = ({
  deployment,
  inputEstimate,
  need,
  obstacle,
  operation,
  said,
  served,
  unpriced
}: Ineligible): string => {
  const { contextWindow, id } = deployment
  switch (obstacle) {
    case "key":
      return `${id} was skipped: the key may not use it`
    case "policy":
      return `${id} is not allowed by the key: ${said}`
    case "choice":
      return `${id} was skipped: ${said}`
    case "operation":
      return `${id} can't serve ${operation}; it serves ${[...(served ?? [])].join(", ")}`
    case "rotation":
      return `${id} was skipped: disabled`
    case "price":
      return `${id} was skipped: its price${unpriced === undefined ? "" : ` of ${unpriced}`} is not known`
    case "capability":
      return `${id} does not support ${need}`
    case "context_window":
      return `${id} has a context window of ${contextWindow} tokens, the request's text about ${inputEstimate}`
  }
}

/** The error of the deployments that came nearest. `bucket`: the prompt's, if lower ones still have a deployment. */
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
  const excluded = at("choice")
  if (excluded.length > 0)
    return new NoAllowedProvider({ model, reasons: excluded.slice(0, MOST_REASONS).map(wordsOf) })
  const others = at("operation")
  if (others.length > 0) return new NoCapableDeployment({ model, isTooLong: false, reasons: others.map(wordsOf) })
  const barred = at("policy")
  if (barred.length > 0) {
    return new NoRouteMeetsPolicy({ model, keyId: key.id, reasons: barred.slice(0, MOST_REASONS).map(wordsOf) })
  }
  return new ModelNotAllowed({ ...asked, keyId: key.id })
}

const MOST_REASONS = 20

const mayName = (models: ReadonlyArray<string>, name: string): boolean =>
  models.some((pattern) => matchesGlob(pattern, name))

/** An allowed alias allows its deployments; `auto` alone allows everything. A personal key needs its team's list, too. */
export const mayUse = ({ key, team }: Caller, via: string, deployment: Deployment): boolean =>
  allows(key.models, via, deployment) && allows(policyOf(key, team)?.models ?? [], via, deployment)

const allows = (models: ReadonlyArray<string>, via: string, deployment: Deployment): boolean => {
  if (models.length === 0) return true
  if (via === AUTO ? models.every((pattern) => pattern === AUTO) : mayName(models, via)) return true
  return [deployment.id, decisionName(deployment), deployment.model].some((name) => mayName(models, name))
}
