/** What the tests of the rules share: deployments with easy prices, callers, chance that repeats, and a gateway over scripts. */
import { Effect, Layer, Result } from "effect"
import type { CallRequest } from "../../../src/core/operations/CallRequest.ts"
import { capabilities, type Deployment } from "../../../src/core/domain/Deployment.ts"
import { Fleet } from "../../../src/core/domain/Fleet.ts"
import type { Caller } from "../../../src/core/keys/Caller.ts"
import { freshKey } from "../../../src/core/keys/NewKey.ts"
import { parseChat } from "../../../src/core/operations/chat/ParseChat.ts"
import { noRates, type PriceSheet, type Rates, type PriceTier } from "../../../src/core/domain/pricing/Pricing.ts"
import type { Budget, Limits } from "../../../src/core/domain/Budget.ts"
import type { KeyRecord, TeamRecord } from "../../../src/core/keys/KeyRepository.ts"
import { gatewayCore } from "../../../src/GatewayCore.ts"
import { OpenAi } from "../../../src/providers/vendors/OpenAi.ts"
import * as SqliteStore from "../../../src/storage/sqlite/file/SqliteStore.ts"
import { Script, type Scripts } from "../../../src/testing/Script.ts"

/** 2026-03-01T10:20:00Z, a Sunday. */
export const NOW = Date.UTC(2026, 2, 1, 10, 20)

export const HOUR = 3_600_000
export const DAY = 24 * HOUR

/** Mulberry32: numbers in [0, 1) that are the same for the same seed. */
export const seeded = (seed: number) => {
  let state = seed >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = state
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  /** Whole, from 0 to below `end`. */
  const below = (end: number): number => Math.floor(next() * end)
  const pick = <A>(list: ReadonlyArray<A>): A => list[below(list.length)]!
  return { next, below, pick }
}

/** Nano-USD per token. */
export const rates = (input: number, output: number): Rates => ({
  ...noRates,
  input: input * 1000,
  cachedInput: input * 1000,
  cacheWrite: input * 1000,
  cacheWrite1h: input * 1000,
  output: output * 1000,
  reasoning: output * 1000,
  audioInput: input * 1000,
  audioOutput: output * 1000
})

export const priceSheet = (base: Rates, tiers: ReadonlyArray<PriceTier> = []): PriceSheet => ({
  source: "test",
  version: "1",
  ratesAt: () => ({ base, tiers })
})

/** 1 nano-USD per token read, 2 per token written. */
export const oneAndTwo = priceSheet(rates(1, 2))

export const deployment = (id: string, fields: Partial<Deployment> = {}): Deployment => {
  const [provider, model] = id.split("/") as [string, string]
  return {
    id,
    provider,
    vendor: "openai",
    quirks: OpenAi.quirks?.(model),
    protocol: "openai-chat",
    model,
    baseUrl: Script.baseUrl(provider),
    apiKeys: [],
    price: oneAndTwo,
    contextWindow: 100_000,
    maxOutputTokens: 1_000,
    supports: new Set(capabilities),
    weight: 1,
    priority: 0,
    maxInFlight: undefined,
    timeouts: { connect: 5_000, firstToken: 60_000, response: 120_000, idle: 60_000, total: 600_000 },
    ...fields
  }
}

export const noLimits: Limits = { rpm: undefined, tpm: undefined, maxParallel: undefined }

export const budget = (limit: number, window: Budget["window"] = "day", timeZone = "UTC"): Budget => ({
  limit,
  window,
  timeZone
})

export const callerWith = (
  fields: Partial<KeyRecord> = {},
  team: (Partial<Pick<TeamRecord, "limits" | "budgets">> & { readonly name?: string }) | undefined = undefined
): Caller => {
  const name = team === undefined ? null : (team.name ?? "red")
  return {
    key: { ...freshKey("key_a", NOW, { team: name, onUnknownPrice: "allow" }), ...fields },
    team: name === null ? undefined : { name, limits: noLimits, budgets: [], updatedAt: NOW, ...team }
  }
}

/** A chat request as the gateway reads it; `model` is `openai/a` unless said. */
export const chatRequest = (fields: { readonly [field: string]: unknown } = {}): CallRequest => {
  const body = { model: "openai/a", messages: [{ role: "user", content: "Hello there" }], ...fields }
  return Result.getOrThrow(parseChat(body, JSON.stringify(body).length))
}

type FleetFields = Partial<Omit<Fleet["Service"], "failover">> & {
  readonly failover?: Partial<Fleet["Service"]["failover"]>
}

/** Two deployments unless said; no buckets. */
export const fleetLayer = ({ failover, ...fields }: FleetFields = {}): Layer.Layer<Fleet> =>
  Layer.succeed(Fleet, {
    deployments: [deployment("openai/a"), deployment("backup/b")],
    aliases: new Map(),
    router: { buckets: [], cutPoints: [], preferShift: 0, model: undefined, shadow: false },
    ...fields,
    failover: {
      attempts: 3,
      baseDelayMs: 250,
      order: undefined,
      streamRecovery: "cut",
      retryBudget: { percent: 20, extra: 3, windowMs: 10_000 },
      sessionAffinity: true,
      finishAbandonedMs: 5_000,
      ...failover
    }
  })

/** The five services and `Gateway`, over a store in memory and scripted upstreams, all of which tests can look at. */
export const gatewayLayer = (scripts: Scripts, fleet: FleetFields = {}) =>
  gatewayCore.pipe(
    Layer.provideMerge(Layer.mergeAll(fleetLayer(fleet), Script.layer(scripts), SqliteStore.layerMemory)),
    Layer.orDie
  )

/** Lets every fiber that can go on do so. */
export const settleDown = Effect.forEach(Array.from({ length: 50 }), () => Effect.yieldNow, { discard: true })
