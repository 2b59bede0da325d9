/** `provider`, `models`, suffixes and required tags, by the real router and the real failover over random fleets. */
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Fiber, Result } from "effect"
import { TestClock } from "effect/testing"
import { makeFailover } from "../../../src/core/call/Failover.ts"
import type { Requirement } from "../../../src/core/domain/Choice.ts"
import { type Deployment, isWildcard } from "../../../src/core/domain/Deployment.ts"
import { failureClasses } from "@model-gateway/protocol"
import { ProviderFailure } from "../../../src/core/domain/Failures.ts"
import { freshKey } from "../../../src/core/keys/NewKey.ts"
import type { CallRequest } from "../../../src/core/operations/CallRequest.ts"
import { withChoice } from "../../../src/core/operations/ReadChoice.ts"
import { Router } from "../../../src/core/routing/Router.ts"
import { deployment, priceSheet, rates, seeded } from "../call/Support.ts"
import { failed as failure } from "../call/Failures.ts"
import { type Standing, standings } from "./Pool.ts"
import { ask, world } from "./RouterWorld.ts"

type Draw = ReturnType<typeof seeded>

const VENDORS = ["openai", "azure", "anthropic", "groq"]
const PROVIDERS = ["one", "two", "three", "four"]
const REGIONS = ["eu", "us", "ch", undefined]
const MODELS = ["a", "b", "c"]

const some = <A>({ next }: Draw, list: ReadonlyArray<A>, share = 0.4): ReadonlyArray<A> =>
  list.filter(() => next() < share)

const randomFleet = (draw: Draw) => {
  const { below, next, pick } = draw
  const made = Array.from({ length: 2 + below(7) }, (_, index): Deployment => {
    const provider = pick(PROVIDERS)
    const input = 1 + below(5)
    const price = priceSheet(
      rates(input, 1 + below(9)),
      next() < 0.3 ? [{ above: 50, rates: rates(input * 2, 20) }] : []
    )
    return deployment(`${provider}/${next() < 0.15 ? "*" : pick(MODELS)}`, {
      id: `d${index}`,
      vendor: VENDORS[PROVIDERS.indexOf(provider)]!,
      region: pick(REGIONS),
      zdr: pick([true, false, undefined]),
      price: next() < 0.1 ? undefined : price,
      weight: below(3),
      priority: below(3)
    })
  })
  const single = made.filter((one) => !isWildcard(one)).map(({ id }) => id)
  return { made, single }
}

const randomChoice = (draw: Draw, ids: ReadonlyArray<string>) => {
  const { below, next, pick } = draw
  const slugs = [...PROVIDERS, ...VENDORS, ...ids]
  const maybe = (share: number, fields: () => object) => (next() < share ? fields() : {})
  return {
    ...maybe(0.5, () => ({ order: some(draw, slugs) })),
    ...maybe(0.25, () => ({ only: [pick(slugs), ...some(draw, slugs)] })),
    ...maybe(0.3, () => ({ ignore: some(draw, slugs, 0.15) })),
    ...maybe(0.3, () => ({ allow_fallbacks: next() < 0.5 })),
    ...maybe(0.4, () => ({ sort: pick(["price", "throughput", "latency"]) })),
    ...maybe(0.4, () => ({ max_price: { prompt: String((3 + below(8)) / 1000), completion: (5 + below(20)) / 1000 } })),
    ...maybe(0.1, () => ({ zdr: next() < 0.7 }))
  }
}

/** What was asked, judged anew by plain rules. */
interface Asked {
  readonly provider: {
    readonly order?: ReadonlyArray<string>
    readonly only?: ReadonlyArray<string>
    readonly ignore?: ReadonlyArray<string>
    readonly allow_fallbacks?: boolean
    readonly max_price?: { readonly prompt: string; readonly completion: number }
    readonly zdr?: boolean
  }
  readonly require: Requirement
  readonly keyModels: ReadonlyArray<string>
}

const violationOf = (called: Deployment, { keyModels, provider, require }: Asked): string | undefined => {
  const names = [called.id, called.provider, called.vendor]
  const { allow_fallbacks, ignore, max_price, only, order, zdr } = provider
  if (only !== undefined && !names.some((name) => only.includes(name))) return "only"
  if (ignore !== undefined && names.some((name) => ignore.includes(name))) return "ignore"
  if (allow_fallbacks === false && order !== undefined && !names.some((name) => order.includes(name))) return "order"
  if ((zdr === true || require.zdr === true) && called.zdr !== true) return "zdr"
  if (require.region !== undefined && !require.region.includes(called.region ?? "")) return "region"
  if (max_price !== undefined) {
    const { base, tiers } = called.price!.ratesAt(0)
    for (const { input, output } of [base, ...tiers.map(({ rates: higher }) => higher)]) {
      // 1,000 pico-USD a token are 0.001 USD per million.
      if (input / 1e6 > Number(max_price.prompt) || output / 1e6 > Number(max_price.completion)) return "max_price"
    }
  }
  const model = `${called.provider}/${called.model}`
  const isAllowed = (pattern: string) => ["all", called.id, called.model, model].includes(pattern)
  return keyModels.length === 0 || keyModels.some(isAllowed) ? undefined : "key"
}

const tried = Effect.fnUntraced(function* (candidates: ReadonlyArray<Deployment>, draw: Draw, standing: Standings) {
  const called: Array<Deployment> = []
  const retryBudget = { percent: 100, extra: 100, windowMs: 10_000 }
  const failover = makeFailover({ baseDelayMs: 10, retryBudget }, standings(standing), yield* Clock.Clock)
  const fiber = yield* Effect.forkChild(
    Effect.result(
      failover(candidates, 10, (target) => {
        called.push(target.deployment)
        const why = { ...failure(draw.pick(failureClasses)), message: "no", retryAfterMs: draw.below(3) * 1_000 }
        return draw.next() < 0.1 ? Effect.succeed("ok") : Effect.fail(new ProviderFailure(why))
      })
    )
  )
  for (let step = 0; step < 12; step++) yield* TestClock.adjust(2_000)
  yield* Fiber.join(fiber)
  return called
})

type Standings = { readonly [id: string]: Standing }

const CASES = 4_000

describe("providers chosen by a request", () => {
  it.effect(
    "calls nothing that the request or the key excludes, whatever fails",
    () =>
      Effect.gen(function* () {
        let calls = 0
        const refusals = new Map<string, number>()
        for (let seed = 1; seed <= CASES; seed++) {
          const draw = seeded(seed)
          const { below, next, pick } = draw
          const { made, single } = randomFleet(draw)
          if (single.length === 0) continue
          const star = (wildcard: Deployment) => (model: string) => ({ ...wildcard, model, wildcard })
          const provider = randomChoice(draw, single)
          const require = {
            ...(next() < 0.3 ? { region: some(draw, ["eu", "us", "ch"], 0.6) } : {}),
            zdr: next() < 0.2
          }
          const keyModels = next() < 0.3 ? [pick(["one/a", "a", "b", single[0]!])] : []
          const there = MODELS.filter((model) => made.some((one) => one.model === model))
          const wild = next() < 0.3 ? ["one/z", "two/z", "three/b"] : []
          const names = [...single, ...there, ...wild, "all", "all", "auto", "all:nitro", `${single[0]!}:floor`]
          const model = pick(names)
          const body = {
            provider,
            ...(next() < 0.4 ? { models: Array.from({ length: below(4) }, () => pick(names)) } : {})
          }
          const standing: Standings = Object.fromEntries(
            made.map(({ id }) => [id, { isReady: next() < 0.8, isInRotation: next() < 0.9, throughput: below(100) }])
          )
          const layer = world({
            standing,
            deployments: made,
            wildcards: new Map(made.filter(isWildcard).map((one) => [one.id, star(one)])),
            aliases: { all: single, fast: [], best: [] },
            aliasRules: new Map([["all", { order: undefined, fallbacks: single.slice(1, 2) }]]),
            buckets: [
              { name: "simple", deployments: single },
              { name: "more", deployments: single.slice(0, 2) }
            ],
            order: pick([undefined, "weight", "cost", "throughput", "listed"])
          })
          yield* Effect.gen(function* () {
            const router = yield* Router
            const caller = {
              team: undefined,
              key: freshKey("key_1", 0, {
                models: keyModels,
                require: { ...(require.region?.length === 0 ? {} : require) }
              })
            }
            const asked: CallRequest = Result.getOrThrow(withChoice(ask(model, "0.1", body), () => 0))
            assert.deepStrictEqual([asked.body["provider"], asked.body["models"]], [undefined, undefined])
            const decision = yield* Effect.result(router.decide(asked, caller, { sessionId: "s" }, "chat"))
            if (Result.isFailure(decision)) {
              refusals.set(decision.failure._tag, (refusals.get(decision.failure._tag) ?? 0) + 1)
              return
            }
            const { candidates } = decision.success
            const all = { provider, require: caller.key.require, keyModels }
            for (const one of [...candidates, ...(yield* tried(candidates, draw, standing))]) {
              calls++
              assert.isUndefined(violationOf(one, all), `seed ${seed}: ${one.id}`)
              assert.isFalse(isWildcard(one), `seed ${seed}`)
            }
            // Without the choice there is no less to call.
            const { choice: _, ...plain } = asked
            const models = [plain.model, ...(body.models ?? [])].map((name) => name.replace(/:(floor|nitro)$/, ""))
            const wider = new Set<string>()
            for (const name of models) {
              const free = yield* Effect.result(router.decide({ ...plain, model: name }, caller, {}, "chat"))
              if (Result.isSuccess(free)) for (const { id } of free.success.candidates) wider.add(id)
            }
            for (const { id } of candidates) assert.isTrue(wider.has(id), `seed ${seed}: ${id} was added`)
          }).pipe(Effect.provide(layer))
        }
        assert.isAbove(calls, 3_000)
        assert.includeMembers(
          [...refusals.keys()],
          ["NoAllowedProvider", "NoRouteMeetsPolicy", "ModelNotAllowed", "OutOfRotation"]
        )
      }),
    120_000
  )
})
