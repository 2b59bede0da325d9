/** Models in Anthropic's shape, where what a vendor alone knows of a model is null, and in Google's. */

/** What is shown of a model in every shape. */
interface VendorsModelCard {
  readonly id: string
  readonly gateway: {
    readonly context_window: number | null
    readonly max_output_tokens: number | null
    readonly operations: ReadonlyArray<string>
  }
}

const UNKNOWN_DATE = "1970-01-01T00:00:00Z"

export const anthropicModel = ({ gateway, id }: VendorsModelCard) => ({
  type: "model",
  id,
  display_name: id,
  created_at: UNKNOWN_DATE,
  deprecated_at: null,
  retires_at: null,
  lifecycle: "active",
  line: null,
  capabilities: null,
  max_input_tokens: gateway.context_window,
  max_tokens: gateway.max_output_tokens,
  gateway
})

/** One page has all of them. */
export const anthropicList = (cards: ReadonlyArray<VendorsModelCard>) => ({
  data: cards.map(anthropicModel),
  has_more: false,
  first_id: cards[0]?.id ?? null,
  last_id: cards.at(-1)?.id ?? null
})

/** https://ai.google.dev/api/models (2026-11-28). */
export const googleModel = ({ gateway, id }: VendorsModelCard) => ({
  name: `models/${id}`,
  displayName: id,
  inputTokenLimit: gateway.context_window ?? undefined,
  outputTokenLimit: gateway.max_output_tokens ?? undefined,
  supportedGenerationMethods: gateway.operations.includes("generate_content") ? ["generateContent", "countTokens"] : [],
  gateway
})
