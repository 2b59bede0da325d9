/** LM Studio, on a machine of one's own. */
import { compatible, readOn } from "../CompatibleVendors.ts"

export const LmStudio = compatible({
  name: "lmstudio",
  isSelfHosted: true,
  title: "LM Studio",
  baseUrl: "http://127.0.0.1:1234/v1",
  standing: "documented",
  sources: readOn("2026-11-22", "https://lmstudio.ai/docs/api/openai-api"),
  notes: ["It requires a key only where `Require Authentication` is on."],
  serves: ["chat", "completions", "embeddings"]
})
