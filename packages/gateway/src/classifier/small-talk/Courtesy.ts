/** Where what is asked begins and ends: greetings, thanks and polite wrapping say nothing about how hard it is. */
import {
  courtesyEnd,
  type Edge,
  isWrapping,
  knownFrom,
  openingAt,
  skipMarks,
  isBetween,
  startsWord,
  endings
} from "./CourtesyClause.ts"

/** By their last letter, longest first: a prompt that has none costs one look-up. */
const endingsBy = Map.groupBy(
  endings.toSorted((a, b) => b.length - a.length),
  (phrase) => phrase.charCodeAt(phrase.length - 1)
)

/** More wrapping than this is no courtesy. */
const LONGEST = 160
const MOST_PHRASES = 8
/** White space is skipped this far from either end. */
const FARTHEST = 2000

export interface TextSpan {
  readonly from: number
  readonly to: number
}

/** What is asked within `text`, as offsets. Empty when there is nothing but courtesies. */
export const withoutCourtesy = (text: string): TextSpan => {
  const asked = cut(text, false)
  // What would do beside a question may be the question: “help me find a good doctor”.
  return asked.from < asked.to ? asked : cut(text, true)
}

const cut = (text: string, isStrict: boolean): TextSpan => {
  const end = Math.min(text.length, FARTHEST)
  let from = 0
  while (from < end && text.charCodeAt(from) <= 32) from++
  const head = edgeOf(text, from, Math.min(text.length, from + LONGEST), isStrict)
  if (head !== undefined) from += opened(head)
  let to = text.length
  const least = Math.max(from, to - FARTHEST)
  while (to > least && text.charCodeAt(to - 1) <= 32) to--
  const start = Math.max(from, to - LONGEST)
  const tail = edgeOf(text, start, to, isStrict)
  if (tail !== undefined) to = start + closed(tail, closedClauses({ ...tail, endsText: true }))
  return { from, to: Math.max(from, to) }
}

/** Undefined where a letter changes its length in lower case: then offsets wouldn't fit. */
const edgeOf = (whole: string, from: number, to: number, isStrict: boolean): Edge | undefined => {
  const text = whole.slice(from, to)
  const lower = text.toLowerCase().replaceAll("’", "'")
  return lower.length === text.length ? { text, lower, endsText: to === whole.length, isStrict } : undefined
}

const connective = /(?:but|and|then)\s+/y

/** How much of `head` is opening. */
const opened = (head: Edge): number => {
  const { lower } = head
  let at = 0
  let isLater = false
  for (let round = 0; round < MOST_PHRASES; round++) {
    const end = courtesyEnd(head, skipMarks(lower, at), isLater)
    if (end !== -1) {
      connective.lastIndex = end
      at = connective.test(lower) ? connective.lastIndex : end
      isLater = true
      continue
    }
    const phrase = openingAt(lower, at)
    if (phrase === undefined) return at
    at += phrase.length
    if (!isWrapping(phrase)) isLater = true
    while (at < lower.length && isBetween(lower.charCodeAt(at))) at++
  }
  return at
}

/** What an ending begins with that has no mark before it. */
const starter =
  /(?:thank|thx|many thanks|please|pls|cheers|i(?:'d| would)? (?:really )?appreciate|any help|hope (?:you|that|this)|hoping|looking forward|have an? |sorry for|(?:best|kind|warm) (?:regards|wishes)|(?:much )?appreciated|if (?:you|that'?s|possible)|(?:that |it )?would (?:be|really))/y

/** The last word before what is no ending but spoken of: “write a thank you message”, “how do I say thank you”. */
const speaks = /(?:^|[\s"'])(?:an?|the|or|says?|saying|said|words?|means?|sagen|sagt|dire|decir|dizer|сказать) $/
/** A capital begins something else: “The capital of France is the Thanks!” */
const isObject = ({ lower, text }: Edge, at: number): boolean =>
  text.charCodeAt(at) === lower.charCodeAt(at) && speaks.test(lower.slice(Math.max(0, at - 12), at))

/** Where the clauses at the end of `tail` begin that are nothing but courtesy; its length when there are none. */
const closedClauses = (tail: Edge): number => {
  const { lower } = tail
  const from = knownFrom(tail)
  let before = from
  while (before > 0 && lower.charCodeAt(before - 1) === 32) before--
  let isAfterMark = before > 0 && isBetween(lower.charCodeAt(before - 1))
  for (let at = from; at < lower.length; at++) {
    const code = lower.charCodeAt(at)
    if (isBetween(code)) {
      if (code !== 32) isAfterMark = true
      continue
    }
    starter.lastIndex = at
    const mayBegin =
      at > 0 && (isAfterMark || (lower.charCodeAt(at - 1) === 32 && starter.test(lower) && !isObject(tail, at)))
    isAfterMark = false
    if (mayBegin && reachesEnd(tail, at)) return trimmed(lower, at)
  }
  return lower.length
}

const reachesEnd = (tail: Edge, from: number): boolean => {
  let at = from
  for (let round = 0; round < MOST_PHRASES; round++) {
    const end = courtesyEnd(tail, skipMarks(tail.lower, at), round > 0)
    if (end === -1) return false
    if (end >= tail.lower.length) return true
    at = end
  }
  return false
}

const closed = (edge: Edge, from: number): number => {
  const { lower: tail } = edge
  let to = from
  for (let round = 0; round < MOST_PHRASES; round++) {
    let end = to
    while (end > 0 && isBetween(tail.charCodeAt(end - 1))) end--
    const phrase = endingsBy
      .get(tail.charCodeAt(end - 1))
      ?.find((one) => tail.endsWith(one, end) && startsWord(tail, end - one.length))
    if (phrase === undefined || isObject(edge, end - phrase.length)) return to
    to = trimmed(tail, end - phrase.length)
  }
  return to
}

/** `end` without the white space and commas before it. */
const trimmed = (text: string, end: number): number => {
  let to = end
  while (to > 0 && (text.charCodeAt(to - 1) <= 32 || text.charCodeAt(to - 1) === 44)) to--
  return to
}
