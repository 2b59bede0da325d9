/** One pattern to look for. Rules are local and linear, and see a stream as they see a complete text. */

export interface RuleMatch {
  readonly start: number
  /** -1: more text decides whether there is a match at `start`. */
  readonly end: number
  /** Matches the rest of the match, which has no bound. Sticky. */
  readonly rest?: RegExp
}

export interface TextRule {
  readonly name: string
  /**
   * The first match at `from` or later, or the first place where it can't be decided yet. The result depends only on the text from the
   * character before `from` on. `isEnd`: no more text follows, so everything is decided.
   */
  readonly find: (text: string, from: number, isEnd: boolean) => RuleMatch | undefined
}

const undecided = (start: number): RuleMatch => ({ start, end: -1 })

const isBetween = (code: number, low: number, high: number): boolean => code >= low && code <= high
const isDigit = (code: number): boolean => isBetween(code, 48, 57)
const isLetter = (code: number): boolean => isBetween(code | 32, 97, 122)
const isAlphanumeric = (code: number): boolean => isDigit(code) || isLetter(code)

const LOCAL = /[\w.%+\u00c0-\u024f-]/
const MAX_LOCAL = 64
const MAX_DOMAIN = 190
const DOMAIN_RUN = /[A-Za-z0-9.\u00c0-\u024f-]{0,190}/y
const DOMAIN = /^(?:[A-Za-z0-9\u00c0-\u024f-]+\.)+[A-Za-z][A-Za-z0-9-]*[A-Za-z0-9]/

/** Where the local part of an address begins that ends at `end`. */
const localStart = (text: string, from: number, end: number): number => {
  const least = Math.max(from, end - MAX_LOCAL)
  let start = end
  while (start > least && LOCAL.test(text[start - 1]!)) start--
  return start
}

const email: TextRule = {
  name: "email",
  find: (text, from, isEnd) => {
    for (let at = text.indexOf("@", from); at >= 0; at = text.indexOf("@", at + 1)) {
      const start = localStart(text, from, at)
      if (start === at) continue
      DOMAIN_RUN.lastIndex = at + 1
      const [run = ""] = DOMAIN_RUN.exec(text) ?? []
      if (!isEnd && run.length < MAX_DOMAIN && at + 1 + run.length === text.length) return undecided(start)
      const domain = DOMAIN.exec(run)
      if (domain !== null) return { start, end: at + 1 + domain[0].length }
    }
    const start = isEnd ? text.length : localStart(text, from, text.length)
    return start < text.length ? undecided(start) : undefined
  }
}

const DIGIT = /\d/g
const MOST_DIGITS = 19

/** How many digits the numbers of payment cards have, by their first one; none begins with 0, 1, 7, 8 or 9. */
const CARD_LENGTHS = [[], [], [16], [14, 15], [13, 16, 19], [16], [16, 17, 18, 19], [], [], []].map((lengths) =>
  lengths.reduce((bits, length) => bits | (1 << length), 0)
)

const digits = new Uint8Array(MOST_DIGITS + 1)

/** Luhn's check of the first `count` digits. */
const isCard = (count: number): boolean => {
  if (((CARD_LENGTHS[digits[0]!]! >> count) & 1) === 0) return false
  let sum = 0
  for (let index = 0; index < count; index++) {
    const digit = digits[count - 1 - index]!
    sum += index % 2 === 0 ? digit : digit < 5 ? digit * 2 : digit * 2 - 9
  }
  return sum % 10 === 0
}

/** The longest card number at `start`: groups of digits with a space or a hyphen between them. */
const cardAt = (text: string, start: number, isEnd: boolean): RuleMatch | undefined => {
  let count = 0
  let end = -1
  let at = start
  while (count <= MOST_DIGITS) {
    const code = text.charCodeAt(at)
    if (isDigit(code)) {
      digits[count++] = code - 48
      at++
      if (count <= MOST_DIGITS && !isDigit(text.charCodeAt(at)) && isCard(count)) end = at
    } else if ((code === 32 || code === 45) && (isDigit(text.charCodeAt(at + 1)) || at + 1 === text.length)) at++
    else break
  }
  if (!isEnd && at >= text.length && count <= MOST_DIGITS) return undecided(start)
  return end < 0 ? undefined : { start, end }
}

const creditCard: TextRule = {
  name: "credit_card",
  find: (text, from, isEnd) => {
    DIGIT.lastIndex = from
    for (let found = DIGIT.exec(text); found !== null; found = DIGIT.exec(text)) {
      const start = found.index
      const isStart = isBetween(text.charCodeAt(start), 50, 54) && !isDigit(text.charCodeAt(start - 1))
      const match = isStart ? cardAt(text, start, isEnd) : undefined
      if (match !== undefined) return match
    }
    return undefined
  }
}

/** Characters of an IBAN by country: the registry of SWIFT, release 99 (2024-12). */
const IBAN_LENGTHS = new Map(
  `AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BI27 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DJ27 DK18 DO28 EE20 EG29 ES24 FI18 FK18 FO18
  FR27 GB22 GE22 GI23 GL18 GR27 GT28 HN28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 LB28 LC32 LI21 LT20 LU20 LV21 LY25
  MC27 MD24 ME22 MK19 MN20 MR27 MT31 MU30 NI28 NL18 NO15 OM23 PK24 PL28 PS29 PT25 QA29 RO24 RS22 RU33 SA24 SC31 SD18 SE24 SI19
  SK24 SM27 SO23 ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20 YE30`
    .split(/\s+/)
    .map((one) => [one.slice(0, 2), Number(one.slice(2))])
)
const IBAN_START = /[A-Za-z]{2}\d{2}/g
const IBAN_TAIL = /[A-Za-z]{1,2}\d?$/

const isIban = (letters: string): boolean => {
  let rest = 0
  for (const one of letters.slice(4) + letters.slice(0, 4)) {
    const value = Number.parseInt(one, 36)
    rest = (rest * (value > 9 ? 100 : 10) + value) % 97
  }
  return rest === 1
}

const ibanAt = (text: string, start: number, isEnd: boolean): RuleMatch | undefined => {
  const length = IBAN_LENGTHS.get(text.slice(start, start + 2).toUpperCase())
  if (length === undefined || isAlphanumeric(text.charCodeAt(start - 1))) return undefined
  let letters = ""
  let at = start
  while (at < text.length && letters.length < length) {
    if (isAlphanumeric(text.charCodeAt(at))) letters += text[at]!
    else if (text[at] !== " " || text[at - 1] === " ") break
    at++
  }
  if (!isEnd && at === text.length) return undecided(start)
  return letters.length === length && !isAlphanumeric(text.charCodeAt(at)) && isIban(letters)
    ? { start, end: at }
    : undefined
}

const iban: TextRule = {
  name: "iban",
  find: (text, from, isEnd) => {
    IBAN_START.lastIndex = from
    for (let found = IBAN_START.exec(text); found !== null; found = IBAN_START.exec(text)) {
      const match = ibanAt(text, found.index, isEnd)
      if (match !== undefined) return match
      IBAN_START.lastIndex = found.index + 1
    }
    if (isEnd) return undefined
    const tail = IBAN_TAIL.exec(text.slice(Math.max(from, text.length - 3)))
    const start = tail === null ? text.length : text.length - tail[0].length
    return tail === null || isAlphanumeric(text.charCodeAt(start - 1)) ? undefined : undecided(start)
  }
}

export const personalRules = { email, credit_card: creditCard, iban }
