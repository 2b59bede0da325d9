/**
 * What the options of a question look like, for what is learnt from outcomes: whether one has to reckon to choose among them. The
 * features leave out what is in options, because by itself it makes no question harder; which kind of question the weak model fails
 * at is for an operator's own rows to tell.
 */

/** How many numbers `shapeOf` gives. */
export const SHAPES = 4

interface ShapeCounts {
  options: number
  withDigit: number
  capitalized: number
  lengths: number
  squares: number
}

/**
 * Of options on lines of their own after a question, the first not indented (`A. …`, `B) …`, `(C) …`, ten at most), in the parts of
 * `text` that begin and end at `bounds`, two numbers a part: how many there are, the share with a digit, the share that begins with a
 * capital letter, and how much their lengths differ, as deviation over mean. All 0 where there are fewer than two.
 */
export const shapeOf = (text: string, bounds: ReadonlyArray<number>): Float64Array => {
  const found: ShapeCounts = { options: 0, withDigit: 0, capitalized: 0, lengths: 0, squares: 0 }
  for (let part = 0; part < bounds.length; part += 2) {
    const [from, to] = [bounds[part]!, bounds[part + 1]!]
    // Most prompts have none, and this is the quickest way to find out.
    if (found.options > 0 || FIRST.test(text.slice(from, to))) readPart(found, text, from, to)
  }
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
/** What follows so many characters of an option is something else, and not read. */
const LONGEST = 400

const FIRST = /\n\(?A[.):]\s/

const readPart = (found: ShapeCounts, text: string, from: number, to: number): void => {
  let isOpen = false
  let isLineStart = from === 0 || text.charCodeAt(from - 1) === 10
  let length = 0
  let hasDigit = false
  for (let at = from; at < to; at++) {
    const code = text.charCodeAt(at)
    if (code <= 32) {
      if (code === 10) isLineStart = true
      continue
    }
    if (isLineStart && code !== 40) {
      isLineStart = false
      if (code === 65 + found.options && found.options < MOST && isMark(text, at, to)) {
        if (isOpen) endOption(found, length, hasDigit)
        isOpen = true
        length = 0
        hasDigit = false
        found.options++
        at++
        continue
      }
    }
    if (length === 0 && isOpen && code >= 65 && code <= 90) found.capitalized++
    if (++length > LONGEST && isOpen) break
    if (code >= 48 && code <= 57) hasDigit = true
  }
  if (isOpen) endOption(found, length, hasDigit)
}

const endOption = (found: ShapeCounts, length: number, hasDigit: boolean): void => {
  found.lengths += length
  found.squares += length * length
  if (hasDigit) found.withDigit++
}

/** Whether a full stop, bracket or colon, then white space, come after the letter at `at`. */
const isMark = (text: string, at: number, to: number): boolean => {
  const mark = text.charCodeAt(at + 1)
  return (mark === 46 || mark === 41 || mark === 58) && at + 2 < to && text.charCodeAt(at + 2) <= 32
}
