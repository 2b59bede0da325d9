/**
 * Tokens of a text, as an estimate. The editor asks thousands of times while it puts a prompt together, so nobody is called for it; what is
 * billed is what the provider counts. A token is four to five letters of English, and characters of other scripts can make several
 * (https://www.goose.ai/tokenizer, read 2026-11-22); 1.5 of those for a token lies between.
 */
import type { Turn } from "./Turns.ts"

const ASCII_PER_TOKEN = 4
const OTHERS_PER_TOKEN = 1.5

/** More than most providers count for a picture of the size that the editor sends. */
const IMAGE_TOKENS = 1_600

export const tokensOf = (text: string): number => {
  let others = 0
  for (let index = 0; index < text.length; index++) if (text.charCodeAt(index) > 127) others++
  return Math.ceil((text.length - others) / ASCII_PER_TOKEN + others / OTHERS_PER_TOKEN)
}

/** Who speaks costs a few, too. */
const TURN_TOKENS = 4

export const tokensOfTurn = ({ parts }: Pick<Turn, "parts">): number =>
  parts.reduce((sum, part) => {
    switch (part.kind) {
      case "text":
        return sum + tokensOf(part.text)
      case "data":
        return sum + (part.mimeType.startsWith("image/") ? IMAGE_TOKENS : tokensOf(new TextDecoder().decode(part.data)))
      case "call":
        return sum + tokensOf(part.name) + tokensOf(JSON.stringify(part.input))
      case "result":
        return sum + tokensOfTurn(part)
    }
  }, TURN_TOKENS)
