/** Values as the new file has them. */
import type { Cursor } from "./Cursor.ts"

const LONGEST_SECONDS = 86_400

/** A duration of seconds, at most a day; undefined where it is none. */
export const secondsOf = (found: Cursor | undefined): string | undefined => {
  const seconds = found?.number
  if (seconds === undefined || seconds <= 0) return undefined
  const ms = Math.max(1, Math.round(Math.min(seconds, LONGEST_SECONDS) * 1000))
  return ms % 1000 === 0 ? `${ms / 1000}s` : `${ms}ms`
}
