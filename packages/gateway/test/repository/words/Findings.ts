/** What is wrong with the words of a text: listed words, long sentences, long pages. */
import { sentencesOf, wordsIn } from "./Prose.ts"
import type { Source } from "./Sources.ts"
import { wordList } from "./WordList.ts"

const MOST_WORDS = 30
const MOST_LINES = 300

/** One line for each finding: the place, what is wrong, and what to write instead. */
export const findingsIn = ({ isGenerated = false, name, text }: Source): ReadonlyArray<string> => {
  const sentences = sentencesOf(text)
  const long = sentences.flatMap(({ line, text: one }) =>
    wordsIn(one) > MOST_WORDS ? [`${name}:${line} a sentence of ${wordsIn(one)} words: ${one}`] : []
  )
  const listed = sentences.flatMap(({ line, text: one }) =>
    wordList.flatMap(({ instead, word }) => {
      const [found] = word.exec(one) ?? []
      return found === undefined ? [] : [`${name}:${line} "${found}" (use: ${instead}): ${one}`]
    })
  )
  const lines = text.trimEnd().split("\n").length
  const tooLong = lines > MOST_LINES && !isGenerated ? [`${name} has ${lines} lines, more than ${MOST_LINES}`] : []
  return [...tooLong, ...long, ...listed]
}
