/** Alibaba Cloud Model Studio (DashScope): Qwen. */
import { compatible, readOn } from "../Compatible.ts"

export const Qwen = compatible({
  name: "qwen",
  title: "Qwen (Alibaba Model Studio)",
  baseUrl: "https://dashscope-intl.aliyuncs.com/compatible-mode/v1",
  apiKeyVariable: "DASHSCOPE_API_KEY",
  standing: "documented",
  sources: readOn(
    "2026-11-22",
    "https://www.alibabacloud.com/help/es/model-studio/compatibility-of-openai-with-dashscope",
    "https://www.alibabacloud.com/help/id/model-studio/compatibility-of-openai-with-dashscope",
    "https://www.alibabacloud.com/help/en/model-studio/deep-thinking",
    "https://openrouter.ai/docs/api-reference/streaming"
  ),
  notes: [
    "Workspaces have addresses of their own: `base_url: https://WORKSPACE.REGION.maas.aliyuncs.com/compatible-mode/v1`.",
    "Thinking is switched with `enable_thinking`, which is passed on."
  ],
  serves: ["chat", "embeddings"],
  // The last source, "Stream cancellation".
  billsAfterDisconnect: "all"
})
