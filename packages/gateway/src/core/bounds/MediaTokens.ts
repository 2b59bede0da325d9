/** Tokens of non-text parts for rows marked as estimates: the vendor's rules without the margin of its bound. */
import { partTokens } from "./Bounds.ts"
import type { CallRequest } from "../operations/CallRequest.ts"
import type { MediaPart } from "../media/Contents.ts"
import type { Deployment } from "../domain/Deployment.ts"
import type { Measured, Measures } from "../media/Measure.ts"

export interface MediaTokens {
  readonly input: number
  readonly audio: number
}

/** The most that Llama makes of an image (https://docs.together.ai/docs/vision-overview, 2026-11-22). */
const UNKNOWN_IMAGE = 6_404
/** Any other part of unknown size: as much as a file of some 30 pages. */
const UNKNOWN_PART = 50_000
/** A4 and Letter at 150 dots an inch. */
const PAGE = { width: 1_240, height: 1_754 }
const BYTES_PER_TOKEN = 3.5

/** `held`: parts of unknown size count as their reservation, which is the context window. */
export const mediaTokens = (
  { media }: CallRequest,
  deployment: Deployment,
  measures: Measures,
  held: boolean
): MediaTokens => {
  const { contextWindow } = deployment
  let input = 0
  let audio = 0
  for (const part of media) {
    const tokens = estimateOf(part, measures.get(part.path) ?? NOTHING, deployment)
    const kind = measures.get(part.path)?.kind ?? part.kind
    const unknown = kind === "image" ? UNKNOWN_IMAGE : held ? (contextWindow ?? UNKNOWN_PART) : UNKNOWN_PART
    const counted = tokens ?? Math.min(unknown, contextWindow ?? unknown)
    if (kind === "audio") audio += counted
    else input += counted
  }
  return { input, audio }
}

const NOTHING: Measured = {}

const estimateOf = (part: MediaPart, seen: Measured, deployment: Deployment): number | undefined => {
  const { audioTokensPerSecond, image, pageImage, pageTokens } = deployment.bounds ?? {}
  const { pdf, seconds } = seen
  if (part.kind === "audio" && seconds !== undefined && audioTokensPerSecond !== undefined) {
    return Math.ceil(seconds * audioTokensPerSecond)
  }
  if (part.kind === "file" && pdf !== undefined && pageTokens === undefined) {
    const picture = image?.(PAGE, "high") ?? pageImage
    if (picture !== undefined) return pdf.pages * picture + Math.ceil(pdf.textBytes / BYTES_PER_TOKEN)
  }
  return partTokens(part, seen, deployment)
}
