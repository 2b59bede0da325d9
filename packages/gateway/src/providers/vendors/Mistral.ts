/** Mistral, and servers of others that speak as it does. */
import type { BoundRules } from "../../core/domain/pricing/BoundRules.ts"
import type { Vendor } from "../../core/pool/Vendor.ts"
import { bearer } from "../auth/Static.ts"
import { cantReason } from "../protocols/mistral/Models.ts"
import { readOn } from "./Compatible.ts"
import { everyonesFamilies, operationsByName, vectorModels, without } from "./Families.ts"

/**
 * Pixtral's images: scaled to at most 1,024 pixels a side, a token for each 16 pixels in both directions and one for each row.
 * `src/mistral_common/tokens/tokenizers/image.py` in https://github.com/mistralai/mistral-common (05a47dc, read 2026-11-22).
 */
const PIXTRAL_SIDE = 1_024
const PIXTRAL_PATCH = 16

const pixtralImage: NonNullable<BoundRules["image"]> = (size) => {
  const { height, width } = size ?? { width: PIXTRAL_SIDE, height: PIXTRAL_SIDE }
  const scale = Math.min(1, PIXTRAL_SIDE / Math.max(width, height))
  const patches = (pixels: number) => Math.max(1, Math.ceil(Math.ceil(pixels * scale) / PIXTRAL_PATCH))
  return (patches(width) + 1) * patches(height)
}

const mistralBounds = (model: string): BoundRules => ({
  // "The maximum number of tokens to generate in the completion", of which thoughts are parts: `ChatCompletionRequest` and `ThinkChunk` of
  // `@mistralai/mistralai` 2.7.0 (2026-11-22).
  reasoning: "inside",
  ...(model.startsWith("pixtral-12b") ? { image: pixtralImage } : {})
})

export const Mistral: Vendor = {
  name: "mistral",
  title: "Mistral",
  standing: "recorded",
  sources: readOn(
    "2026-11-22",
    "https://github.com/mistralai/mistral-common",
    "https://www.npmjs.com/package/@mistralai/mistralai",
    "https://github.com/mistralai/platform-docs-public/issues/7"
  ),
  notes: [
    "It refuses fields that it does not know, in the body and in messages: they are left out, and named.",
    "Ids of tool calls from elsewhere become nine letters and digits.",
    "A last message of the assistant is the beginning of the answer (`prefix`)."
  ],
  protocol: "mistral-chat",
  baseUrl: "https://api.mistral.ai/v1",
  apiKeyVariable: "MISTRAL_API_KEY",
  starterModels: ["ministral-8b-2512", "mistral-small-2603", "mistral-medium-3-5", "mistral-medium-3-5"],
  priceListId: "mistral",
  // Nothing says that a closed connection ends the bill.
  billsAfterDisconnect: "all",
  bounds: mistralBounds,
  operations: (model) => operationsByName(model, ["chat"]),
  families: [
    vectorModels,
    { match: cantReason, supports: without("audio", "reasoning"), hidesReasoning: "never" },
    // It shows all that it thinks: recorded, and `ThinkChunk` of `@mistralai/mistralai` 2.7.0.
    { match: /^/, supports: without("audio"), hidesReasoning: "never", thinksSilently: false },
    ...everyonesFamilies
  ],
  auth: bearer
}

/** Servers of others: no address, no prices, and they stop when their connection is closed, as vLLM does. */
export const MistralCompatible: Vendor = {
  ...Mistral,
  name: "mistral-compatible",
  isSelfHosted: true,
  title: "Mistral's protocol elsewhere",
  standing: "unverified",
  sources: [],
  baseUrl: "",
  apiKeyVariable: undefined,
  starterModels: [],
  priceListId: undefined,
  billsAfterDisconnect: "none",
  bounds: () => ({ reasoning: "inside" }),
  families: everyonesFamilies
}
