/** What a model can do, as `GET /v1/models` tells. */
import type { ModelProfile } from "@langchain/core/language_models/profile"
import type { Connection } from "./connection/Connection.ts"
import { GatewayConfigurationError } from "./Errors.ts"

interface Card {
  readonly id: string
  readonly context_length?: number | null
  readonly supported_parameters?: ReadonlyArray<string>
  readonly gateway?: {
    readonly context_window?: number | null
    readonly max_output_tokens?: number | null
    readonly modalities?: ReadonlyArray<string>
  }
}

/** The profile of the model that `model` names; an error lists what there is when the key may use no such model. */
export const fetchProfile = async (connection: Connection, model: string): Promise<ModelProfile> => {
  const { body } = await connection.json({ method: "GET", path: "/models" })
  const cards = Array.isArray(body["data"]) ? (body["data"] as ReadonlyArray<Card>) : []
  // A bare model name stands for every deployment of it; the list has them as `<provider>/<model>`.
  const card = cards.find(({ id }) => id === model) ?? cards.find(({ id }) => id.endsWith(`/${model}`))
  if (card === undefined) {
    const names = cards.map(({ id }) => id).join(", ")
    throw new GatewayConfigurationError(
      `The gateway has no model \`${model}\` for this key. It has: ${names || "none"}.`
    )
  }
  return profileOf(card)
}

/** What the card does not say stays out: unknown is not the same as no. */
const profileOf = ({ context_length, gateway = {}, supported_parameters: parameters }: Card): ModelProfile => {
  const window = gateway.context_window ?? context_length ?? undefined
  const { max_output_tokens, modalities } = gateway
  return {
    ...(window === undefined ? {} : { maxInputTokens: window }),
    ...(typeof max_output_tokens === "number" ? { maxOutputTokens: max_output_tokens } : {}),
    ...(modalities === undefined
      ? {}
      : { imageInputs: modalities.includes("image"), audioInputs: modalities.includes("audio") }),
    ...(parameters === undefined
      ? {}
      : {
          toolCalling: parameters.includes("tools"),
          toolChoice: parameters.includes("tool_choice"),
          structuredOutput: parameters.includes("structured_outputs"),
          reasoningOutput: parameters.includes("reasoning_effort")
        })
  }
}
