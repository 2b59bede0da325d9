/** OpenAI. */
import { operationNames } from "../../core/domain/OperationName.ts"
import type { Vendor } from "../../core/pool/Vendor.ts"
import { bearer } from "../auth/Static.ts"
import { compatibleQuirks, LEAST_OUTPUT, operationsIn, otherVendorsFields, readOn } from "./CompatibleVendors.ts"
import { openAiBounds } from "./OpenAiBounds.ts"

const OTHERS = new Set<string>("rerank messages count_tokens generate_content count_content_tokens".split(" "))

export const OpenAi: Vendor = {
  name: "openai",
  title: "OpenAI",
  // All of its protocol but rankings, which others have added.
  serves: operationNames.filter((name) => !OTHERS.has(name)),
  standing: "recorded",
  sources: readOn(
    "2026-11-22",
    "https://platform.openai.com/docs/models",
    "https://developers.openai.com/api/docs/guides/images-vision",
    "https://zenn.dev/headwaters/articles/a5468c45ec2e52",
    "https://openrouter.ai/docs/api-reference/streaming"
  ),
  notes: [
    "The output limit goes out under the name that a model takes; models that always reason get the default sampling.",
    "Tools at models that think, and the effort `max`, go to Responses, because chat refuses them; an output limit below 16 becomes 16 there."
  ],
  protocol: "openai-chat",
  baseUrl: "https://api.openai.com/v1",
  apiKeyVariable: "OPENAI_API_KEY",
  // Of both calls: https://openrouter.ai/docs/api-reference/streaming ("Stream Cancellation"), read 2026-11-22. Closing a stream stops
  // model and billing, and a plain call is processed and billed to its end.
  billsAfterDisconnect: "plain",
  bounds: openAiBounds,
  quirks: (_model, _options, facts) => ({
    isNative: true,
    cacheMarks: "refused",
    topLevelObjects: true,
    leastOutput: LEAST_OUTPUT,
    refuses: otherVendorsFields,
    takesDevelopers: true,
    outputLimit: "either",
    ...compatibleQuirks(facts)
  }),
  operations: operationsIn("chat", "responses"),
  auth: bearer
}
