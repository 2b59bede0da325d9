/** The signs between and around courtesies, and where their words begin and end. All of it is about texts in lower case. */
import { isAccented, isEmoji } from "../text/Characters.ts"

export const isBetween = (code: number): boolean => code <= 32 || betweens.has(code)
const codesOf = (marks: string): ReadonlySet<number> => new Set(Array.from(marks, (mark) => mark.charCodeAt(0)))
const betweens = codesOf("!?,.:;-。，！？：；、\u00a0\u3000—–…،؟؛।")

/** Marks around a courtesy that may as well begin what follows it. */
const openers = codesOf("#*_>•·(¡¿")
const closers = codesOf(")~^～♪\u200d\ufe0f")
export const isCloser = (code: number): boolean =>
  closers.has(code) || isEmoji(code) || (code >= 0xdc00 && code <= 0xdfff) || (code >= 0x2600 && code <= 0x27bf)
export const isDecoration = (code: number): boolean => openers.has(code) || isCloser(code)

/** From here on scripts have no spaces between words. */
export const DENSE = 0x3040

export const OPENS = 40
const HYPHEN = 45

/** What stands between two words of a clause. */
export const isJoint = (lower: string, at: number): boolean => {
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

export const isWordPart = (code: number): boolean =>
  (code >= 97 && code <= 122) ||
  (code >= 65 && code <= 90) ||
  (code >= 48 && code <= 57) ||
  code === 95 ||
  (code >= 0xc0 && code < 0x2000 && !betweens.has(code))

/** Whether no word goes on at `at`, as those of “hi-fi” and “hello()” do. In dense scripts any place will do. */
export const endsWord = (text: string, at: number): boolean =>
  at >= text.length || text.charCodeAt(at - 1) >= DENSE || !(isWordPart(text.charCodeAt(at)) || isGlued(text, at))
const isGlued = (text: string, at: number): boolean =>
  text.charCodeAt(at) === OPENS || (text.charCodeAt(at) === HYPHEN && isLetter(text, at + 1))
export const startsWord = (text: string, at: number): boolean =>
  at <= 0 || !isWordPart(text.charCodeAt(at - 1)) || text.charCodeAt(at) >= DENSE

/** Where the word that begins at `from` ends; `from` where none does. */
export const wordEnd = (lower: string, from: number): number => {
  let at = from
  while (at < lower.length && isWordOrApostrophe(lower.charCodeAt(at))) at++
  return at
}

export const wordStart = (lower: string, to: number): number => {
  let at = to
  while (at > 0 && isWordOrApostrophe(lower.charCodeAt(at - 1))) at--
  return at
}
const isWordOrApostrophe = (code: number): boolean => isWordPart(code) || code === 39
