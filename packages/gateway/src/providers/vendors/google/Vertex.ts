/** Google's Vertex AI: Gemini, and Claude behind Google's addresses. */
import type { Quirks } from "../../../core/domain/Deployment.ts"
import { type ModelFacts, noFacts } from "../../../core/domain/models/ModelFacts.ts"
import type { ProviderOptions, VendorSetting } from "../../../core/domain/ProviderOptions.ts"
import type { Vendor } from "../../../core/pool/Vendor.ts"
import { googleAuth } from "../../auth/Google.ts"
import { isClaude } from "../../protocols/anthropic/AnthropicModels.ts"
import { modelTraits } from "../../protocols/gemini/GeminiModels.ts"
import { Anthropic } from "../Anthropic.ts"
import { anthropicBounds } from "../AnthropicBounds.ts"
import { notesOf } from "../CompatibleVendors.ts"
import { googleBounds } from "./GoogleBounds.ts"
import { googleOperations } from "./GoogleFamilies.ts"

/** The newest models for vectors take one text at a time there: https://github.com/vercel/ai/issues/15853 (2026-11-22). */
const quirksOf = (model: string, options?: ProviderOptions, facts: ModelFacts = noFacts): Quirks =>
  isClaude(facts)
    ? { ...Anthropic.quirks?.(model, options, facts), anthropicHost: "vertex" }
    : {
        oneChoice: !modelTraits(facts).candidates,
        embeds: facts.protocol?.["embeds"] === "one" ? "one" : "predict"
      }

/** Its name, where it is not that of the region. `@ai-sdk/google-vertex` 5.0.141. */
const HOSTS: ReadonlyArray<readonly [region: string, host: string]> = [
  ["//global-aiplatform.googleapis.com/", "//aiplatform.googleapis.com/"],
  ["//eu-aiplatform.googleapis.com/", "//aiplatform.eu.rep.googleapis.com/"],
  ["//us-aiplatform.googleapis.com/", "//aiplatform.us.rep.googleapis.com/"]
]

const settings: ReadonlyArray<VendorSetting> = [
  { name: "project", what: "the id of the Google Cloud project", variable: "GOOGLE_CLOUD_PROJECT" },
  {
    name: "location",
    what: "a location: global, eu, us, or a region such as europe-west4",
    variable: "GOOGLE_CLOUD_LOCATION"
  },
  {
    name: "credentials",
    what: "the file, or the JSON, of a service account or another Google credential",
    variable: "GOOGLE_APPLICATION_CREDENTIALS",
    isSecret: true,
    isDocument: true,
    replacesKey: true
  }
]

export const Vertex: Vendor = {
  ...notesOf("vertex"),
  aliases: ["vertex-ai", "google-vertex"],
  protocol: "gemini",
  protocolOf: (_model, facts) => (isClaude(facts) ? "anthropic-messages" : "gemini"),
  settings,
  baseUrl: "https://{location}-aiplatform.googleapis.com/v1/projects/{project}/locations/{location}",
  addressOf: ({ baseUrl, facts }) => {
    const host = HOSTS.reduce((address, [region, name]) => address.replace(region, name), baseUrl)
    return { baseUrl: `${host}/publishers/${isClaude(facts) ? "anthropic" : "google"}` }
  },
  // Its lists of models say what exists, not what a project may call.
  modelList: null,
  apiKeyVariable: undefined,
  // Closing a stream stops neither model nor billing: https://openrouter.ai/docs/api-reference/streaming ("Not Currently
  // Supported"), read 2026-11-22.
  billsAfterDisconnect: "all",
  inlineImages: (_model, facts) => isClaude(facts),
  serves: ["chat", "generate_content", "count_content_tokens", "embeddings", "images"],
  operations: (model, options, facts = noFacts) =>
    isClaude(facts) ? ["chat", "messages", "count_tokens"] : googleOperations(model, options, facts),
  quirks: quirksOf,
  bounds: (_model, facts) => (isClaude(facts) ? anthropicBounds(facts) : googleBounds(facts)),
  auth: googleAuth
}
