/**
 * From settings to deployments: what each model can do, how much it takes, and what it costs. The configuration wins over the
 * price list, and that over what is known of a family of models here.
 */
import type { BoundRules, ConfiguredBounds } from "../core/domain/BoundRules.ts"
import { capabilities, type Capability, type Deployment, type Timeouts } from "../core/domain/Deployment.ts"
import type { PriceSheet } from "../core/domain/Pricing.ts"
import type { Vendor } from "../core/pool/Vendor.ts"
import type { DeploymentSettings, ProviderSettings, Settings } from "../core/domain/Settings.ts"
import { registryOf } from "./ProviderRegistry.ts"
import { contextWindowOf, fixedSheet, priceSheetFor, sheetFromConfig } from "./PriceList.ts"
import { modelTraits } from "./protocols/anthropic/Models.ts"
import { Demo, demoContextWindow, demoMaxOutputTokens, demoPrice } from "./vendors/Demo.ts"
import { compatibleOutput } from "./vendors/CompatibleBounds.ts"
import { OpenAiCompatible } from "./vendors/OpenAiCompatible.ts"
import { compatibleVendor } from "./vendors/Vendors.ts"

/** The deployments in the order of the configuration. One whose provider is not configured is left out: it can't be called. */
export const resolveDeployments = (
  settings: Pick<Settings, "providers" | "deployments">,
  vendors: Vendors = registryOf().vendors
): ReadonlyArray<Deployment> => {
  const providers = new Map(settings.providers.map((provider) => [provider.name, provider]))
  return settings.deployments.flatMap((deployment) => {
    const provider = providers.get(deployment.provider)
    return provider === undefined ? [] : [resolved(deployment, provider, vendorOf(provider, vendors))]
  })
}

type Vendors = ReadonlyMap<string, Vendor>

const resolved = (settings: DeploymentSettings, provider: ProviderSettings, vendor: Vendor): Deployment => {
  const { model } = settings
  return {
    id: settings.id,
    provider: provider.name,
    vendor: vendor.name,
    protocol: provider.protocol,
    model,
    baseUrl: (provider.baseUrl ?? (vendor === Demo ? `demo:${provider.name}` : vendor.baseUrl)).replace(/\/+$/, ""),
    apiKeys: provider.apiKeys,
    price: settings.price === undefined ? listedPrice(vendor, model) : sheetFromConfig(settings.price),
    contextWindow: settings.contextWindow ?? (vendor === Demo ? demoContextWindow : contextWindowOf(vendor, model)),
    maxOutputTokens: settings.maxOutputTokens ?? maxOutputOf(vendor, model),
    assumedMaxOutput: settings.maxOutputTokens ?? compatibleOutput(model),
    bounds: boundsOf(settings, vendor),
    supports: settings.supports === undefined ? supportsOf(vendor, model) : new Set(settings.supports),
    billsAfterDisconnect: provider.billsAfterDisconnect ?? vendor.billsAfterDisconnect ?? "none",
    hidesReasoning: hidesReasoning(vendor, model),
    inlineImages: settings.inlineImages ?? vendor.inlineImages ?? false,
    serviceTier: settings.serviceTier,
    weight: settings.weight,
    priority: settings.priority,
    maxInFlight: settings.maxInFlight,
    maxConnections: provider.maxConnections,
    timeouts: timeoutsOf(settings)
  }
}

/** The least that a whole answer is waited for. */
const RESPONSE_MS = 120_000

/** Who may think in silence for so long before a stream begins may do so before a whole answer. */
const timeoutsOf = ({ model, timeouts }: DeploymentSettings): Timeouts => {
  const firstToken = timeouts.firstToken ?? firstTokenTimeout(model)
  const response = timeouts.response ?? Math.max(RESPONSE_MS, firstToken)
  return { ...timeouts, firstToken, response: Math.min(response, timeouts.total) }
}

/** The operator's word wins. Who says that a model does not reason says that nothing comes on top of its output limit. */
const boundsOf = ({ bounds, model, supports }: DeploymentSettings, vendor: Vendor): BoundRules => {
  const rules = vendor.bounds(model)
  const said = bounds === undefined ? rules : { ...rules, ...given(bounds) }
  return supports === undefined || supports.includes("reasoning") ? said : { ...said, reasoning: "inside" }
}

const given = (bounds: ConfiguredBounds): Partial<ConfiguredBounds> =>
  Object.fromEntries(Object.entries(bounds).filter(([, value]) => value !== undefined))

const vendorOf = ({ protocol, vendor }: ProviderSettings, vendors: Vendors): Vendor =>
  (vendor === undefined ? undefined : vendors.get(vendor)) ?? compatibleVendor(protocol) ?? OpenAiCompatible

const listedPrice = (vendor: Vendor, model: string): PriceSheet | undefined =>
  vendor === Demo ? fixedSheet("demo", "1", demoPrice(model)) : priceSheetFor(vendor, model)

/**
 * Models that think for minutes and say nothing meanwhile: OpenAI's reasoning models, and what others call theirs. A model that can
 * think when asked to, and streams its thoughts, is none.
 */
const THINKS_SILENTLY =
  /(?:^|[/.:-])(?:o[1-9](?!\w)|gpt-[5-9](?!.*chat)|grok-4|grok-3-mini|magistral|qwq|r1(?!\w)|reasoner|deep-research)|reasoning|thinking/

/**
 * Gemini thinks from 2.5 on, unless it is told not to, Flash-Lite only when it is asked to
 * (https://ai.google.dev/gemini-api/docs/thinking, read 2026-11-22).
 */
const GEMINI_THINKS = /gemini-(?:2\.5|[3-9])(?!.*image)/

/**
 * Claude 3.7 shows its thoughts. Later ones show a summary at most, and what is billed is all of it
 * (https://platform.claude.com/docs/en/build-with-claude/extended-thinking, read 2026-11-22).
 */
const SHOWS_ALL = /claude-3-7/

const hidesReasoning = (vendor: Vendor, model: string): Deployment["hidesReasoning"] => {
  if (vendor === Demo) return undefined
  if (THINKS_SILENTLY.test(model)) return "always"
  if (GEMINI_THINKS.test(model)) return /gemini-2\.5-flash-lite/.test(model) ? "asked" : "always"
  if (!model.includes("claude-") || SHOWS_ALL.test(model)) return undefined
  const { leastThinking, thinking } = modelTraits(model)
  return thinking === "none" ? undefined : leastThinking === "disabled" ? "asked" : "always"
}

const firstTokenTimeout = (model: string): number => (THINKS_SILENTLY.test(model) ? 300_000 : 60_000)

/** A row per family, the first that matches counts; what the vendors' model pages say, and nothing for models not listed there. */
type FamilyTable = ReadonlyArray<readonly [family: RegExp, tokens: number]>

const MAX_OUTPUT: { readonly [vendor: string]: FamilyTable } = {
  openai: [
    [/^gpt-5(?:\.\d)?-chat/, 16_384],
    [/^gpt-[56]/, 128_000],
    [/^o1-mini/, 65_536],
    [/^o1-preview/, 32_768],
    [/^o[134]/, 100_000],
    [/^gpt-4\.1/, 32_768],
    [/^gpt-4o-2024-05-13$/, 4096],
    [/^gpt-4o/, 16_384],
    [/^gpt-(?:4-turbo|3\.5-turbo)/, 4096],
    [/^gpt-4(?:-0613)?$/, 8192]
  ],
  anthropic: [
    [/^claude-opus-4-[6-9]|^claude-(?:opus|sonnet|fable)-5/, 128_000],
    [/^claude-(?:sonnet|haiku|opus)-4-5|^claude-sonnet-4|^claude-3-7-sonnet/, 64_000],
    [/^claude-opus-4/, 32_000],
    [/^claude-3-5/, 8192],
    [/^claude-3-/, 4096]
  ]
}

const maxOutputOf = (vendor: Vendor, model: string): number | undefined =>
  vendor === Demo ? demoMaxOutputTokens : MAX_OUTPUT[vendor.name]?.find(([family]) => family.test(model))?.[1]

const without = (...left: ReadonlyArray<Capability>): ReadonlySet<Capability> =>
  new Set(capabilities.filter((capability) => capability !== "embeddings" && !left.includes(capability)))

const NOTHING: ReadonlySet<Capability> = new Set()
const VECTORS: ReadonlySet<Capability> = new Set(["embeddings"])
const MAKES_VECTORS = /embed|minilm|(?:^|[/-])(?:bge|e5|gte)-/i
const NOT_CHAT =
  /embedding|whisper|transcribe|tts|dall-e|gpt-image|sora|moderation|realtime|^(?:babbage|davinci|text-)|instruct/

/** A row per family, the first that matches counts. */
const SUPPORTS: { readonly [vendor: string]: ReadonlyArray<readonly [RegExp, ReadonlySet<Capability>]> } = {
  openai: [
    [MAKES_VECTORS, VECTORS],
    [NOT_CHAT, NOTHING],
    [/audio/, without("images", "files", "json_schema", "reasoning")],
    [/^o1-(?:mini|preview)/, new Set(["chat", "stream", "reasoning"])],
    [/^o3-mini/, without("images", "files", "audio")],
    [/^gpt-5(?:\.\d)?-chat/, without("audio", "reasoning")],
    [/^(?:o\d|gpt-[5-9])/, without("audio")],
    [/^gpt-4o-2024-05-13$/, without("audio", "reasoning", "json_schema")],
    [/^gpt-4(?:o|\.)/, without("audio", "reasoning")],
    [/^gpt-4-turbo/, without("audio", "reasoning", "json_schema", "files")],
    [/^gpt-(?:3\.5|4)/, new Set(["chat", "stream", "tools"])],
    [/^/, without("audio")]
  ],
  anthropic: [
    [/^claude-(?:2|v|instant)/, new Set(["chat", "stream"])],
    [/^claude-3-(?:5|haiku|opus|sonnet)/, without("audio", "reasoning")],
    [/^/, without("audio")]
  ]
}

/** What nobody knows is left to the upstream to refuse: an operator narrows it with `supports`. Only its name tells of vectors. */
const supportsOf = (vendor: Vendor, model: string): ReadonlySet<Capability> =>
  SUPPORTS[vendor.name]?.find(([family]) => family.test(model))?.[1] ??
  (MAKES_VECTORS.test(model) ? VECTORS : without())
