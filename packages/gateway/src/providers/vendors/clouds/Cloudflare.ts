/** Cloudflare Workers AI. */
import { compatible, readOn } from "../CompatibleVendors.ts"

export const Cloudflare = compatible({
  name: "cloudflare",
  title: "Cloudflare Workers AI",
  baseUrl: "https://api.cloudflare.com/client/v4/accounts/{account_id}/ai/v1",
  apiKeyVariable: "CLOUDFLARE_API_KEY",
  settings: [{ name: "account_id", what: "the id of the account", variable: "CLOUDFLARE_ACCOUNT_ID" }],
  standing: "documented",
  sources: readOn(
    "2026-11-22",
    "https://developers.cloudflare.com/workers-ai/configuration/open-ai-compatibility",
    "https://openrouter.ai/docs/api-reference/streaming"
  ),
  notes: ["Models are called `@cf/…`."],
  serves: ["chat", "embeddings"],
  // The second source, "Stream cancellation".
  billsAfterDisconnect: "plain",
  // What it can be asked for, another API of Cloudflare's lists.
  modelList: null
})
