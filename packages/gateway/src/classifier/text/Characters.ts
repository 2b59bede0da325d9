/** What kind of character a UTF-16 unit is. */

// Lists of words that people use, a line or more each.

/** A phrase ends at a bar or at the end of its line. */
export const phrasesOf = (text: string | ReadonlyArray<string>): ReadonlyArray<string> =>
  (typeof text === "string" ? text.split("\n") : text)
    .flatMap((line) => line.split("|"))
    .map((phrase) => phrase.trim())
    .filter((phrase) => phrase !== "")

/** Words with a space between them. */
export const wordsIn = (lines: ReadonlyArray<string>): ReadonlyArray<string> => lines.flatMap((line) => line.split(" "))

const SPACE = 0
export const LETTER = 1
export const DIGIT = 2
export const MARK = 3

const kinds = new Uint8Array(128).fill(MARK)
for (let code = 0; code <= 32; code++) kinds[code] = SPACE
for (let code = 48; code <= 57; code++) kinds[code] = DIGIT
for (let code = 65; code <= 90; code++) kinds[code] = kinds[code + 32] = LETTER

/** SPACE, LETTER, DIGIT or MARK of an ASCII code. */
export const kindOfAscii = (code: number): number => kinds[code]!

export const isUpper = (code: number): boolean => code >= 65 && code <= 90
export const isDigit = (code: number): boolean => code >= 48 && code <= 57
/** Latin letters with accents, Latin only. */
export const isAccented = (code: number): boolean => code >= 0xc0 && code <= 0x24f && code !== 0xd7 && code !== 0xf7

/** Chinese, Japanese and Korean, which have no spaces or have words of two or three characters. */
export const isCjk = (code: number): boolean =>
  (code >= 0x3040 && code <= 0x30ff) || (code >= 0x3400 && code <= 0x9fff) || (code >= 0xac00 && code <= 0xd7af)

export const isGreekOrMaths = (code: number): boolean =>
  (code >= 0x370 && code <= 0x3ff) ||
  (code >= 0x2070 && code <= 0x209f) ||
  (code >= 0x2190 && code <= 0x22ff) ||
  code === 0xb0 ||
  code === 0xb1 ||
  code === 0xb2 ||
  code === 0xb3 ||
  code === 0xb7 ||
  code === 0xd7 ||
  code === 0xf7

/** Cyrillic, Hebrew, Arabic, Devanagari and the other alphabets below U+2000. */
export const isOtherLetter = (code: number): boolean =>
  code >= 0x400 && code < 0x2000 && code !== 0x60c && code !== 0x61f && code !== 0x61b && code !== 0x964

export const isEmoji = (code: number): boolean => code >= 0xd83c && code <= 0xd83e

/** The ASCII mark or space that stands for one of another script, 0 for what is neither: `？` and `؟` ask as `?` does. */
export const asciiOf = (code: number): number => {
  // Most of what is asked here is Chinese, Japanese or Korean.
  if (code > 0x3002 && code < 0xfe00) return 0
  if (code >= 0x2000 && code <= 0x200f) return 32
  if (code >= 0xff01 && code <= 0xff5e) return code - 0xfee0
  switch (code) {
    case 0xa0:
    case 0x2028:
    case 0x2029:
    case 0x3000:
    case 0xfeff:
      return 32
    case 0x3002:
    case 0x964:
      return 46
    case 0x3001:
    case 0x60c:
      return 44
    case 0x61f:
      return 63
    case 0x61b:
      return 59
    case 0x2018:
    case 0x2019:
      return 39
    case 0x201c:
    case 0x201d:
    case 0x201e:
    case 0xab:
    case 0xbb:
      return 34
    case 0x2013:
    case 0x2014:
    case 0x2212:
      return 45
    default:
      return 0
  }
}

export const lowerOther = (code: number): number => {
  if (code >= 0x410 && code <= 0x42f) return code + 32
  return code >= 0x400 && code <= 0x40f ? code + 80 : code
}
