/**
 * Thoughts of earlier answers. What Anthropic's models signed goes back unchanged in front of the tool calls that it led to; other models
 * take none back.
 */
import type { JsonObject } from "../../../../core/domain/Json.ts"
import { replayedThinking } from "../../anthropic/request/AnthropicChatReplay.ts"
import { foreignField } from "../../anthropic/messages/AnthropicMessagesForeignThoughts.ts"
import type { ConverseTraits } from "../BedrockModels.ts"

export const replayedReasoning = (message: JsonObject, { claude }: ConverseTraits): Array<JsonObject> => {
  if (claude === undefined || claude.thinking === "none") return []
  return replayedThinking(message)
    .filter(({ signature }) => foreignField(signature) === undefined)
    .map(({ data, signature, thinking }) =>
      data === undefined
        ? { reasoningContent: { reasoningText: { text: thinking, signature } } }
        : // Anthropic's own text is bytes here.
          { reasoningContent: { redactedContent: Buffer.from(String(data)).toString("base64") } }
    )
}
