/** What is kept of a prompt that `auto` classified, for operators who train on it: its text, its features, or nothing. */
import { Context } from "effect"
import type { KeepPrompts } from "../domain/Settings.ts"

export interface KeptPrompt {
  /** The feature set that the numbers in `body` belong to; null: `body` is the text. */
  readonly featureSet: string | null
  /** JSON: a text or a list of numbers. */
  readonly body: string
}

/** The classifier's features of a prompt. `set` changes whenever the meaning of the numbers does. */
export class PromptFeatures extends Context.Service<
  PromptFeatures,
  { readonly set: string; readonly of: (prompt: string) => ArrayLike<number> }
>()("gateway/core/PromptFeatures") {}

/** As much as the classifier reads: the beginning and end of a longer prompt, with a line break between them. */
const HEAD = 4000
const TAIL = 2000

/** Digits kept for each feature. */
const DIGITS = 6

/** Undefined: nothing is kept. A prompt without words is never kept. The result shares no memory with the prompt. */
export const keeperOf = (
  keep: KeepPrompts | undefined,
  features: PromptFeatures["Service"]
): ((prompt: string) => KeptPrompt | undefined) | undefined => {
  const kept = keptAs(keep, features)
  return kept === undefined ? undefined : (prompt) => (prompt.trim() === "" ? undefined : kept(prompt))
}

const keptAs = (
  keep: KeepPrompts | undefined,
  features: PromptFeatures["Service"]
): ((prompt: string) => KeptPrompt) | undefined => {
  switch (keep) {
    case undefined:
    case "off":
      return undefined
    case "text":
      return (prompt) => ({ featureSet: null, body: JSON.stringify(excerpt(prompt)) })
    case "features":
      return (prompt) => {
        const values = Array.from(features.of(prompt), (value) => Number(value.toPrecision(DIGITS)))
        return { featureSet: features.set, body: JSON.stringify(values) }
      }
  }
}

const excerpt = (prompt: string): string =>
  prompt.length <= HEAD + TAIL ? prompt : `${prompt.slice(0, HEAD)}\n${prompt.slice(-TAIL)}`
