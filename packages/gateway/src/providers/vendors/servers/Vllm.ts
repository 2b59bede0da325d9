/** vLLM, on a server of one's own. */
import { compatible, readOn } from "../CompatibleVendors.ts"

export const Vllm = compatible({
  name: "vllm",
  isSelfHosted: true,
  title: "vLLM",
  baseUrl: "http://127.0.0.1:8000/v1",
  standing: "documented",
  sources: readOn(
    "2026-11-22",
    "https://www.developersdigest.tech/reference/api-compatibility/vllm",
    "https://github.com/vllm-project/vllm/pull/32442"
  ),
  notes: [
    "A call stops when its connection is closed.",
    "`abort` as a finish reason is a failure.",
    "Sampling parameters of its own (`top_k`, `min_p`, `chat_template_kwargs` …) are passed on."
  ],
  serves: ["chat", "completions", "embeddings", "transcriptions", "translations"]
})
