/** Text that is only to be handled, as in "Summarise this: …", says nothing of how hard the task is. Only what comes before it counts. */
import type { TextSpan } from "../small-talk/Courtesy.ts"

/** How such a request begins, in lower case. */
const handlings = `
  summarise|summarize|sum up|give me a summary|give a summary|write a summary|tl;dr|translate|proofread|spell check|spellcheck
  fix the spelling|fix the grammar|fix spelling|fix grammar|fix typos|fix the typos|correct the spelling|correct the grammar|check the spelling|check the grammar
  rewrite|reword|rephrase|paraphrase|shorten|condense|simplify this text|polish this|polish the|polish my|make this friendlier|make this shorter|make this more|make it shorter|make it more|turn this into
  fasse|fass|übersetze|übersetz|korrigiere|kürze|formuliere|schreibe das um|schreib das um|résume|résumez|traduis|traduisez|corrige|corrigez|reformule|reformulez
  resume este|resume esta|resume el|resume la|resume lo|traduce|traduzca|reescribe|riassumi|traduci|correggi|riscrivi|resuma|traduza|corrija|reescreva|vat samen|vertaal|verbeter|herschrijf
  streść|podsumuj|przetłumacz|popraw|переведи|перевести|кратко изложи|перескажи|исправь|переклади|özetle|çevir|düzelt|لخص|ترجم|תרגם|सारांश|अनुवाद
  总结|翻译|概括|改写|润色|要約|翻訳|요약|번역
`
  .split(/[|\n]/)
  .map((phrase) => phrase.trim())
  .filter((phrase) => phrase !== "")

const handlingsBy = Map.groupBy(handlings, (phrase) => phrase.charCodeAt(0))

/** The task is said within so many characters, and what follows is material from so many on. */
const LONGEST_TASK = 200
export const LEAST_MATERIAL = 150
/** Code and formulas are not just handled: to translate a program is to write one. */
export const PROSE_LOOKED_AT = 1500
const MOST_MARKS = 0.012

/** The part of `text` in `span` that is task: all of it, unless it begins by saying what to do with the rest. */
export const withoutMaterial = (text: string, { from, to }: TextSpan): TextSpan => {
  if (to - from < LEAST_MATERIAL) return { from, to }
  const head = text.slice(from, from + LONGEST_TASK).toLowerCase()
  const isHandling = (phrase: string): boolean => head.startsWith(phrase) && !isLetter(head.charCodeAt(phrase.length))
  if (handlingsBy.get(head.charCodeAt(0))?.some(isHandling) !== true) return { from, to }
  const end = taskEnd(head)
  if (end === -1 || to - from - end < LEAST_MATERIAL || isTechnical(text, from + end, to)) return { from, to }
  return { from, to: from + end }
}

const isLetter = (code: number): boolean => (code >= 97 && code <= 122) || (code >= 0xc0 && code < 0x2000)

/** Behind the line break or colon that ends the task; -1: there is none. */
const taskEnd = (head: string): number => {
  for (let at = 0; at < head.length; at++) {
    const code = head.charCodeAt(at)
    if (code === 10 || code === 0xff1a || (code === 58 && head.charCodeAt(at + 1) <= 32)) return at + 1
  }
  return -1
}

const technical = new Set("{}[];=`$\\<>|^_#*+".split("").map((mark) => mark.charCodeAt(0)))

/** Whether it is code or formulas, by its first characters. */
export const isTechnical = (text: string, from: number, to: number): boolean => {
  const end = Math.min(to, from + PROSE_LOOKED_AT)
  let marks = 0
  for (let at = from; at < end; at++) if (technical.has(text.charCodeAt(at))) marks++
  return marks > MOST_MARKS * (end - from)
}
