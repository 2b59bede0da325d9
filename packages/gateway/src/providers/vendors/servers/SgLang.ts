/** SGLang, on a server of one's own. */
import { compatible, readOn } from "../CompatibleVendors.ts"

export const SgLang = compatible({
  name: "sglang",
  isSelfHosted: true,
  title: "SGLang",
  baseUrl: "http://127.0.0.1:30000/v1",
  standing: "documented",
  sources: readOn(
    "2026-11-22",
    "https://docs.sglang.io/docs/basic_usage/openai_api",
    "https://docs.sglang.io/docs/basic_usage/openai_api_embeddings",
    "https://mintlify.com/sgl-project/sglang/backend/openai-compatible-api"
  ),
  notes: ["`--api-key` makes it want a key."],
  serves: ["chat", "completions", "embeddings"]
})
