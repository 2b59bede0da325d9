/**
 * The models that callers ask for: what each counts, costs and does. Prices in USD per million tokens as published (read
 * 2026-11-22): https://developers.openai.com/api/docs/pricing, priority from https://openai.com/api-priority-processing/ (stored
 * copy), flex at half the standard price as in the Batch API, https://docs.anthropic.com/en/docs/about-claude/pricing,
 * https://ai.google.dev/gemini-api/docs/pricing.
 */
import { claude4, claude47 } from "./AnthropicRules.ts"
import type { Prices } from "./Bill.ts"
import { patched, tiled } from "./OpenAiRules.ts"
import { gemini, ownServer } from "./OtherRules.ts"
import type { Rules } from "./Rules.ts"
import type { Service } from "./Services.ts"

export type Tier = "default" | "flex" | "priority"

/** What a model can be sent beside text, as its vendor's documents have it. */
export type Takes = "images" | "files" | "audio" | "video" | "speech" | "search" | "claude tools" | "effort" | "tiers"

export interface Model {
  /** `<provider>/<model>`, as callers name it. */
  readonly id: string
  readonly provider: "openai" | "anthropic" | "google" | "thinks" | "quiet" | "small" | "service"
  readonly model: string
  readonly rules: Rules
  readonly prices: { readonly default: Prices } & { readonly [Other in Tier]?: Prices }
  readonly window: number
  readonly maxOutput: number
  /** `no`: it does not think. `inside`: it thinks unseen, within the output limit. `on top`: beyond it. */
  readonly thinks: "no" | "inside" | "on top"
  readonly takes: ReadonlyArray<Takes>
  readonly tellsUsage: boolean
  /** It is no chat: what it answers and bills is its own. */
  readonly service?: Service
  /**
   * A plain call whose connection is gone is finished all the same, and billed; else it ends there. Streams end there everywhere:
   * https://openrouter.ai/docs/api-reference/streaming ("Stream Cancellation"), https://github.com/vllm-project/vllm/pull/32442.
   */
  readonly finishesAlone: boolean
  /** The seconds at which it makes tokens. */
  readonly perSecond: number
}

const openai = (model: string, fields: Pick<Model, "prices" | "rules" | "takes"> & Partial<Model>): Model => ({
  id: `openai/${model}`,
  provider: "openai",
  model,
  window: 128_000,
  maxOutput: 16_384,
  thinks: "no",
  tellsUsage: true,
  finishesAlone: true,
  perSecond: 150,
  ...fields
})

const claude = (model: string, fields: Pick<Model, "prices" | "rules"> & Partial<Model>): Model => ({
  id: `anthropic/${model}`,
  provider: "anthropic",
  model,
  window: 200_000,
  maxOutput: 64_000,
  thinks: "inside",
  takes: ["images", "files", "effort", "claude tools"],
  tellsUsage: true,
  finishesAlone: true,
  perSecond: 120,
  ...fields
})

const own = (provider: Model["provider"], model: string, fields: Partial<Model>): Model => ({
  id: `${provider}/${model}`,
  provider,
  model,
  rules: ownServer,
  prices: { default: { input: 1, output: 4 } },
  window: 32_768,
  maxOutput: 4096,
  thinks: "no",
  takes: [],
  tellsUsage: true,
  finishesAlone: false,
  perSecond: 300,
  ...fields
})

const priority = (input: number, cachedInput: number, output: number): Prices => ({ input, cachedInput, output })
const thinking = { thinks: "inside", window: 400_000, maxOutput: 128_000 } as const
/** 25 USD per 1,000 calls; what was found is free (https://community.openai.com/t/1363698 quotes the vendor's page). */
const searching: Prices = { input: 2.5, output: 10, search: 0.025 }

export const models: ReadonlyArray<Model> = [
  openai("gpt-5-mini", {
    rules: patched(1.62),
    prices: {
      default: priority(0.25, 0.025, 2),
      flex: priority(0.125, 0.0125, 1),
      priority: priority(0.45, 0.045, 3.6)
    },
    takes: ["images", "files", "effort", "tiers"],
    ...thinking
  }),
  openai("gpt-5", {
    rules: tiled(70, 140),
    prices: {
      default: priority(1.25, 0.125, 10),
      flex: priority(0.625, 0.0625, 5),
      priority: priority(2.5, 0.25, 20)
    },
    takes: ["images", "files", "effort", "tiers"],
    ...thinking
  }),
  openai("o4-mini", {
    rules: patched(1.72),
    prices: { default: priority(1.1, 0.275, 4.4) },
    takes: ["images", "files", "effort"],
    thinks: "inside",
    window: 200_000,
    maxOutput: 100_000
  }),
  openai("gpt-4o", {
    rules: tiled(85, 170),
    prices: { default: priority(2.5, 1.25, 10), priority: priority(4.25, 2.125, 17) },
    takes: ["images", "files", "tiers"]
  }),
  openai("gpt-4o-mini", {
    rules: tiled(2833, 5667),
    prices: { default: priority(0.15, 0.075, 0.6), priority: priority(0.25, 0.125, 1) },
    takes: ["images", "files", "tiers"]
  }),
  openai("gpt-4.1-mini", {
    rules: patched(1.62),
    prices: { default: priority(0.4, 0.1, 1.6), priority: priority(0.7, 0.175, 2.8) },
    takes: ["images", "files", "tiers"],
    window: 1_000_000,
    maxOutput: 32_768
  }),
  openai("gpt-4o-audio-preview", {
    rules: tiled(85, 170),
    prices: { default: { input: 2.5, output: 10, audioInput: 40, audioOutput: 80 } },
    takes: ["audio", "speech"]
  }),
  openai("gpt-4o-search-preview", { rules: tiled(85, 170), prices: { default: searching }, takes: ["search"] }),
  claude("claude-haiku-4-5", {
    rules: claude4,
    prices: { default: { input: 1, cachedInput: 0.1, cacheWrite: 1.25, output: 5, search: 0.01 } }
  }),
  claude("claude-sonnet-4-5", {
    rules: claude4,
    prices: { default: { input: 3, cachedInput: 0.3, cacheWrite: 3.75, output: 15, search: 0.01 } }
  }),
  claude("claude-opus-4-7", {
    rules: claude47,
    prices: { default: { input: 5, cachedInput: 0.5, cacheWrite: 6.25, output: 25, search: 0.01 } },
    maxOutput: 128_000
  }),
  {
    id: "google/gemini-2.5-pro",
    provider: "google",
    model: "gemini-2.5-pro",
    rules: gemini,
    prices: {
      // Of inputs up to 200,000 tokens: more than its configured window holds can't be asked.
      default: { input: 1.25, audioInput: 1.25, output: 10 }
    },
    window: 200_000,
    maxOutput: 65_536,
    thinks: "inside",
    takes: ["images", "audio", "video"],
    tellsUsage: true,
    finishesAlone: true,
    perSecond: 200
  },
  own("thinks", "qwq-32b", { thinks: "on top", takes: ["effort"], perSecond: 800 }),
  own("quiet", "m", { tellsUsage: false }),
  own("small", "m", { window: 65_536, maxOutput: 8192 })
]

export const modelOf = (service: Service): Model =>
  own("service", service.model, { id: `${service.provider}/${service.model}`, tellsUsage: service.isTold, service })
