/** Lists of words that people use, written as text: a phrase ends at a bar or at the end of its line. */

export const phrasesOf = (text: string): ReadonlyArray<string> =>
  text
    .split(/[|\n]/)
    .map((phrase) => phrase.trim())
    .filter((phrase) => phrase !== "")
