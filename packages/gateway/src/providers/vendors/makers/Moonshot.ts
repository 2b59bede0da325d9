/** Moonshot AI: Kimi. */
import { compatible, compatibleQuirks, readOn } from "../Compatible.ts"
import { everyonesFamilies } from "../Families.ts"

export const Moonshot = compatible({
  name: "moonshot",
  title: "Moonshot AI",
  baseUrl: "https://api.moonshot.ai/v1",
  apiKeyVariable: "MOONSHOT_API_KEY",
  standing: "documented",
  sources: readOn(
    "2026-11-22",
    "https://java.agentscope.io/v2/en/integration/model/kimi",
    "https://www.developersdigest.tech/reference/api-compatibility/moonshot",
    "https://www.promptfoo.dev/docs/providers/moonshot/"
  ),
  notes: [
    "Kimi models have fixed sampling and one choice per call: `temperature`, `top_p`, the penalties and `tools[].function.strict` are removed.",
    "In China: `base_url: https://api.moonshot.cn/v1`."
  ],
  serves: ["chat"],
  // Nobody says that it stops when its connection is closed.
  billsAfterDisconnect: "all",
  quirks: (model) => ({
    ...compatibleQuirks(model),
    outputLimit: "max_completion_tokens",
    refuses: ["tools[].function.strict"]
  }),
  families: everyonesFamilies
})
