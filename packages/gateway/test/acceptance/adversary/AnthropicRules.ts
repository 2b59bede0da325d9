/**
 * What Anthropic's models bill, from the vendor's pages as stored copies have them (read 2026-11-22):
 *
 * - images: https://platform.claude.com/docs/en/build-with-claude/vision: ⌈width / 28⌉ × ⌈height / 28⌉ tokens, scaled down to 1,568
 *   pixels and 1,568 tokens, since Claude 4.7 to 2,576 pixels and 4,784 tokens. Before 2026 the page said width × height / 750, and
 *   1,600 tokens at most. The dearer of the two is billed here.
 * - PDFs: https://docs.anthropic.com/en/docs/build-with-claude/pdf-support: the text of each page, and its image.
 * - tools: https://docs.anthropic.com/en/docs/about-claude/pricing: a system prompt of 346 tokens at most where there are tools.
 * - web search: the same page: 10 USD per 1,000 searches; what was found is input, again in each round that follows.
 * - text: the tokenizer is not published. Recorded exchanges bill 1.09 to 1.47 times the tokens of o200k.
 */
import type { Rules } from "./Rules.ts"
import { tokensByFactor } from "./Tokens.ts"

interface Sight {
  readonly edge: number
  readonly tokens: number
  /** Of the rule before. */
  readonly tokensBefore: number
}

const standard: Sight = { edge: 1568, tokens: 1568, tokensBefore: 1600 }
const sharp: Sight = { edge: 2576, tokens: 4784, tokensBefore: 4784 }

export const pixelTokens = ({ edge, tokens, tokensBefore }: Sight, width: number, height: number): number => {
  const scale = Math.min(1, edge / Math.max(width, height))
  const w = width * scale
  const h = height * scale
  const patches = Math.min(tokens, Math.ceil(w / 28) * Math.ceil(h / 28))
  return Math.max(patches, Math.min(tokensBefore, Math.ceil((w * h) / 750)))
}

const rules = (sight: Sight, factor: number): Rules => {
  const text = (given: string) => tokensByFactor(given, factor)
  const image: Rules["image"] = (width, height) => pixelTokens(sight, width, height)
  return {
    text,
    message: 3,
    name: 0,
    request: 4,
    tools: 346,
    image,
    page: (page) => image((page.width / 72) * 150, (page.height / 72) * 150, "high") + text(page.text),
    audio: undefined,
    video: undefined
  }
}

export const claude4 = rules(standard, 1.2)
export const claude47 = rules(sharp, 1.4)
