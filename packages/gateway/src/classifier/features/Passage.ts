/** Prose that a question is about, as in "Context: … Question: …": only what stands before and after it counts. */
import type { TextSpan } from "../small-talk/Courtesy.ts"
import { isTechnical, LEAST_MATERIAL, PROSE_LOOKED_AT } from "./Material.ts"

/** What a text that was found is announced as, on its own before a colon or in angle brackets, in lower case. */
const sources = labels(`
  passage|article|document|documents|excerpt|sources|transcript|paragraph|search results|retrieved documents|reference text
  textauszug|dokument|dokumente|extrait|fragmento|trecho|отрывок|النص|文章|短文|本文|지문
`)

/** The same, and what people also put before an account of their own situation: a question that follows has to say that it is one. */
const passages = labels(`
  context|text|background information
  kontext|contexte|contexto|texto|contesto|testo|tekst|kontekst|контекст|текст|bağlam|metin|السياق|הקשר|संदर्भ
  上下文|背景|コンテキスト|文脈|문맥
  ${[...sources.names].join("|")}
`)

/** What the question behind it is announced as. What is given for a task, as in "Context: … Task: design …", is part of the task. */
const questions = labels(`
  question|questions|query|user question|user query|q
  frage|fragen|pregunta|domanda|pergunta|vraag|pytanie|вопрос|soru|السؤال|שאלה|प्रश्न
  问题|提问|質問|問い|질문
`)

/** How the first line says that a text follows: to be read, not a thing that is to be made with it. */
const announced = announcements(
  "read|refer to|based on|according to|answer|questions?",
  "passages?|texts?|articles?|documents?|excerpts?|extracts?|paragraphs?|stor(?:y|ies)|quotations?|quotes?|memoirs?|transcripts?|speech|letter|poem"
)
/** In the way of exams; what is only called "information" is as often a riddle. */
const examined = announcements(
  "questions? (?:refers?|relates?|(?:is|are) (?:based|about)|to|on)",
  "information|sources?"
)

/** First-person words: the prompt describes a situation that may be hard. Documents that say "we" count as well. */
const SELF = oneOf({
  words: `I['’](?:m|ve|d|ll)|I (?:am|have|had|was|want|need|use|run|work|see|get|can|tried)|[Mm]y|[Ww]e|[Oo]ur
    [Ii]ch|[Ww]ir|[Jj]e|[Jj]['’]ai|[Nn]ous|[Nn]otre|nos|[Yy]o|[Nn]osotros|tenemos|[Ii]o|[Nn]oi|[Ee]u|[Nn]ós|[Ww]ij|[Яя]|[Мм]ы`,
  stems: "mein|unser|nuestr|nostr[aeio]|noss[ao]|[Нн]аш"
})
const SELF_DENSE = /[我私僕]|弊社|우리|저는/

/** What reading does not answer. */
const MORE = oneOf({
  words: `why|how (?:would|should|could|might)|(?:re-?)?design|architect (?:a|an|the|this|it|our)|(?:re-?)?implement|refactor|(?:re-?)?build
    develop|devise|propose|prove|disprove|proof|derive|optimi[sz]e|debug|diagnose|strategy|trade-?offs?|justify|critique
    analy[sz]e|assess|evaluate|rewrite|formali[sz]e|specification|rank|refute|fix|(?:find|list) (?:all|every)|would you|valid|changes that
    algorithm|complexity|invariants?|race conditions?|failure modes?
    warum|weshalb|pourquoi|conçois|concevoir|concevez|por qu[eé]|implement[ae]|perché|projet(?:e|ar)|почему`,
  stems: `entw[iue]rf|implementier|beweis|implément|démontr|diseñ|demuestr|progetta|dimostr|спроектир|реализу|докаж`,
  flags: "i"
})
const MORE_DENSE = /为什么|設計|设计|实现|実装|证明|証明|なぜ|설계|구현|증명/

export const asksMore = (question: string): boolean => says(question, MORE, MORE_DENSE)
export const speaksOfSelf = (text: string): boolean => says(text, SELF, SELF_DENSE)

/** Looked for in the first and in the last so many characters. */
const HEAD = 2000
const TAIL = 2000
/** The line that announces a text is no longer than this. */
const LONGEST_LINE = 200

/** A closing tag is not looked for farther away. */
const LONGEST_TAGGED = 50_000

/** The parts of `text` in `span` that are the task itself: `span` alone where there is no passage. */
export const withoutPassage = (text: string, span: TextSpan): ReadonlyArray<TextSpan> => {
  if (span.to - span.from < LEAST_MATERIAL) return [span]
  const passage = labelledPassage(text, span) ?? announcedPassage(text, span)
  if (passage === undefined || passage.to - passage.from < LEAST_MATERIAL) return [span]
  const { from, to } = passage
  if (isTechnical(text, from, to) || isTechnical(text, Math.max(from, to - PROSE_LOOKED_AT), to)) return [span]
  const parts = [
    { from: span.from, to: from },
    { from: to, to: span.to }
  ].filter(({ from, to }) => to > from)
  return parts.some((part) => says(withoutOptions(edges(text, part)), MORE, MORE_DENSE)) ? [span] : parts
}

const labelledPassage = (text: string, { from, to }: TextSpan): TextSpan | undefined => {
  const begins = labelIn(text, from, Math.min(to, from + HEAD), passages)
  if (begins === undefined) return undefined
  const passage = passageFrom(text, begins, { from, to })
  return passage !== undefined && says(edges(text, passage), SELF, SELF_DENSE) ? undefined : passage
}

const passageFrom = (text: string, begins: TextSpan, { from, to }: TextSpan): TextSpan | undefined => {
  const isTag = text.charCodeAt(begins.to - 1) === CLOSING
  const name = text.slice(begins.from, begins.to - 1)
  const isSource = sources.names.has(name.trim().toLowerCase())
  const hasQuestion = isQuestion(text.slice(from, begins.from))
  if (isTag) {
    const close = text.slice(begins.to, Math.min(to, begins.to + LONGEST_TAGGED)).indexOf(`</${name}>`)
    const end = begins.to + close
    if (close !== -1) {
      return hasQuestion || isQuestion(edges(text, { from: end, to })) ? { from: begins.to, to: end } : undefined
    }
  }
  const isAskedBefore = labelIn(text, from, begins.from, questions) !== undefined || (isSource && hasQuestion)
  const tail = Math.max(begins.to, to - TAIL)
  const ends = labelIn(text, tail, to, questions)?.from ?? (isSource ? lastQuestion(text, tail, to) : undefined)
  if (ends !== undefined) return { from: begins.to, to: ends }
  return isAskedBefore ? { from: begins.to, to } : undefined
}

const announcedPassage = (text: string, { from, to }: TextSpan): TextSpan | undefined => {
  const head = text.slice(from, Math.min(to, from + LONGEST_LINE))
  const line = head.indexOf("\n")
  if (line === -1) return undefined
  const first = head.slice(0, line)
  if (!announced.test(first) && !examined.test(first)) return undefined
  const begins = from + line + 1
  const question = lastQuestion(text, Math.max(begins, to - TAIL), to)
  return question === undefined ? undefined : { from: begins, to: question }
}

const CLOSING = 62
const SPACE = 32

/** The first of the labels between `from` and `to`: its name and, behind it, its colon or bracket. */
const labelIn = (text: string, from: number, to: number, labels: PassageLabels): TextSpan | undefined => {
  for (let at = from; at < to; at++) {
    const code = text.charCodeAt(at)
    if (code !== 58 && code !== CLOSING && code !== 0xff1a) continue
    const start = labelBefore(text, from, at, labels)
    if (start !== -1) return { from: start, to: at + 1 }
  }
  return undefined
}

/** Where the label that ends before `end` begins: on its own at the start of a line or sentence, or in brackets; -1: there is none. */
const labelBefore = (text: string, from: number, end: number, { lasts, longest, names }: PassageLabels): number => {
  let last = end - 1
  while (last > from && text.charCodeAt(last) === SPACE) last--
  if (!lasts.has(text.charAt(last))) return -1
  let start = last
  const isTag = text.charCodeAt(end) === CLOSING
  while (start > from && last - start <= longest && !isBoundary(text.charCodeAt(start - 1))) start--
  if (isTag && text.charCodeAt(start - 1) !== 60) return -1
  return names.has(text.slice(start, end).trim().toLowerCase()) ? start : -1
}

/** What can't be in a label: the end of a sentence or line, and the marks that headings and tags begin with. */
const boundaries = new Set(Array.from("\n.!?。:：<>#*[", (mark) => mark.charCodeAt(0)))
const isBoundary = (code: number): boolean => boundaries.has(code)

/** Where the last line begins that asks something: with options after it, a question mark or a blank in it; undefined: none does. */
const lastQuestion = (text: string, from: number, to: number): number | undefined => {
  const tail = text.slice(from, to)
  let isAsked = false
  let end = tail.length
  while (end > 0) {
    const start = tail.lastIndexOf("\n", end - 1) + 1
    const line = tail.slice(start, end).trim()
    if (/^\(?[A-J][.):]\s/.test(line)) isAsked = true
    else if (line !== "" && !/^answer:?$/i.test(line)) {
      return start > 0 && (isAsked || isQuestion(line)) ? from + start : undefined
    }
    end = start - 1
  }
  return undefined
}

const isQuestion = (text: string): boolean => /[?？؟]|__/.test(text)

/** Of at most 4,000 characters of a part: how it begins and how it ends. */
const edges = (text: string, { from, to }: TextSpan): string =>
  to - from <= HEAD + TAIL ? text.slice(from, to) : `${text.slice(from, from + HEAD)}\n${text.slice(to - TAIL, to)}`

/** A question without the answers to choose from. */
const withoutOptions = (question: string): string => {
  const options = question.search(/^\(?A[.):]\s/m)
  return options === -1 ? question : question.slice(0, options)
}

/** One of these words, or a word that begins with one of the stems. What can't begin a word is passed over at once: most of a text. */
function oneOf({ flags = "", stems, words }: { words: string; stems: string; flags?: string }): RegExp {
  const whole = words.replaceAll(/\n\s*/g, "|")
  return new RegExp(`(?:^|[\\s"'“‘«„(\\[¿¡/,;:.!?—–-])(?:(?:${whole})(?![A-Za-zÀ-ɏЀ-ӿ])|${stems})`, flags)
}

const says = (text: string, words: RegExp, dense: RegExp): boolean => words.test(text) || dense.test(text)

function announcements(verbs: string, nouns: string): RegExp {
  const follows = "\\b(?:following|below|this|these|given|the)\\b"
  // "This document service" is no document.
  const end =
    "(?=\\s*(?:$|[.,:;!?)])|\\s+(?:and|to|then|carefully|below|on|by|from|about|of|in|is|was|which|that|above|given)\\b)"
  return new RegExp(
    `^(?:(?:please|carefully|this|these|the|following) )*(?:${verbs})\\b.{0,60}${follows}.{0,40}\\b(?:${nouns})\\b${end}`,
    "i"
  )
}

interface PassageLabels {
  readonly names: ReadonlySet<string>
  /** What they end with, in lower and upper case: most colons have something else before them. */
  readonly lasts: ReadonlySet<string>
  readonly longest: number
}

function labels(list: string): PassageLabels {
  const names = list
    .split(/[|\n]/)
    .map((name) => name.trim())
    .filter((name) => name !== "")
  const lasts = names.flatMap((name) => [name.at(-1)!, name.at(-1)!.toUpperCase()])
  return { names: new Set(names), lasts: new Set(lasts), longest: Math.max(...names.map(({ length }) => length)) }
}
