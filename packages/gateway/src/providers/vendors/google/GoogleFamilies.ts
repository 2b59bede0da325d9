/**
 * Google's models, wherever Google serves them. Windows and limits: https://ai.google.dev/gemini-api/docs/models and the pages of each
 * model below it (2026-11-22).
 */
import type { OperationName } from "../../../core/domain/OperationName.ts"
import type { VendorFamily } from "../../../core/pool/Vendor.ts"
import { everyonesFamilies, vectorModels, without } from "../Families.ts"

export const googleStarters = [
  "gemini-3.5-flash-lite",
  "gemini-3.8-flash",
  "gemini-3.1-pro-preview",
  "gemini-3.1-pro-preview"
]

const MILLION = 1_048_576

export const googleFamilies: ReadonlyArray<VendorFamily> = [
  { ...vectorModels, contextWindow: 8_192 },
  // https://docs.cloud.google.com/vertex-ai/generative-ai/docs/models/gemini/3-1-flash-image (2026-11-22).
  {
    match: /^gemini-(?:[3-9]|\d\d).*image|nano-banana/,
    contextWindow: 131_072,
    maxOutput: 32_768,
    supports: without("audio", "tools", "reasoning")
  },
  {
    match: /^gemini-2\.5-flash-image/,
    contextWindow: 65_536,
    maxOutput: 32_768,
    supports: without("audio", "tools", "reasoning", "json_schema")
  },
  { match: /tts|native-audio|live/, supports: new Set() },
  { match: /^gemini-2\.0/, contextWindow: MILLION, maxOutput: 8_192, supports: without("reasoning") },
  { match: /^gemini-1/, contextWindow: MILLION, maxOutput: 8_192, supports: without("reasoning") },
  // 65,535 at Vertex, one more at AI Studio.
  { match: /^gemini-/, contextWindow: MILLION, maxOutput: 65_535, supports: without() },
  {
    match: /^gemma-3/,
    contextWindow: 131_072,
    maxOutput: 8_192,
    supports: without("audio", "files", "tools", "reasoning")
  },
  { match: /^gemma-4/, contextWindow: 262_144, supports: without("audio", "files") },
  ...everyonesFamilies
]

/** Models that draw answer chats as well. */
export const googleOperations = (model: string): ReadonlyArray<OperationName> => {
  if (vectorModels.match.test(model)) return ["embeddings"]
  return /image|nano-banana/.test(model) ? ["chat", "images"] : ["chat"]
}
