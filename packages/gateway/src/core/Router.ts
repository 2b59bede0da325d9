/** Which deployments may serve a request, in the order they are tried. */
import { Clock, Context, Effect, Layer, Result } from "effect"
import { Affinity, type Visit } from "./Affinity.ts"
import type { ChatRequest } from "./ChatRequest.ts"
import { Classifier } from "./Classifier.ts"
import { AutoDecision, type Decision, leftOut } from "./Decision.ts"
import { type Deployment, decisionName } from "./Deployment.ts"
import { ModelNotAllowed, ModelNotFound, NoCapableDeployment, OutOfRotation, PriceUnknown } from "./Errors.ts"
import { Fleet } from "./Fleet.ts"
import { matchesGlob } from "./Glob.ts"
import { type Caller, unknownPriceRule } from "./KeyStore.ts"
import { nearestNames } from "./NearestNames.ts"
import { arrange, readyFirst } from "./Order.ts"
import { ProviderPool } from "./ProviderPool.ts"
import type { Order } from "./Settings.ts"

/** A model name that a key may use, as `GET /v1/models` lists it. */
export interface ModelEntry {
  readonly id: string
  readonly kind: "auto" | "alias" | "deployment"
  /** In order; for `auto` every deployment of every bucket. */
  readonly deployments: ReadonlyArray<Deployment>
  readonly bucket: string | null
}

export type RoutingError = ModelNotFound | ModelNotAllowed | NoCapableDeployment | OutOfRotation | PriceUnknown

export const AUTO = "auto"

export class Router extends Context.Service<
  Router,
  {
    /** `sessionId`: what the caller named its session, if it did. */
    readonly decide: (request: ChatRequest, caller: Caller, sessionId?: string) => Effect.Effect<Decision, RoutingError>
    /** The session of a decision with a `seat` was answered there, and goes on there. */
    readonly answered: (seat: string, deploymentId: string) => void
    /** Everything this caller may name, `auto` first. */
    readonly models: (caller: Caller) => ReadonlyArray<ModelEntry>
    /** The names of the buckets that a deployment serves. */
    readonly bucketsOf: (deploymentId: string) => ReadonlyArray<string>
  }
>()("gateway/core/Router") {
  static readonly layer = Layer.effect(
    Router,
    Effect.gen(function* () {
      const fleet = yield* Fleet
      const pool = yield* ProviderPool
      const classifier = yield* Classifier
      const names = indexNames(fleet)
      const clock = yield* Clock.Clock
      const affinity = new Affinity()
      const buckets = fleet.router.buckets.map((bucket) => bucket.name)

      /** What is left of `listed` for this request and caller, or the error that says why nothing is. */
      const filter = (
        listed: ReadonlyArray<Deployment>,
        request: ChatRequest,
        caller: Caller,
        via: string,
        reasons: Array<string>
      ): Result.Result<ReadonlyArray<Deployment>, RoutingError> => {
        if (listed.length === 0) return Result.fail(new OutOfRotation({ model: request.model }))
        const allowed = listed.filter((deployment) => mayUse(caller, via, deployment))
        leftOut(listed, allowed, "the key may not use it", reasons)
        if (allowed.length === 0) {
          return Result.fail(new ModelNotAllowed({ model: request.model, keyId: caller.key.id }))
        }
        const inRotation = allowed.filter((deployment) => pool.isInRotation(deployment.id))
        leftOut(allowed, inRotation, "out of rotation", reasons)
        if (inRotation.length === 0) return Result.fail(new OutOfRotation({ model: request.model }))
        const priced = inRotation.filter((one) => one.price !== undefined || unknownPriceRule(caller) === "allow")
        leftOut(inRotation, priced, "nobody knows its price", reasons)
        if (priced.length === 0) {
          return Result.fail(new PriceUnknown({ model: request.model, keyId: caller.key.id }))
        }
        const lacking: Array<Lack> = []
        const capable = priced.filter((deployment) => {
          const lack = whatItLacks(deployment, request)
          if (lack !== undefined) lacking.push(lack)
          return lack === undefined
        })
        const why = lacking.map((lack) => lack.reason)
        reasons.push(...why)
        if (capable.length > 0) return Result.succeed(capable)
        const isTooLong = lacking.every((lack) => lack.isLength)
        return Result.fail(new NoCapableDeployment({ model: request.model, isTooLong, reasons: why }))
      }

      /** `found` in the order they are tried, and the seat of the session among them. */
      const arranged = Effect.fnUntraced(function* (
        found: ReadonlyArray<Deployment>,
        order: Order,
        visit: Visit,
        now: number,
        reasons: Array<string>
      ) {
        const seat = fleet.failover.sessionAffinity ? affinity.seatOf(visit, order, found.length) : undefined
        const list = yield* arrange(found, order, pool, now, reasons)
        if (seat === undefined) return { list, seat }
        const seated = affinity.arrange(list, seat, pool, now)
        if (seated[0] !== list[0]) reasons.push(`${seated[0]!.id} comes first: it answered this session before`)
        return { list: seated, seat }
      })

      /** The bucket of the prompt, or the next one up that has something live; never down. */
      const decideAuto = Effect.fnUntraced(function* (request: ChatRequest, caller: Caller, sessionId?: string) {
        const { reasons: why, score } = classifier.classify(request.prompt)
        const bucket = classifier.bucketOf(score, buckets, fleet.router.cutPoints)
        const reasons: Array<string> = []
        let first: RoutingError | undefined
        for (let index = buckets.indexOf(bucket); index < buckets.length; index++) {
          const listed = names.bucketed[index]!
          const found = filter(listed, request, caller, AUTO, reasons)
          if (Result.isSuccess(found)) {
            const now = yield* Clock.currentTimeMillis
            const visit = { keyId: caller.key.id, route: `${AUTO} ${buckets[index]}`, request, sessionId }
            const { list, seat } = yield* arranged(found.success, fleet.failover.order ?? "listed", visit, now, reasons)
            const higher = names.bucketed.slice(index + 1).flat()
            const spare = filter(higher, request, caller, AUTO, [])
            const all = new Set([...list, ...(Result.isSuccess(spare) ? spare.success : [])])
            const candidates = readyFirst([...all], pool, now, reasons)
            const details = reasons.length === 0 ? why : [...why, ...new Set(reasons)]
            return new AutoDecision(candidates, bucket, score, seat, details, fleet.router)
          }
          reasons.push(`bucket ${buckets[index]} has nothing that can serve this`)
          first ??= found.failure
        }
        return yield* first ?? new OutOfRotation({ model: AUTO })
      })

      const decide = Effect.fnUntraced(function* (request: ChatRequest, caller: Caller, sessionId?: string) {
        if (request.model === AUTO) return yield* decideAuto(request, caller, sessionId)
        const named = names.byName.get(request.model)
        if (named === undefined) {
          const usable = [auto, ...names.listed].filter((entry) => maySee(caller, entry))
          const nearest = nearestNames(
            request.model,
            usable.map((entry) => entry.id)
          )
          return yield* new ModelNotFound({ model: request.model, nearest })
        }
        const reasons: Array<string> = []
        const found = filter(named.deployments, request, caller, request.model, reasons)
        if (Result.isFailure(found)) return yield* found.failure
        const order = fleet.failover.order ?? (named.bare ? "weight" : "listed")
        const visit = { keyId: caller.key.id, route: request.model, request, sessionId }
        const { list, seat } = yield* arranged(found.success, order, visit, clock.currentTimeMillisUnsafe(), reasons)
        const why = reasons.length === 0 ? named.reasons : [...named.reasons, ...reasons]
        return { candidates: list, bucket: "none", score: 0, reasons: why, seat }
      })

      const auto: ModelEntry = {
        id: AUTO,
        kind: "auto",
        deployments: [...new Set(names.bucketed.flat())],
        bucket: null
      }
      return {
        decide,
        answered: (seat, deploymentId) => affinity.keep(seat, deploymentId, clock.currentTimeMillisUnsafe()),
        models: (caller) => [auto, ...names.listed].filter((entry) => maySee(caller, entry)),
        bucketsOf: (id) => buckets.filter((_, index) => names.bucketed[index]!.some((one) => one.id === id))
      }
    })
  )
}

interface Named {
  /** What it is that the caller named. */
  readonly reasons: ReadonlyArray<string>
  readonly deployments: ReadonlyArray<Deployment>
  /** A model name that several providers may serve, rather than a list that somebody put in order. */
  readonly bare: boolean
}

const named = (name: string): string => `the caller named ${name}`

/** Every name a caller may use. Where names collide: alias, deployment id, `<provider>/<model>`, bare model name. */
const indexNames = (fleet: Fleet["Service"]) => {
  const byId = new Map(fleet.deployments.map((deployment) => [deployment.id, deployment]))
  const resolve = (ids: ReadonlyArray<string>) => ids.flatMap((id) => byId.get(id) ?? [])
  const byName = new Map<string, Named>()
  for (const [alias, ids] of fleet.aliases)
    byName.set(alias, { reasons: [`alias ${alias}`], deployments: resolve(ids), bare: false })
  for (const deployment of fleet.deployments) {
    if (byName.has(deployment.id)) continue
    byName.set(deployment.id, { reasons: [named(deployment.id)], deployments: [deployment], bare: false })
  }
  for (const nameOf of [decisionName, (deployment: Deployment) => deployment.model]) {
    const groups = Map.groupBy(fleet.deployments, nameOf)
    for (const [name, deployments] of groups) {
      if (!byName.has(name)) byName.set(name, { reasons: [named(name)], deployments, bare: true })
    }
  }
  const bucketed = fleet.router.buckets.map((bucket) => resolve(bucket.deployments))
  const bucketName = (deployment: Deployment) =>
    fleet.router.buckets.find((bucket) => bucket.deployments.includes(deployment.id))?.name ?? null
  const listed: ReadonlyArray<ModelEntry> = [
    ...[...fleet.aliases].map(([id, ids]): ModelEntry => ({
      id,
      kind: "alias",
      deployments: resolve(ids),
      bucket: null
    })),
    ...fleet.deployments.map((deployment): ModelEntry => ({
      id: deployment.id,
      kind: "deployment",
      deployments: [deployment],
      bucket: bucketName(deployment)
    }))
  ]
  return { byName, bucketed, listed }
}

const mayName = ({ key }: Caller, name: string): boolean =>
  key.models.length === 0 || key.models.some((pattern) => matchesGlob(pattern, name))

/**
 * A key that may use an alias may use what it stands for; `auto` alone in its list stands for everything. In any other list
 * `auto` only goes where the key may go by itself.
 */
const mayUse = (caller: Caller, via: string, deployment: Deployment): boolean => {
  const { models } = caller.key
  if (models.length === 0) return true
  if (via === AUTO ? models.every((pattern) => pattern === AUTO) : mayName(caller, via)) return true
  return [deployment.id, decisionName(deployment), deployment.model].some((name) => mayName(caller, name))
}

const maySee = (caller: Caller, entry: ModelEntry): boolean =>
  entry.deployments.some((deployment) => mayUse(caller, entry.id, deployment))

/** Why a deployment can't serve a request. */
interface Lack {
  readonly reason: string
  readonly isLength: boolean
}

/** Lengths are guessed; only what is too long however it is counted is left out. The rest is for the upstream to say. */
const SURELY = 0.7

const whatItLacks = ({ contextWindow, id, supports }: Deployment, request: ChatRequest): Lack | undefined => {
  const need = request.needs.find((need) => !supports.has(need))
  if (need !== undefined) return { reason: `${id} does not support ${need}`, isLength: false }
  if (contextWindow === undefined || request.inputEstimate * SURELY <= contextWindow) return undefined
  const reason = `${id} has a context window of ${contextWindow} tokens, the request about ${request.inputEstimate}`
  return { reason, isLength: true }
}
