/** Changes to the words of a prompt that leave what is no prose alone. */

/** 0 ≤ x < 1. */
export type Random = () => number

export const pick = <A>(from: ReadonlyArray<A>, random: Random): A => from[Math.floor(random() * from.length)]!

/** Fenced and inline code, formulas, links. */
const kept =
  /(```[\s\S]*?(?:```|$)|`[^`\n]*`|\$\$[\s\S]*?\$\$|\$[^$\n]+\$|\\\[[\s\S]*?\\\]|\\\([\s\S]*?\\\)|https?:\S+)/
/** Code that nobody fenced, and table rows. */
const codeLine =
  /^(\s{2,}\S|\t|\s*(def|class|import|from|return|#include|public|private|const|let|var|function|for|while|>>>|<\/?[a-z]|\|)[\s(<|])|[{};]\s*$/

/** Changes the prose of a prompt and nothing else. */
export const inProse = (prompt: string, change: (text: string) => string): string =>
  prompt
    .split(kept)
    .map((part, index) => {
      if (index % 2 === 1) return part
      const lines = part.split("\n")
      // Prose is handed over in blocks: a phrase may go over the end of a line.
      const blocks = lines.reduce<Array<{ isCode: boolean; lines: Array<string> }>>((all, line) => {
        const isCode = codeLine.test(line)
        const last = all.at(-1)
        if (last !== undefined && last.isCode === isCode) last.lines.push(line)
        else all.push({ isCode, lines: [line] })
        return all
      }, [])
      return blocks.map(({ isCode, lines: own }) => (isCode ? own.join("\n") : change(own.join("\n")))).join("\n")
    })
    .join("")

const cased = (word: string, like: string): string => {
  if (like.length > 1 && like === like.toUpperCase()) return word.toUpperCase()
  return /^\p{Lu}/u.test(like) ? word[0]!.toUpperCase() + word.slice(1) : word
}

const escaped = (word: string): string =>
  word.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`).replaceAll("'", "['’]")

/** Replaces words by `others` of each, each with probability `share`. */
export const replacer = (others: ReadonlyMap<string, ReadonlyArray<string>>, share: number) => {
  const words = [...others.keys()].toSorted((a, b) => b.length - a.length)
  const pattern = new RegExp(String.raw`(?<![\p{L}\d'’_-])(${words.map(escaped).join("|")})(?![\p{L}\d'’_-])`, "giu")
  return (prompt: string, random: Random): string =>
    inProse(prompt, (text) =>
      text.replace(pattern, (word) =>
        random() < share ? cased(pick(others.get(word.toLowerCase().replace("’", "'"))!, random), word) : word
      )
    )
}
