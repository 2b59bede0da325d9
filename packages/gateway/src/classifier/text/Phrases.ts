/** Lists of words that people use, a line or more each. */

/** A phrase ends at a bar or at the end of its line. */
export const phrasesOf = (text: string | ReadonlyArray<string>): ReadonlyArray<string> =>
  (typeof text === "string" ? text.split("\n") : text)
    .flatMap((line) => line.split("|"))
    .map((phrase) => phrase.trim())
    .filter((phrase) => phrase !== "")

/** Words with a space between them. */
export const wordsIn = (lines: ReadonlyArray<string>): ReadonlyArray<string> => lines.flatMap((line) => line.split(" "))
