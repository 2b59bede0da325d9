/** Models in Google's shape: https://ai.google.dev/api/models (2026-11-28). */

/** What is shown of a model in every shape. */
interface GoogleModelCard {
  readonly id: string
  readonly gateway: {
    readonly context_window: number | null
    readonly max_output_tokens: number | null
    readonly operations: ReadonlyArray<string>
  }
}

export const googleModel = ({ gateway, id }: GoogleModelCard) => ({
  name: `models/${id}`,
  version: "",
  displayName: id,
  ...(gateway.context_window === null ? {} : { inputTokenLimit: gateway.context_window }),
  ...(gateway.max_output_tokens === null ? {} : { outputTokenLimit: gateway.max_output_tokens }),
  supportedGenerationMethods: gateway.operations.includes("generate_content") ? ["generateContent", "countTokens"] : [],
  gateway
})

/** One page has all of them. */
export const googleList = (cards: ReadonlyArray<GoogleModelCard>) => ({ models: cards.map(googleModel) })
