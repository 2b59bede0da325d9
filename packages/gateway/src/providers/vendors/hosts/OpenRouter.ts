/** OpenRouter: the models of many vendors, over their servers. */
import { fixedSheet } from "../../prices/PriceList.ts"
import { compatible, compatibleQuirks, readOn } from "../Compatible.ts"

/**
 * The list has $2 and $10 for this model. OpenRouter billed the maker's first price (usage and `cost_details` of 2026-07-17:
 * https://github.com/pydantic/pydantic-ai, `test_openrouter_responses_prompt_cache_e2e.yaml`), which the maker lowered to $4 and $20 until
 * 2026-11-21 at least (https://docs.laozhang.ai/en/announcements/gpt-5-6-sol-price-cut-2026-09.md). What no bill shows to be lower is
 * booked as billed. Long prompts: twice the input and 1.5 times the output, as the list has it. All read 2026-11-22.
 */
const SOL = fixedSheet("openrouter's bills", "2026-07-17", {
  input: 5,
  cachedInput: 0.5,
  cacheWrite: 6.25,
  output: 30,
  reasoning: undefined,
  tiers: [{ above: 272_000, rates: { input: 10, cachedInput: 1, cacheWrite: 12.5, output: 45 } }]
})

export const OpenRouter = compatible({
  name: "openrouter",
  title: "OpenRouter",
  baseUrl: "https://openrouter.ai/api/v1",
  apiKeyVariable: "OPENROUTER_API_KEY",
  starterModels: ["openai/gpt-5-nano", "openai/gpt-5-mini", "anthropic/claude-sonnet-4.6"],
  priceListId: "openrouter",
  prices: (model) => (/^openai\/gpt-5\.6-sol(?:-\d{8})?$/.test(model) ? SOL : undefined),
  standing: "recorded",
  sources: readOn(
    "2026-11-22",
    "https://www.openrouter.ai/docs/use-cases/usage-accounting",
    "https://openrouter.ai/docs/api-reference/streaming",
    "https://openrouter.ai/docs/client-sdks/typescript/models/maxprice.md",
    "https://openrouter.ai/docs/client-sdks/typescript/models/anthropiccachecontroldirective.md",
    "https://www.developersdigest.tech/reference/api-compatibility/openrouter"
  ),
  notes: [
    "It asks servers of several prices. For callers with a budget `provider.max_price` is the price that the budget counts with; where no server costs as little, the call is refused there and goes to the next deployment.",
    "For callers with a budget PDFs are read by its free parser (`cloudflare-ai`); `plugins` may name `native` instead.",
    "`usage.cost` is what it billed, and goes on to the caller.",
    "Comments keep its streams alive; `file` annotations and tool calls without arguments are made good.",
    "Errors name an HTTP status in their `code`, also inside a stream that began with 200."
  ],
  serves: ["chat", "responses", "completions", "embeddings"],
  // Some of the servers that it asks go on when a stream is closed: the second source, "Stream cancellation".
  billsAfterDisconnect: "all",
  quirks: (model) => ({ ...compatibleQuirks(model), takesMaxPrice: true, cacheMarks: "taken" })
})
