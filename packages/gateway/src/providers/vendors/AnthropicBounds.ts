/**
 * What Anthropic bills for images and PDFs. https://platform.claude.com/docs/en/build-with-claude/vision (2026-11-22, as copied on
 * GitHub): a token for each block of 28 by 28 pixels, by older pages width × height / 750; larger images are scaled down first.
 */
import type { BoundRules } from "../../core/domain/BoundRules.ts"

/** The most tokens of an image; the older page says about 1,600. */
const STANDARD = 1_600
/** Claude 4.7 and later. */
const HIGH_RESOLUTION = 4_784

const SEES_MORE = /claude-(?:opus|sonnet|haiku)-4-[7-9]|claude-(?:opus|sonnet|haiku|fable|mythos)-[5-9]/
/** What this list does not know may see as much as the newest. */
const SEES_LESS = /claude-(?:3|(?:opus|sonnet|haiku)-4(?:-[0-6])?(?:[-@]|$))/

export const anthropicBounds = (model: string): BoundRules => {
  const spelling = model.toLowerCase().replaceAll(".", "-")
  const most = SEES_LESS.test(spelling) && !SEES_MORE.test(spelling) ? STANDARD : HIGH_RESOLUTION
  return {
    image: (size) => {
      if (size === undefined) return most
      const blocks = Math.ceil(size.width / 28) * Math.ceil(size.height / 28)
      return Math.min(most, Math.max(blocks, Math.ceil((size.width * size.height) / 750)))
    },
    // Each page is its text and a picture: https://platform.claude.com/docs/en/build-with-claude/pdf-support (2026-11-22).
    pageImage: most,
    // `max_tokens` holds for thinking too: https://platform.claude.com/docs/en/build-with-claude/extended-thinking (2026-11-22).
    reasoning: "inside"
  }
}
