/** Splits Markdown, help texts and labels into sentences, so that their words can be checked. */

export interface Sentence {
  readonly line: number
  readonly text: string
}

/** Keeps line numbers: everything that is no prose becomes spaces. */
const blank = (text: string): string => text.replaceAll(/[^\n]/g, " ")

const withoutCode = (text: string): string =>
  text
    .replace(/^---\n[^]*?\n---$/m, blank)
    .replaceAll(/^```[^]*?^```/gm, blank)
    .replaceAll(/^ *```[^]*?^ *```/gm, blank)
    .replaceAll(/<!--[^]*?-->/g, blank)

/** A code span counts as one word, which no word list applies to. The same holds for addresses. */
const plain = (text: string): string =>
  text
    .replaceAll(/!\[[^\]]*\]\([^)]*\)/g, " ")
    .replaceAll(/``[^`]+``|`[^`]*`/g, "CODE")
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replaceAll(/<[^>]+>/g, " ")
    .replaceAll(/https?:\/\/\S+/g, "CODE")
    .replaceAll(/(?<!\w)[*_]{1,2}(?=\S)|(?<=\S)[*_]{1,2}(?!\w)/g, "")
    .replaceAll(/\s+/g, " ")
    .trim()

/** `e.g. ` and `Node.js` end no sentence; a colon at the end of a paragraph does. */
const split = (text: string): ReadonlyArray<string> =>
  text
    .split(/(?<=[.!?][)"”]?)\s+(?=["“(]?[A-Z0-9`/$])/)
    .map((one) => one.trim())
    .filter((one) => /[A-Za-z]/.test(one))

const startsBlock = (line: string): boolean => /^\s*(?:$|#|\||>|[-*+] |\d+\. |<)/.test(line)

/** Paragraphs, headings, list items and table cells, each with the line that it starts at. */
const blocksOf = (text: string): ReadonlyArray<Sentence> => {
  const blocks: Array<{ line: number; text: string }> = []
  let isOpen = false
  for (const [index, line] of withoutCode(text).split("\n").entries()) {
    const isTable = /^\s*\|/.test(line)
    if (isTable) {
      const cells = line.replaceAll(/`[^`]*`/g, (code) => code.replaceAll("|", "/")).split(/(?<!\\)\|/)
      for (const cell of cells) if (!/^\s*:?-*:?\s*$/.test(cell)) blocks.push({ line: index + 1, text: cell })
      isOpen = false
    } else if (line.trim() === "") isOpen = false
    else if (isOpen && !startsBlock(line)) {
      const last = blocks.at(-1)
      if (last !== undefined) last.text += `\n${line}`
    } else {
      blocks.push({ line: index + 1, text: line.replace(/^\s*(?:#+ |> |[-*+] |\d+\. )/, "") })
      isOpen = !line.startsWith("#")
    }
  }
  return blocks
}

export const sentencesOf = (text: string): ReadonlyArray<Sentence> =>
  blocksOf(text).flatMap(({ line, text: block }) => split(plain(block)).map((one) => ({ line, text: one })))

export const wordsIn = (sentence: string): number =>
  sentence.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length
