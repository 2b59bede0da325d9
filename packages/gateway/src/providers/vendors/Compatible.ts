/** A vendor that speaks OpenAI's protocol at another address. Fields that are left out get the defaults of such servers. */
import type { Quirks } from "../../core/domain/Deployment.ts"
import type { Vendor } from "../../core/pool/Vendor.ts"
import { bearer } from "../auth/Static.ts"
import { compatibleBounds } from "./CompatibleBounds.ts"
import { everyonesFamilies, operationsByName } from "./Families.ts"

/** OpenAI's models that refuse `max_tokens`, whoever resells them: the o-series, and everything since gpt-5. */
export const NEEDS_COMPLETION_TOKENS = /^(?:openai\/|ft:)?(?:o\d|gpt-[5-9]|codex)/

/** Whisper alone knows when each piece was said. */
export const timesTranscripts = (model: string): boolean => /whisper/i.test(model)

export const compatibleQuirks = (model: string): Quirks => ({
  outputLimit: NEEDS_COMPLETION_TOKENS.test(model) ? "max_completion_tokens" : "max_tokens",
  ...imageQuirks(model),
  ...(timesTranscripts(model) ? { timesTranscripts: true } : {})
})

/** OpenAI's newer models for images, whoever resells them: https://developers.openai.com/api/docs/api-reference/images (2026-11-22). */
export const imageQuirks = (model: string): Quirks => (/gpt-image/.test(model) ? { onlyInlineImages: true } : {})

export const compatible = (vendor: Pick<Vendor, "name" | "baseUrl"> & Partial<Vendor>): Vendor => ({
  protocol: "openai-chat",
  apiKeyVariable: undefined,
  starterModels: [],
  priceListId: undefined,
  billsAfterDisconnect: "none",
  bounds: compatibleBounds,
  auth: bearer,
  // Whether such a server also has Responses or Completions, its file or the configuration says.
  operations: (model) => operationsByName(model, ["chat"]),
  quirks: compatibleQuirks,
  families: everyonesFamilies,
  ...vendor
})
