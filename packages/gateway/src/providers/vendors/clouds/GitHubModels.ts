/** GitHub Models. */
import { compatible, readOn } from "../CompatibleVendors.ts"

export const GitHubModels = compatible({
  name: "github",
  title: "GitHub Models",
  baseUrl: "https://models.github.ai/inference",
  apiKeyVariable: "GITHUB_TOKEN",
  standing: "documented",
  sources: readOn(
    "2026-11-22",
    "https://github.blog/changelog/2025-05-15-github-models-api-now-available",
    "https://docs.github.com/en/github-models/quickstart",
    "https://docs.github.com/zh/rest/models/inference"
  ),
  notes: [
    "The key is a token with the permission `models: read`.",
    "For an organisation: `base_url: https://models.github.ai/orgs/ORG/inference`.",
    "The model catalogue does not know it: give its deployments a price."
  ],
  serves: ["chat", "embeddings"],
  billsAfterDisconnect: "all",
  // Its catalogue is at another address.
  modelList: null
})
