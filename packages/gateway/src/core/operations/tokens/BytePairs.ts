/** Counts o200k tokens: in each word the neighbours with the lowest rank are joined until none form a token. */
import { NO_TOKEN, type Vocabulary } from "./Vocabulary.ts"

const CONTRACTION = String.raw`(?:'(?:[sS]|[dD]|[mM]|[tT]|[lL][lL]|[vV][eE]|[rR][eE]))?`
/** How o200k cuts texts: `encodingParams/constants.js` of gpt-tokenizer 4.0.0 (2026-11-23). */
const WORDS = new RegExp(
  [
    String.raw`[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+${CONTRACTION}`,
    String.raw`[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*${CONTRACTION}`,
    String.raw`\p{N}{1,3}`,
    String.raw` ?[^\s\p{L}\p{N}]+[\r\n/]*`,
    String.raw`\s*[\r\n]+`,
    String.raw`\s+(?!\S)`,
    String.raw`\s+`
  ].join("|"),
  "gu"
)

/** UTF-16 units that a text may have: a place in it must fit into `PLACE_BITS`. */
export const LONGEST = 256
const MOST_BYTES = 3 * LONGEST
/** Of a number with a token's rank in front of the place where it begins: the least is the next to become one. */
const PLACE_BITS = 10
const PLACE = (1 << PLACE_BITS) - 1

const encoder = new TextEncoder()
// One word at a time: these are used by whoever counts, and counting does not wait.
const bytes = new Uint8Array(MOST_BYTES)
/** Of the part that begins at a byte: where it ends, where the one before it begins, and the rank of it and the one after it as one token. */
const ends = new Uint16Array(MOST_BYTES)
const previous = new Uint16Array(MOST_BYTES)
const ranks = new Int32Array(MOST_BYTES)
/** A binary heap. Each of at most `MOST_BYTES` merges adds two pairs to those of the beginning. */
const heap = new Int32Array(3 * MOST_BYTES)

/** The tokens of a text of at most `LONGEST` UTF-16 units. Half of a surrogate pair counts as U+FFFD. */
export const tokensIn = (text: string, vocabulary: Vocabulary): number => {
  let tokens = 0
  for (const [word] of text.matchAll(WORDS)) {
    const { written } = encoder.encodeInto(word, bytes)
    tokens += written === 1 || vocabulary.rankOf(bytes, 0, written) !== NO_TOKEN ? 1 : partsIn(written, vocabulary)
  }
  return tokens
}

/** Parts that are left of the first `length` bytes. Every single byte is a token. */
const partsIn = (length: number, vocabulary: Vocabulary): number => {
  let parts = length
  let waiting = 0
  /** The part at a place and the one after it may become one. */
  const consider = (place: number): void => {
    const end = ends[place]!
    ranks[place] = end === length ? NO_TOKEN : vocabulary.rankOf(bytes, place, ends[end]!)
    if (ranks[place] !== NO_TOKEN) waiting = push((ranks[place]! << PLACE_BITS) | place, waiting)
  }
  for (let place = 0; place < length; place++) {
    ends[place] = place + 1
    previous[place] = place - 1
  }
  for (let place = 0; place < length; place++) consider(place)
  while (waiting > 0) {
    const least = heap[0]!
    waiting = pop(waiting)
    const place = least & PLACE
    // Not if one of the two has become part of another since.
    if (ranks[place] !== least >> PLACE_BITS) continue
    const second = ends[place]!
    ends[place] = ends[second]!
    ranks[second] = NO_TOKEN
    if (ends[place] !== length) previous[ends[place]!] = place
    parts--
    consider(place)
    if (place > 0) consider(previous[place]!)
  }
  return parts
}

/** Returns how many there are then. */
const push = (value: number, count: number): number => {
  let at = count
  while (at > 0) {
    const above = (at - 1) >> 1
    if (heap[above]! <= value) break
    heap[at] = heap[above]!
    at = above
  }
  heap[at] = value
  return count + 1
}

/** Takes the least away. */
const pop = (count: number): number => {
  const left = count - 1
  const value = heap[left]!
  let at = 0
  for (let below = 1; below < left; below = 2 * at + 1) {
    if (below + 1 < left && heap[below + 1]! < heap[below]!) below++
    if (heap[below]! >= value) break
    heap[at] = heap[below]!
    at = below
  }
  heap[at] = value
  return left
}
