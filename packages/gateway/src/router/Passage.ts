/**
 * Prose that a question is about, as in "Context: … Question: …" or "Read the following passage. …": the answer is in it, so it says
 * how much there is to read, not how hard the question is. Only what stands before and after it counts.
 */
import type { Span } from "./Courtesy.ts"
import { isTechnical, LEAST_MATERIAL } from "./Material.ts"

/** What a passage is announced as, on its own before a colon or in angle brackets, in lower case. */
const passages = labels(`
  context|passage|text|article|document|documents|excerpt|sources|transcript|paragraph|search results|retrieved documents|reference text|background information
  kontext|textauszug|dokument|dokumente|contexte|extrait|contexto|texto|fragmento|contesto|testo|trecho|tekst|kontekst|контекст|текст|отрывок|bağlam|metin|السياق|النص|הקשר|संदर्भ
  上下文|文章|背景|短文|コンテキスト|文脈|本文|문맥|지문
`)

/** What the question behind it is announced as. What is given for a task, as in "Context: … Task: design …", is part of the task. */
const questions = labels(`
  question|questions|query|user question|user query|q
  frage|fragen|pregunta|domanda|pergunta|vraag|pytanie|вопрос|soru|السؤال|שאלה|प्रश्न
  问题|提问|質問|問い|질문
`)

/** How the first line says that a text follows. */
const announced =
  /\b(?:following|below|this|these|given)\b.{0,40}\b(?:passages?|texts?|articles?|documents?|context|information|excerpts?|extracts?|paragraphs?|stor(?:y|ies)|quotations?|quotes?|memoirs?|transcripts?|sources?|speech|letter|poem)\b/i

/** Looked for in the first and in the last so many characters. */
const HEAD = 2000
const TAIL = 2000
/** The line that announces a text is no longer than this. */
const LONGEST_LINE = 200

/** The parts of `text` in `span` that are the task itself: `span` alone where there is no passage. */
export const withoutPassage = (text: string, span: Span): ReadonlyArray<Span> => {
  if (span.to - span.from < LEAST_MATERIAL) return [span]
  const passage = labelledPassage(text, span) ?? announcedPassage(text, span)
  if (passage === undefined || passage.to - passage.from < LEAST_MATERIAL) return [span]
  if (isTechnical(text, passage.from, passage.to)) return [span]
  return [
    { from: span.from, to: passage.from },
    { from: passage.to, to: span.to }
  ].filter(({ from, to }) => to > from)
}

const labelledPassage = (text: string, { from, to }: Span): Span | undefined => {
  const begins = labelIn(text, from, Math.min(to, from + HEAD), passages)
  if (begins === undefined) return undefined
  const isTag = text.charCodeAt(begins.to - 1) === CLOSING
  const close = isTag ? text.indexOf(`</${text.slice(begins.from, begins.to)}`, begins.to) : -1
  if (close !== -1 && close < to) return { from: begins.to, to: close }
  const tail = Math.max(begins.to, to - TAIL)
  const ends = labelIn(text, tail, to, questions)?.from ?? lastQuestion(text, tail, to)
  if (ends !== undefined) return { from: begins.to, to: ends }
  return isQuestion(text.slice(from, begins.from)) ? { from: begins.to, to } : undefined
}

const announcedPassage = (text: string, { from, to }: Span): Span | undefined => {
  const head = text.slice(from, Math.min(to, from + LONGEST_LINE))
  const line = head.indexOf("\n")
  if (line === -1 || !announced.test(head.slice(0, line))) return undefined
  const begins = from + line + 1
  const question = lastQuestion(text, Math.max(begins, to - TAIL), to)
  return question === undefined ? undefined : { from: begins, to: question }
}

const CLOSING = 62

/** The first of the labels between `from` and `to`: its name and, behind it, its colon or bracket. */
const labelIn = (text: string, from: number, to: number, labels: Labels): Span | undefined => {
  for (let at = from; at < to; at++) {
    const code = text.charCodeAt(at)
    if (code !== 58 && code !== CLOSING && code !== 0xff1a) continue
    const start = labelBefore(text, from, at, labels)
    if (start !== -1) return { from: start, to: at + 1 }
  }
  return undefined
}

/** Where the label that ends before `end` begins: on its own at the start of a line or sentence, or in brackets; -1: there is none. */
const labelBefore = (text: string, from: number, end: number, { longest, names }: Labels): number => {
  let start = end
  const isTag = text.charCodeAt(end) === CLOSING
  while (start > from && end - start <= longest && !isBoundary(text.charCodeAt(start - 1))) start--
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

/** Whether there is a question mark or a blank in it. */
const isQuestion = (text: string): boolean => /[?？؟]|__/.test(text)

interface Labels {
  readonly names: ReadonlySet<string>
  readonly longest: number
}

function labels(list: string): Labels {
  const names = list
    .split(/[|\n]/)
    .map((name) => name.trim())
    .filter((name) => name !== "")
  return { names: new Set(names), longest: Math.max(...names.map(({ length }) => length)) }
}
