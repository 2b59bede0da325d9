/** The scripted vendor that ships with the gateway: no key, no network, invented but constant prices. */
import type { Vendor } from "../../core/pool/Vendor.ts"
import { none } from "../auth/Static.ts"
import { fixedSheet } from "../prices/ConfiguredPrices.ts"
import { compatibleQuirks } from "./CompatibleVendors.ts"
import type { ConfiguredPrice } from "../../core/domain/Settings.ts"

/** Tokens; wide enough for whoever tries a message of 1 MB or a very long history. */
export const demoContextWindow = 1_000_000
export const demoMaxOutputTokens = 16_384

export const Demo: Vendor = {
  name: "demo",
  title: "Demo",
  standing: "documented",
  notes: ["Ships with the gateway: no key, no network, invented responses and prices."],
  modelList: null,
  protocol: "openai-chat",
  baseUrl: "demo:",
  apiKeyVariable: undefined,
  operations: (model, _options, facts) =>
    model === "picture" ? ["images", "image_edits", "image_variations"] : (facts?.operations ?? ["chat"]),
  prices: (model) => fixedSheet("demo", "1", demoPrice(model)),
  addressOf: ({ baseUrl, provider }) => ({ baseUrl: baseUrl === "demo:" ? `demo:${provider}` : baseUrl }),
  quirks: (model, _options, facts) => ({
    ...compatibleQuirks(facts),
    isNative: true,
    timesTranscripts: model === "transcribe"
  }),
  // It says all that it thinks.
  families: [{ match: /^/, contextWindow: demoContextWindow, maxOutput: demoMaxOutputTokens, hidesReasoning: "never" }],
  // Any part that is no text is 85 tokens: `demo/DemoRequest.ts`.
  bounds: () => ({
    imageTokens: 85,
    videoTokens: 85,
    fileTokens: 85,
    pageTokens: 85,
    partTokens: 85,
    audioTokensPerSecond: 85,
    reasoning: "inside"
  }),
  auth: none
}

const price = (input: number, output: number): ConfiguredPrice => ({
  input,
  cachedInput: undefined,
  cacheWrite: undefined,
  output,
  reasoning: undefined,
  audioInput: input,
  imageOutput: output,
  audioOutput: output
})

/** USD per million tokens, and per image. */
const demoPrices: ReadonlyMap<string, ConfiguredPrice> = new Map([
  ["mini", price(0.15, 0.6)],
  ["standard", price(0.5, 2)],
  ["large", price(2.5, 10)],
  ["reasoner", price(5, 20)],
  ["embed", price(0.02, 0)],
  ["moderation", price(0, 0)],
  ["picture", { ...price(0, 0), images: 0.01 }],
  // By the second and by the character: nothing else of theirs is billed.
  ["transcribe", { ...price(0, 0), audioSeconds: 0.0001 }],
  ["speech", { ...price(0, 0), characters: 15 }],
  ["rerank", { ...price(0, 0), rerankUnits: 1 }]
])

/** Models that exist for their faults (`flaky-2`, `hang`, …) cost what the smallest costs. */
const demoPrice = (model: string): ConfiguredPrice => demoPrices.get(model) ?? demoPrices.get("mini")!
