/**
 * What the options of a question look like, for what is learnt from outcomes: whether one has to reckon to choose among them. The
 * features leave out what is in options, because by itself it makes no question harder; which kind of question the weak model fails
 * at is for an operator's own rows to tell.
 */

/** How many numbers `shapeOf` gives. */
export const SHAPES = 4

interface Found {
  options: number
  withDigit: number
  capitalized: number
  lengths: number
  squares: number
}

/**
 * Of options on lines of their own (`A. …`, `B) …`, `(C) …`, ten at most) in the parts of `text` that begin and end at `bounds`, two
 * numbers a part: how many there are, the share with a digit, the share that begins with a capital letter, and how much their
 * lengths differ, as deviation over mean. All 0 where there are fewer than two.
 */
export const shapeOf = (text: string, bounds: ReadonlyArray<number>): Float64Array => {
  const found: Found = { options: 0, withDigit: 0, capitalized: 0, lengths: 0, squares: 0 }
  for (let part = 0; part < bounds.length; part += 2) readPart(found, text, bounds[part]!, bounds[part + 1]!)
  const { capitalized, lengths, options, squares, withDigit } = found
  const shape = new Float64Array(SHAPES)
  if (options < 2) return shape
  const mean = lengths / options
  shape[0] = options
  shape[1] = withDigit / options
  shape[2] = capitalized / options
  shape[3] = Math.sqrt(Math.max(0, squares / options - mean * mean)) / (mean + 1)
  return shape
}

const MOST = 10

const readPart = (found: Found, text: string, from: number, to: number): void => {
  let isOpen = false
  let isLineStart = true
  let length = 0
  let hasDigit = false
  const close = (): void => {
    found.lengths += length
    found.squares += length * length
    if (hasDigit) found.withDigit++
    length = 0
    hasDigit = false
  }
  for (let at = from; at < to; at++) {
    const code = text.charCodeAt(at)
    if (code <= 32) {
      if (code === 10) isLineStart = true
      continue
    }
    if (isLineStart) {
      if (code === 40) continue
      isLineStart = false
      if (found.options < MOST && code === 65 + found.options && isMark(text, at, to)) {
        if (isOpen) close()
        isOpen = true
        found.options++
        at++
        continue
      }
    }
    if (!isOpen) continue
    if (length === 0 && code >= 65 && code <= 90) found.capitalized++
    if (code >= 48 && code <= 57) hasDigit = true
    length++
  }
  if (isOpen) close()
}

/** Whether a full stop, bracket or colon, then white space, come after the letter at `at`. */
const isMark = (text: string, at: number, to: number): boolean => {
  const mark = text.charCodeAt(at + 1)
  return (mark === 46 || mark === 41 || mark === 58) && at + 2 < to && text.charCodeAt(at + 2) <= 32
}
