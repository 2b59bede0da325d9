/** What OpenAI bills for images, audio and files, by the formulas that the model catalogue names. */
import { type ModelFacts, noFacts } from "../../core/domain/models/ModelFacts.ts"
import type { BoundRules } from "../../core/domain/pricing/BoundRules.ts"
import { formulaBounds } from "./Formulas.ts"
import { drawingRules } from "./OpenAiImageRules.ts"

/**
 * Of cl100k, in completions and embeddings. Of 3,921 prompts in prose, code and mathematics none had more than 1.13 times as many tokens
 * as are held for a factor of 1.
 */
const CL100K_PER_O200K = 1.5

export const openAiBounds = (_model: string, facts: ModelFacts = noFacts): BoundRules => {
  const { audio, operations, protocol, tokenizer } = facts
  const { image } = formulaBounds(facts)
  const page = image?.(undefined, "high")
  const drawing = drawingRules(facts)
  const mostSeconds = audio?.["mostSeconds"]
  return {
    ...(image === undefined ? {} : { image }),
    ...(drawing === undefined ? {} : { drawing }),
    // A page is its text and a picture of it: https://platform.openai.com/docs/guides/pdf-files (2026-11-22).
    ...(page === undefined ? {} : { pageImage: page }),
    // Billed at the price of gpt-4o's images, and so as many more tokens: the guide says that they don't fill the window.
    ...(protocol?.["imagesExceedWindow"] === true ? { imagesExceedWindow: true } : {}),
    // A token for 100 ms of a user's audio: https://platform.openai.com/docs/guides/realtime-costs (2026-11-22).
    audioTokensPerSecond: 10,
    // "longer than 1500 seconds which is the maximum for this model": https://community.openai.com/t/1306684 (2026-11-22).
    ...(typeof mostSeconds === "number" ? { mostAudioSeconds: mostSeconds } : {}),
    // `max_completion_tokens` holds for reasoning too: https://platform.openai.com/docs/guides/reasoning (2026-11-22).
    reasoning: "inside",
    // https://platform.openai.com/docs/guides/audio (2026-11-22).
    speaksWhenAsked: true,
    // https://github.com/openai/tiktoken/blob/main/tiktoken/model.py (2026-11-22), and the catalogue's sources.
    ...(tokenizer === "o200k" ? { tokenizer } : {}),
    ...(tokenizer === "cl100k" && operations?.includes("chat") !== true ? { tokensPerO200k: CL100K_PER_O200K } : {})
  }
}
