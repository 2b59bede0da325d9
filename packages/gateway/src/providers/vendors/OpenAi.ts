/** OpenAI. */
import { operationNames } from "../../core/domain/OperationName.ts"
import type { Vendor } from "../../core/pool/Vendor.ts"
import { bearer } from "../auth/Static.ts"
import { compatibleQuirks, LEAST_OUTPUT, notesOf, operationsIn, otherVendorsFields } from "./CompatibleVendors.ts"
import { openAiBounds } from "./OpenAiBounds.ts"

const OTHERS = new Set<string>("rerank messages count_tokens generate_content count_content_tokens".split(" "))

export const OpenAi: Vendor = {
  ...notesOf("openai"),
  // All of its protocol but rankings, which others have added.
  serves: operationNames.filter((name) => !OTHERS.has(name)),
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
