/** OpenAI. */
import { operationNames } from "../../core/domain/OperationName.ts"
import type { Vendor } from "../../core/pool/Vendor.ts"
import { bearer } from "../auth/Static.ts"
import {
  effortQuirks,
  imageQuirks,
  NEEDS_COMPLETION_TOKENS,
  readOn,
  reasoningQuirks,
  timesTranscripts
} from "./Compatible.ts"
import { operationsByName } from "./Families.ts"
import { openAiBounds } from "./OpenAiBounds.ts"
import { openAiFamilies } from "./OpenAiFamilies.ts"
import { openAiImagePrices } from "./OpenAiImages.ts"

/** Models that the chat endpoint refuses, as their pages say: https://platform.openai.com/docs/models (2026-11-22). */
const RESPONSES_ONLY = /codex|computer-use|deep-research|^(?:o\d|gpt-5(?:\.\d)?)-pro/

export const OpenAi: Vendor = {
  name: "openai",
  title: "OpenAI",
  // All of its protocol but rankings, which others have added.
  serves: operationNames.filter((name) => name !== "rerank" && name !== "messages" && name !== "count_tokens"),
  standing: "recorded",
  sources: readOn(
    "2026-11-22",
    "https://platform.openai.com/docs/models",
    "https://developers.openai.com/api/docs/guides/images-vision",
    "https://zenn.dev/headwaters/articles/a5468c45ec2e52",
    "https://openrouter.ai/docs/api-reference/streaming"
  ),
  notes: [
    "The output limit goes out under the name that a model takes; models that always reason get the default sampling."
  ],
  protocol: "openai-chat",
  baseUrl: "https://api.openai.com/v1",
  apiKeyVariable: "OPENAI_API_KEY",
  starterModels: ["gpt-6-luna", "gpt-6.1-terra", "gpt-6.2-sol", "gpt-6.2-sol"],
  prices: openAiImagePrices,
  // Of both calls: https://openrouter.ai/docs/api-reference/streaming ("Stream Cancellation"), read 2026-11-22. Closing a stream stops
  // model and billing, and a plain call is processed and billed to its end.
  billsAfterDisconnect: "plain",
  bounds: openAiBounds,
  quirks: (model) => ({
    isNative: true,
    cacheMarks: "refused",
    takesDevelopers: true,
    timesTranscripts: timesTranscripts(model),
    // Responses has no `n`: https://developers.openai.com/api/docs/guides/migrate-to-responses.md, as copied at
    // https://www.w3cschool.cn/openai_api/openai_api-docs-migrate-to-responses.html (2026-11-22).
    ...(RESPONSES_ONLY.test(model) ? { oneChoice: true } : {}),
    outputLimit: NEEDS_COMPLETION_TOKENS.test(model) ? "max_completion_tokens" : "either",
    ...imageQuirks(model),
    ...reasoningQuirks(model),
    ...effortQuirks(model)
  }),
  families: openAiFamilies,
  operations: (model) => operationsByName(model, RESPONSES_ONLY.test(model) ? ["responses"] : ["chat", "responses"]),
  auth: bearer
}
