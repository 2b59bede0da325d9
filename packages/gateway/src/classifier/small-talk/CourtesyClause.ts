/**
 * Clauses that are nothing but courtesy. They are known by their words, not word for word: nobody can list all the ways of saying
 * hello, but what they are made of is a short list, and hardly a question is made of nothing else.
 */
import { asksAboutYou, asksFor } from "./CourtesyAsks.ts"
import {
  DENSE,
  endsWord,
  isBetween,
  isCloser,
  isDecoration,
  isJoint,
  isWordPart,
  OPENS,
  wordEnd,
  wordStart
} from "./CourtesyMarks.ts"
import {
  COURTEOUS,
  DAYS,
  DEAR,
  denseFillers,
  FILLER,
  HOPES,
  openings,
  PERSONAL,
  PLEASE,
  requests,
  roles,
  SALUTES,
  SELF,
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
  readonly endsText: boolean
  /** Whether only what is courtesy beyond doubt counts: for a text that has nothing else. */
  readonly isStrict: boolean
}

const phrases = [...openings, ...wholes]
const wraps = new Set(requests)
/** By their first letter, longest first. */
const byStart = (of: ReadonlyArray<string>): ReadonlyMap<number, ReadonlyArray<string>> =>
  Map.groupBy(
    of.toSorted((a, b) => b.length - a.length),
    (phrase) => phrase.charCodeAt(0)
  )
const openingsBy = byStart(openings)
const phrasesBy = byStart(phrases)
const nameFollows = new Set(
  phrases.filter((phrase) => [SALUTES, DEAR, SIGNS, WISHES].includes(roles.get(phrase.split(" ")[0]!) ?? FILLER))
)

/** Whether a phrase of `openings` only wraps what is asked. */
export const isWrapping = (phrase: string): boolean => wraps.has(phrase)

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

/** A first word that may begin a wish. */
const MAY_WISH = 13

/** Sets of roles have a bit for each. */
const bit = (role: number): number => 1 << role
const CERTAIN = bit(COURTEOUS) | bit(SALUTES) | bit(SIGNS)
const HOPEFUL = bit(HOPES) | bit(DEAR)
const NAMES = bit(PERSONAL) | bit(SELF)
const COURTESIES = CERTAIN | HOPEFUL | bit(PLEASE)

interface Clause {
  readonly end: number
  readonly words: number
  readonly roles: number
}

/**
 * Where the clause that begins at `from` ends, with the marks and the signature after it; -1 when it is something else than a
 * courtesy. `isLater`: another courtesy came right before.
 */
export const courtesyEnd = (edge: Edge, from: number, isLater: boolean): number => {
  const clause = clauseAt(edge, from)
  if (clause === undefined) return -1
  const has = (some: number): boolean => (clause.roles & some) !== 0
  const isAside = isLater && has(bit(PERSONAL))
  const isWish = has(bit(MAY_WISH)) && clause.words <= LONGEST_WISH
  if (!has(COURTESIES) && !isAside && !isWish) return -1
  if (edge.isStrict) {
    const said = edge.lower.slice(from, clause.end)
    const isSure = has(CERTAIN) || (has(HOPEFUL) && has(NAMES)) || (isWish && (has(NAMES) || clause.words === 1))
    if ((!isSure && (!isAside || asksAboutYou(said))) || asksFor(said)) return -1
  }
  return afterMarks(edge, clause.end, has(bit(SIGNS)))
}

/** What stands at `from`, up to a mark; undefined where one of its words is none that courtesies are made of. */
const clauseAt = ({ endsText, lower, text }: Edge, from: number): Clause | undefined => {
  let at = from
  let words = 0
  let met = 0
  let mayName = false
  while (true) {
    while (at < lower.length && isJoint(lower, at)) at++
    if (at >= lower.length) return endsText ? { end: at, words, roles: met } : undefined
    const code = lower.charCodeAt(at)
    // "hello()"
    if (code === OPENS && at > from && isWordPart(lower.charCodeAt(at - 1))) return undefined
    if (isBetween(code) || isDecoration(code)) return { end: at, words, roles: met }
    const phrase = phraseAt(phrasesBy, lower, at)
    if (phrase !== undefined) {
      at += phrase.length
      words += 2
      met |= bit(isWrapping(phrase) ? PLEASE : roles.get(phrase) === SIGNS ? SIGNS : COURTEOUS)
      mayName = nameFollows.has(phrase)
      continue
    }
    if (code >= DENSE) {
      const filler = denseFillers.find((one) => lower.startsWith(one, at))
      if (filler === undefined) return undefined
      at += filler.length
      words++
      continue
    }
    const end = wordEnd(lower, at)
    const role = end === at ? undefined : roleOf(lower.slice(at, end))
    if (role === undefined) {
      at = mayName ? matchEnd(addressee, text, at) : -1
      if (at === -1) return undefined
      met |= bit(SELF)
      mayName = false
      continue
    }
    met |= bit(playedBy(role, met, words === 0, mayName))
    mayName = role === SALUTES || role === DEAR || (role === TITLE && mayName)
    words++
    at = end
    // "Dr." is no end of a clause.
    if (mayName && lower.charCodeAt(at) === 46) at++
  }
}

/** The role that a word plays after those that were met. */
const playedBy = (role: number, met: number, isFirst: boolean, mayName: boolean): number => {
  if (role === TITLE) return mayName ? SELF : FILLER
  if (role !== WISHED && role !== DAYS) return role
  if ((met & bit(WISHES)) !== 0) return COURTEOUS
  return role === WISHED && isFirst ? MAY_WISH : FILLER
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
    at = wordStart(lower, end)
    if (at === end) return from
    if (!isKnown(lower.slice(at, end))) {
      if (from === lower.length && names < MOST_NAMES && text.charCodeAt(at) !== lower.charCodeAt(at)) names++
      else return from
    } else from = at
  }
  return 0
}
