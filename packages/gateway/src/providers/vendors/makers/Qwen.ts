/** Alibaba Cloud Model Studio (DashScope): Qwen. */
import { compatible, messagesAt, readOn } from "../CompatibleVendors.ts"

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
    "https://openrouter.ai/docs/api-reference/streaming",
    "https://help.aliyun.com/en/model-studio/compatibility-with-openai-responses-api",
    "https://www.alibabacloud.com/help/en/model-studio/anthropic-api-messages"
  ),
  notes: [
    "Workspaces have addresses of their own: `base_url: https://WORKSPACE.REGION.maas.aliyuncs.com/compatible-mode/v1`.",
    "`/v1/responses` and `/v1/messages` go to its own Responses and Messages APIs; the latter is at `/apps/anthropic`, and JSON schemas, images, documents and forced tools go to chat.",
    "Thinking is switched with `enable_thinking`, which is passed on."
  ],
  serves: ["chat", "responses", "messages", "embeddings"],
  beside: [messagesAt("/apps/anthropic/v1", /\/compatible-mode\/v1$/, ["aliyuncs.com"])],
  // The last source, "Stream cancellation".
  billsAfterDisconnect: "all"
})
