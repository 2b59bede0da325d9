/** Why an answer ended. */
import { finishReason as knownReason, type OpenAiFinish as AnyReason } from "../../openai/answer/OpenAiChatFinish.ts"

type CohereFinish = Exclude<AnyReason, "function_call">

/** Undefined where it says that the provider failed: `ERROR`, `TIMEOUT`. */
export const finishReason = (reason: unknown, calls: number): CohereFinish | undefined => {
  if (reason === "TIMEOUT") return undefined
  const known = knownReason(typeof reason === "string" ? reason : "", calls > 0)
  return known === "function_call" ? "tool_calls" : known
}
