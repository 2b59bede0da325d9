/** Clauses that are nothing but courtesy, known by the short list of words that they are made of. */
import { isAccented, isEmoji, phrasesOf, wordsIn } from "../text/Characters.ts"
import courtesy from "./courtesy.json" with { type: "json" }

// What asks for something in courteous words may be courtesy beside a question, and is what is asked where a message has nothing else.
const asks = new RegExp(
  [
    // “Help me find a good doctor”, “wish my team a happy new year”, “could you say more”.
    "(?:^|(?<!let )\\bme (?:to )?|\\b(?:please|(?:can|could|will|would) you|(?:have|need|time|want|way) to) )(?:say|tell|ask|answer|reply|respond|find|give|get|be|do|know|think|love|stop|wish|thank)\\b(?! (?:you|ya|u)\\b)",
    "^(?:is (?:it|this|that|today)|was|should|will)\\b(?! you\\b)",
    // “A farewell message for my team”.
    "(?<!\\b(?:your|the|this|that|my|a|any|last) )\\bmessages?\\b",
    "(?:^|hello )world (?:in|with)\\b",
    // “Hi or hello”.
    "(?<!sir )\\b(?:or|oder|ou|или)\\b"
  ].join("|")
)
const asksFor = (clause: string): boolean => asks.test(clause)

const asksAbout = /^(?:is|are|am|do|did|was|will|would|could|can|should|may)\b/

const asksAboutYou = (clause: string): boolean => asksAbout.test(clause)

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

const OPENS = 40
const HYPHEN = 45
const isJoint = (lower: string, at: number): boolean => {
  const code = lower.charCodeAt(at)
  return (
    code === 32 ||
    code === 9 ||
    code === 0xa0 ||
    (code === HYPHEN && isLetter(lower, at - 1) && isLetter(lower, at + 1))
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

/** Whether no word goes on at `at`, as those of “hi-fi” and “hello()” do. In dense scripts any place will do. */
const endsWord = (text: string, at: number): boolean =>
  at >= text.length || text.charCodeAt(at - 1) >= DENSE || !(isWordPart(text.charCodeAt(at)) || isGlued(text, at))
const isGlued = (text: string, at: number): boolean =>
  text.charCodeAt(at) === OPENS || (text.charCodeAt(at) === HYPHEN && isLetter(text, at + 1))
export const startsWord = (text: string, at: number): boolean =>
  at <= 0 || !isWordPart(text.charCodeAt(at - 1)) || text.charCodeAt(at) >= DENSE

/** Where the word that begins at `from` ends; `from` where none does. */
const wordEnd = (lower: string, from: number): number => {
  let at = from
  while (at < lower.length && isWordOrApostrophe(lower.charCodeAt(at))) at++
  return at
}

const wordStart = (lower: string, to: number): number => {
  let at = to
  while (at > 0 && isWordOrApostrophe(lower.charCodeAt(at - 1))) at--
  return at
}
const isWordOrApostrophe = (code: number): boolean => isWordPart(code) || code === 39

/** Openings that only wrap what is asked. Lower case, longest first within a language; a CJK one needs no space after it. */
const requests = phrasesOf(courtesy.requests)
const greetings = phrasesOf(courtesy.greetings)

const openings = [...requests, ...greetings]

/** Nothing but courtesy when a clause is made of them, and part of what is asked when it goes on otherwise. */
const wholes = phrasesOf(courtesy.wholes)

/** As written at the end, without the marks after it. */
export const endings = phrasesOf(courtesy.endings)

/** What a word does in a clause that is nothing but courtesy. */
const FILLER = 0
/** One of these makes it a courtesy. */
const COURTEOUS = 1
/** As `COURTEOUS`; a name may follow: “Dear Ms. Ito,”. */
const SALUTES = 2
/** As `COURTEOUS`; a name may follow the clause: “Kind regards, Ana”. */
const SIGNS = 3
/** Makes a courtesy of a day or a meeting: “nice weekend”, “good to see you”. */
const WISHES = 4
/** Courteous after a word that wishes, and at the start of a short clause: “Evening all”. */
const WISHED = 5
/** Courteous after a word that wishes: “happy Monday”. */
const DAYS = 6
/** Courteous after another courtesy: “Hello, it's me.” */
const PERSONAL = 7
/** Before a name: “Dear Ms. Ito,”. */
const TITLE = 8
/** Who speaks. */
const SELF = 9
/** As `COURTEOUS`, but as a whole message only of somebody: “I hope”, “a moment of your time”; “moment” alone asks what one is. */
const HOPES = 10
/** As `HOPES`; a name may follow. */
const DEAR = 11
/** As `COURTEOUS`, but it makes no courtesy of a whole message: “more, please”. */
const PLEASE = 12

/** Without apostrophes. Of several languages at once: a clause in two of them is still a courtesy. */
const ROLES = { COURTEOUS, SALUTES, SIGNS, WISHES, WISHED, PERSONAL, DAYS, SELF, HOPES, DEAR, PLEASE, TITLE, FILLER }

/** Of scripts without spaces, in a clause that is nothing but courtesy, longest first. */
const denseFillers = phrasesOf(courtesy.denseFillers).toSorted((a, b) => b.length - a.length)

/** What each word does; the first list that has it counts. */
const roles: ReadonlyMap<string, number> = new Map(
  Object.entries(courtesy.words)
    .flatMap(([role, lines]) => wordsIn(lines).map((word) => [word, ROLES[role as keyof typeof ROLES]] as const))
    .toReversed()
)

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
