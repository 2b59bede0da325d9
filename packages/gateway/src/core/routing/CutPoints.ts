/** The cut points between the buckets of `auto`, moved by the caller's preference. */
import type { RouterSettings } from "../domain/Settings.ts"

const preferences = ["cost", "quality"] as const
export type Preference = (typeof preferences)[number]

/** Moved cut points stay this far from 0, from 1 and from each other, so that every bucket can be reached. */
const MARGIN = 0.01

export interface CutPoints {
  readonly none: ReadonlyArray<number>
  /** Higher cut points: fewer requests reach the stronger buckets. */
  readonly cost: ReadonlyArray<number>
  /** Lower cut points. */
  readonly quality: ReadonlyArray<number>
}

/** The cut points for each preference, ascending. They move by `preferShift`, or less where that would leave the scale. */
export const cutPointsOf = ({ cutPoints, preferShift }: RouterSettings): CutPoints => {
  const count = cutPoints.length
  return {
    none: cutPoints,
    cost: cutPoints.map((point, index) =>
      rounded(Math.max(point, Math.min(point + preferShift, 1 - MARGIN * (count - index))))
    ),
    quality: cutPoints.map((point, index) =>
      rounded(Math.min(point, Math.max(point - preferShift, MARGIN * (index + 1))))
    )
  }
}

const rounded = (point: number): number => Number(point.toFixed(6))

/** The index of a score's bucket, 0 the lowest. A score equal to a cut point belongs to the bucket above. */
export const bucketIndexOf = (score: number, cutPoints: ReadonlyArray<number>): number => {
  let index = 0
  while (index < cutPoints.length && score >= cutPoints[index]!) index++
  return index
}
