/**
 * What Anthropic bills for images and PDFs. https://platform.claude.com/docs/en/build-with-claude/vision (2026-11-22, as copied on
 * GitHub): a token for each block of 28 by 28 pixels, by older pages width × height / 750; larger images are scaled down first.
 */
import type { BoundRules } from "../../core/domain/pricing/BoundRules.ts"

/** The most tokens of an image; the older page says about 1,600. */
const STANDARD = 1_600
/** Claude 4.7 and later. */
const HIGH_RESOLUTION = 4_784
/** The longest side, in pixels, that is not scaled down. */
const STANDARD_EDGE = 1_568
const HIGH_RESOLUTION_EDGE = 2_576

/**
 * Tokens for each of o200k's: 0.98 to 1.47 in 143 recorded requests. Claude 4.7 and later make up to 1.35 times as many as those before
 * (https://www.anthropic.com/news/claude-opus-4-7, 2026-11-22, as copied on GitHub).
 */
const TOKENS_PER_O200K = 1.6
const LATER_TOKENS_PER_O200K = 2

const SEES_MORE = /claude-(?:opus|sonnet|haiku)-4-[7-9]|claude-(?:opus|sonnet|haiku|fable|mythos)-[5-9]/
/** A model that is not in this list may see as much as the newest. */
const SEES_LESS = /claude-(?:3|(?:opus|sonnet|haiku)-4(?:-[0-6])?(?:[-@]|$))/

export const anthropicBounds = (model: string): BoundRules => {
  const spelling = model.toLowerCase().replaceAll(".", "-")
  const isEarlier = SEES_LESS.test(spelling) && !SEES_MORE.test(spelling)
  const most = isEarlier ? STANDARD : HIGH_RESOLUTION
  const edge = isEarlier ? STANDARD_EDGE : HIGH_RESOLUTION_EDGE
  return {
    image: (size) => {
      if (size === undefined) return most
      const scale = Math.min(1, edge / Math.max(size.width, size.height))
      const [width, height] = [Math.ceil(size.width * scale), Math.ceil(size.height * scale)]
      const blocks = Math.ceil(width / 28) * Math.ceil(height / 28)
      return Math.min(most, Math.max(blocks, Math.ceil((width * height) / 750)))
    },
    // Each page is its text and a picture: https://platform.claude.com/docs/en/build-with-claude/pdf-support (2026-11-22).
    pageImage: most,
    // `max_tokens` holds for thinking too: https://platform.claude.com/docs/en/build-with-claude/extended-thinking (2026-11-22).
    reasoning: "inside",
    ...(isEarlier ? {} : { estimatedMore: 1.2 }),
    tokensPerO200k: isEarlier ? TOKENS_PER_O200K : LATER_TOKENS_PER_O200K
  }
}
