/**
 * Calls deployments through a gateway in memory, whose key has a budget: what a call may cost at most is reserved before it is sent, as
 * everywhere. A refusal counts when it comes twice; then requests are tried that the model may take.
 */
import { isDeepStrictEqual } from "node:util"
import { Clock, Effect, Layer } from "effect"
import { isUnbounded } from "@model-gateway/gateway/internal/core/bounds/Bounds"
import type { Deployment } from "@model-gateway/gateway/internal/core/domain/Deployment"
import type { Learnt } from "@model-gateway/gateway/internal/core/domain/models/CatalogueFormat"
import { LEARNT_SCHEMA } from "@model-gateway/gateway/internal/core/domain/models/CatalogueFormat"
import type { Facts } from "@model-gateway/gateway/internal/core/domain/models/Facts"
import { usdToNano } from "@model-gateway/gateway/internal/core/domain/Money"
import type { Settings } from "@model-gateway/gateway/internal/core/domain/Settings"
import { Transport } from "@model-gateway/gateway/internal/core/pool/Transport"
import { fleetOf } from "@model-gateway/gateway/internal/GatewayCore"
import { Generations } from "@model-gateway/gateway/internal/Generations"
import { registryOf } from "@model-gateway/gateway/internal/providers/catalogue/ProviderRegistry"
import { Transports } from "@model-gateway/gateway/internal/providers/pool/Transports"
import { TestGateway } from "@model-gateway/gateway/internal/testing/TestGateway"
import { having, lacking, type Lessons, lessonsOf, remedies, routed, withLesson } from "./Lessons.ts"
import { type Heard, type Outcome, outcomeOf } from "./Outcome.ts"
import { type Cell, OUTPUT, type Probe, probes } from "./Probes.ts"

/** A deployment and what its calls showed. Cells that are missing were not called. */
export interface Row {
  readonly id: string
  readonly outcomes: ReadonlyMap<Cell, Outcome>
}

export interface Calls extends Lessons {
  readonly rows: ReadonlyArray<Row>
  readonly spentUsd: number
}

interface Target {
  readonly id: string
  readonly alias: string
  /** `vendor/model` in the catalogue. */
  readonly name: string
  /** The configuration states what it supports. */
  readonly isSettled: boolean
  readonly outcomes: Map<Cell, Outcome>
  learnt: Learnt
}

/** `deployments`: those to call. `begin` runs before the calls of a kind. */
export const liveCalls = Effect.fnUntraced(function* (
  settings: Settings,
  deployments: ReadonlyArray<Deployment>,
  maxUsd: number,
  begin: (cell: Cell, deployments: number) => Effect.Effect<void>
): Effect.fn.Return<Calls, { readonly message: string }> {
  const settled = new Set(settings.deployments.flatMap(({ id, supports }) => (supports === undefined ? [] : [id])))
  const targets = deployments.map(({ baseModel, id, model, vendor }, index): Target => ({
    id,
    alias: `call-${index}`,
    name: `${vendor}/${baseModel ?? model}`,
    isSettled: settled.has(id),
    outcomes: new Map(),
    learnt: {}
  }))
  const heard: Array<Heard> = []
  const { aliasRules: _, ...others } = settings
  const own: Settings = { ...others, models: new Map(targets.map(({ alias, id }) => [alias, [id]])) }
  const before = settings.catalogue?.learnt.loaded?.models ?? {}
  const names = new Set(targets.map(({ name }) => name))
  const rest = Object.fromEntries(Object.entries(before).filter(([name]) => !names.has(name)))
  const learning = (models: { readonly [name: string]: Learnt }): Settings => {
    const { catalogue } = own
    if (catalogue === undefined) return own
    const loaded = { schema: LEARNT_SCHEMA, made: "", models: { ...rest, ...models } } as const
    return { ...own, catalogue: { ...catalogue, learnt: { ...catalogue.learnt, loaded } } }
  }
  const transport = Layer.effect(
    Transport,
    Effect.map(Transport, (way): Transport["Service"] => ({
      ...way,
      whole: (request) =>
        Effect.tap(way.whole(request), ({ status }) => Effect.sync(() => heard.push({ path: request.path, status }))),
      open: (request) =>
        Effect.tap(way.open(request), ({ status }) => Effect.sync(() => heard.push({ path: request.path, status })))
    }))
  ).pipe(Layer.provide(Transports.layer(() => settings.providers)))

  const calling = Effect.gen(function* () {
    const gateway = yield* TestGateway
    const generations = yield* Generations
    const day = new Date(yield* Clock.currentTimeMillis).toISOString().slice(0, 10)
    const budgets = [{ limit: usdToNano(maxUsd), window: "total", timeZone: "UTC" } as const]
    const key = yield* gateway.createKey({ budgets })
    let shown: { readonly [name: string]: Learnt } = {}
    let fleet = fleetOf(learning({}), registryOf().vendors)

    /** The target's deployment, with these facts in force. */
    const show = Effect.fnUntraced(function* ({ id, name }: Target, learnt: Learnt) {
      const models = { [name]: learnt }
      if (!isDeepStrictEqual(models, shown)) {
        shown = models
        fleet = fleetOf(learning(models), registryOf().vendors)
        yield* generations.replace(fleet)
      }
      return fleet.deployments.find((one) => one.id === id)!
    })

    const send = Effect.fnUntraced(function* ({ alias }: Target, { fields, missing }: Probe) {
      heard.length = 0
      const answer = yield* gateway.send({
        method: "POST",
        path: "/v1/chat/completions",
        headers: {
          authorization: `Bearer ${key}`,
          "content-type": "application/json",
          "x-gateway-no-fallback": "1"
        },
        body: { model: alias, max_tokens: OUTPUT, ...fields }
      })
      return outcomeOf(answer, heard, missing(answer))
    })

    /** Whether the request is accepted with these facts; they are kept if so. */
    const isTaken = Effect.fnUntraced(function* (
      target: Target,
      probe: Probe,
      facts: Facts,
      said: string,
      mustShow = false
    ) {
      const learnt = withLesson(target.learnt, facts, probe, said, day)
      yield* show(target, learnt)
      const outcome = yield* send(target, probe)
      // A response that ignores a feature that the catalogue excludes proves nothing.
      if (outcome.kind !== "works" || (mustShow && outcome.missing !== undefined)) return false
      target.learnt = learnt
      target.outcomes.set(probe.cell, { ...outcome, isLearnt: true })
      return true
    })

    const call = Effect.fnUntraced(function* (target: Target, probe: Probe) {
      const deployment = yield* show(target, target.learnt)
      if (!deployment.supports.has("chat")) {
        target.outcomes.set(probe.cell, { kind: "unsupported", message: "it has no chat" })
        return
      }
      if (isUnbounded(deployment)) {
        const message = "nothing bounds its reasoning: give it `bounds.reasoning_tokens` or a `context_window`"
        target.outcomes.set(probe.cell, { kind: "unbounded", message })
        return
      }
      const first = yield* send(target, probe)
      const outcome = first.kind === "refused" ? yield* send(target, probe) : first
      target.outcomes.set(probe.cell, outcome)
      const learn = (facts: Facts, said: string) => {
        target.learnt = withLesson(target.learnt, facts, probe, said, day)
        target.outcomes.set(probe.cell, { ...outcome, isLearnt: true })
      }
      if (outcome.kind === "works" && outcome.refusedFirst) {
        return learn(routed(probe), "chat was refused, and Responses served the request")
      }
      if (outcome.kind === "refused") {
        const said = `${outcome.status}: ${outcome.message}`
        for (const facts of remedies(probe, deployment)) if (yield* isTaken(target, probe, facts, said)) return
        const facts = lacking(probe, deployment)
        if (facts !== undefined && !target.isSettled) learn(facts, said)
      }
      if (outcome.kind !== "unsupported" || target.isSettled) return
      const facts = having(probe, deployment)
      if (facts !== undefined) yield* isTaken(target, probe, facts, "the request was taken", true)
    })

    for (const probe of probes) {
      const open = targets.filter(({ outcomes }) => probe.cell === "plain" || outcomes.get("plain")?.kind === "works")
      if (open.length > 0) yield* begin(probe.cell, open.length)
      for (const target of open) yield* call(target, probe)
    }
    return yield* gateway.spent
  })

  const spentUsd = yield* calling.pipe(
    Effect.provide(Layer.provide(TestGateway.layerFor(learning({})), transport)),
    Effect.mapError(({ message }) => ({ message }))
  )
  const pupils = targets.map(({ id, learnt, name, outcomes }) => ({
    id,
    name,
    learnt: outcomes.get("plain")?.kind === "works" ? learnt : undefined
  }))
  return { ...lessonsOf(pupils, before), rows: targets, spentUsd }
})
