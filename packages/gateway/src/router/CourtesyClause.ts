/**
 * Clauses that are nothing but courtesy. They are known by their words, not word for word: nobody can list all the ways of saying
 * hello, but what they are made of is a short list, and hardly a question is made of nothing else.
 */
import { isAccented, isEmoji } from "./Characters.ts"
import {
  COURTEOUS,
  denseFillers,
  FILLER,
  openings,
  PERSONAL,
  roles,
  SALUTES,
  SIGNS,
  TITLE,
  WISHED,
  WISHES,
  wholes
} from "./CourtesyWords.ts"

/** A piece from the start or the end of a text, as it is and in lower case, of the same length. */
export interface Edge {
  readonly text: string
  readonly lower: string
  /** Whether the text goes no further. */
  readonly endsText: boolean
}

const phrases = [...openings, ...wholes]
/** By their first letter, longest first. */
const byStart = (of: ReadonlyArray<string>): ReadonlyMap<number, ReadonlyArray<string>> =>
  Map.groupBy(
    of.toSorted((a, b) => b.length - a.length),
    (phrase) => phrase.charCodeAt(0)
  )
const openingsBy = byStart(openings)
const phrasesBy = byStart(phrases)
const nameFollows = new Set(
  phrases.filter((phrase) => [SALUTES, SIGNS, WISHES].includes(roles.get(phrase.split(" ")[0]!) ?? FILLER))
)

/** The phrase of `openings` at `at`, if there is one. */
export const openingAt = (lower: string, at: number): string | undefined => phraseAt(openingsBy, lower, at)

const phraseAt = (by: typeof phrasesBy, lower: string, at: number): string | undefined =>
  by.get(lower.charCodeAt(at))?.find((phrase) => lower.startsWith(phrase, at) && endsWord(lower, at + phrase.length))

const NAME = "\\p{Lu}[\\p{L}'’-]*\\.?(?: \\p{Lu}[\\p{L}'’-]*\\.?){0,2}"
/** Whom a greeting is for: up to three words with capitals, and the end of the clause. */
const addressee = new RegExp(`${NAME}(?=\\s*(?:[,!:\\n–—]|$))`, "uy")
/** Who signs, with nothing after it. */
const signature = new RegExp(`${NAME}[\\s!.)]*$`, "uy")

/** A clause that is a wish by how it begins is no longer than this: “Evening all”, “See you soon”. */
const LONGEST_WISH = 3

/**
 * Where the clause that begins at `from` ends, with the marks and the signature after it; -1 when it is something else than a
 * courtesy. `isLater`: another courtesy came right before.
 */
export const courtesyEnd = (edge: Edge, from: number, isLater: boolean): number => {
  const { lower } = edge
  let at = from
  let words = 0
  let isCourteous = false
  let isWish = false
  let mayBeWish = false
  let mayName = false
  let isSigned = false
  while (true) {
    while (at < lower.length && isJoint(lower, at)) at++
    if (at >= lower.length) {
      if (!edge.endsText) return -1
      break
    }
    const code = lower.charCodeAt(at)
    if (isBetween(code) || isDecoration(code)) break
    const phrase = phraseAt(phrasesBy, lower, at)
    if (phrase !== undefined) {
      at += phrase.length
      words += 2
      isCourteous = true
      mayName = nameFollows.has(phrase)
      if (roles.get(phrase) === SIGNS) isSigned = true
      continue
    }
    if (code >= DENSE) {
      const filler = denseFillers.find((one) => lower.startsWith(one, at))
      if (filler === undefined) return -1
      at += filler.length
      words++
      continue
    }
    const end = wordEnd(lower, at)
    const role = end === at ? undefined : roleOf(lower.slice(at, end))
    if (role === undefined) {
      const named = mayName ? matchEnd(addressee, edge.text, at) : -1
      if (named === -1) return -1
      at = named
      mayName = false
      continue
    }
    mayName = role === SALUTES || (role === TITLE && mayName)
    if (role === COURTEOUS || role === SALUTES || role === SIGNS) isCourteous = true
    else if (role === WISHES) isWish = true
    else if (role === WISHED) {
      if (isWish) isCourteous = true
      if (words === 0) mayBeWish = true
    } else if (role === PERSONAL && isLater) isCourteous = true
    if (role === SIGNS) isSigned = true
    words++
    at = end
    // "Dr." is no end of a clause.
    if (mayName && lower.charCodeAt(at) === 46) at++
  }
  if (!isCourteous && !(mayBeWish && words <= LONGEST_WISH)) return -1
  return afterMarks(edge, at, isSigned)
}

/** Behind the marks after a clause that ends at `at`, and behind the name that may sign it. */
const afterMarks = (edge: Edge, at: number, isSigned: boolean): number => {
  const { lower, text } = edge
  let end = at
  while (end < lower.length && (isBetween(lower.charCodeAt(end)) || isCloser(lower.charCodeAt(end)))) end++
  if (!edge.endsText) return end
  if (isSigned) {
    const signed = matchEnd(signature, text, end)
    if (signed !== -1) return signed
  }
  return skipMarks(lower, end) === lower.length ? lower.length : end
}

/** The first place from `at` on with neither white space nor a mark that courtesies are decorated with. */
export const skipMarks = (lower: string, at: number): number => {
  let to = at
  while (to < lower.length && (isBetween(lower.charCodeAt(to)) || isDecoration(lower.charCodeAt(to)))) to++
  return to
}

const matchEnd = (pattern: RegExp, text: string, at: number): number => {
  pattern.lastIndex = at
  return pattern.test(text) ? pattern.lastIndex : -1
}

/** No word of `roles` is longer. */
const LONGEST_WORD = 24

const roleOf = (said: string): number | undefined => {
  if (said.length > LONGEST_WORD) return undefined
  const role = roles.get(said)
  if (role !== undefined) return role
  // Apostrophes and Arabic vowel signs are left out, and drawn out letters are one.
  const word = said.replaceAll(/['\u064B-\u0652]|(.)\1{2,}/g, "$1")
  return word === said ? undefined : roles.get(word)
}

/** Words that courtesies are made of. */
const isKnown = (word: string): boolean => roleOf(word) !== undefined || phraseWords.has(word)
const phraseWords = new Set(phrases.flatMap((phrase) => phrase.split(" ")))
/** Of a name that signs. */
const MOST_NAMES = 3

/** Where the run of words begins that an ending of courtesies can be no longer than: most often at the end. */
export const knownFrom = ({ lower, text }: Edge): number => {
  let from = lower.length
  let names = 0
  let at = from
  while (at > 0) {
    const code = lower.charCodeAt(at - 1)
    if (code >= DENSE || isBetween(code) || isDecoration(code)) {
      at--
      continue
    }
    const end = at
    while (at > 0 && (isWordPart(lower.charCodeAt(at - 1)) || lower.charCodeAt(at - 1) === 39)) at--
    if (at === end) return from
    if (!isKnown(lower.slice(at, end))) {
      if (from === lower.length && names < MOST_NAMES && text.charCodeAt(at) !== lower.charCodeAt(at)) names++
      else return from
    } else from = at
  }
  return 0
}

const wordEnd = (lower: string, from: number): number => {
  let at = from
  while (at < lower.length && (isWordPart(lower.charCodeAt(at)) || lower.charCodeAt(at) === 39)) at++
  return at
}

/** White space, and marks that end a clause. */
export const isBetween = (code: number): boolean => code <= 32 || betweens.has(code)
const codesOf = (marks: string): ReadonlySet<number> => new Set(Array.from(marks, (mark) => mark.charCodeAt(0)))
const betweens = codesOf("!?,.:;-。，！？：；、\u00a0\u3000—–…،؟؛।")

/** Marks around a courtesy that may as well begin what follows it. */
const openers = codesOf("#*_>•·(¡¿")
const closers = codesOf(")~^～♪\u200d\ufe0f")
const isCloser = (code: number): boolean =>
  closers.has(code) || isEmoji(code) || (code >= 0xdc00 && code <= 0xdfff) || (code >= 0x2600 && code <= 0x27bf)
const isDecoration = (code: number): boolean => openers.has(code) || isCloser(code)

/** From here on scripts have no spaces between words. */
const DENSE = 0x3040

/** What stands between two words of a clause. */
const isJoint = (lower: string, at: number): boolean => {
  const code = lower.charCodeAt(at)
  return (
    code === 32 || code === 9 || code === 0xa0 || (code === 45 && isLetter(lower, at - 1) && isLetter(lower, at + 1))
  )
}
const isLetter = (lower: string, at: number): boolean =>
  (lower.charCodeAt(at) >= 97 && lower.charCodeAt(at) <= 122) || isAccented(lower.charCodeAt(at))

const isWordPart = (code: number): boolean =>
  (code >= 97 && code <= 122) ||
  (code >= 65 && code <= 90) ||
  (code >= 48 && code <= 57) ||
  code === 95 ||
  (code >= 0xc0 && code < 0x2000 && !betweens.has(code))

/** Whether no word goes on at `at`, and none ends before it. In dense scripts any place will do. */
const endsWord = (text: string, at: number): boolean =>
  at >= text.length || !isWordPart(text.charCodeAt(at)) || text.charCodeAt(at - 1) >= DENSE
export const startsWord = (text: string, at: number): boolean =>
  at <= 0 || !isWordPart(text.charCodeAt(at - 1)) || text.charCodeAt(at) >= DENSE
