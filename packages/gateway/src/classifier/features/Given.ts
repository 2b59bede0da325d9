/**
 * Material that a look-up is about, known by its form: one long stretch of prose, a table or a quoted page, with a short question that
 * reading answers before or after it. `Passage.ts` knows it by its announcement.
 */
import type { TextSpan } from "../small-talk/Courtesy.ts"
import { isCjk } from "../text/Characters.ts"
import { isTechnical } from "./Material.ts"
import { asksMore, speaksOfSelf } from "./Passage.ts"

/** A request that is shorter holds no page. */
const LEAST = 320
/** Material is so long, and longer than its question so many times. */
const LEAST_MATERIAL = 240
const TIMES = 2.5
/** A question is looked for so far from either end, and no longer than that. */
const LONGEST_QUESTION = 360

/** The parts of `text` in `span` that ask; `span` alone where nothing is given, or where more is asked than reading answers. */
export const withoutGiven = (text: string, span: TextSpan): ReadonlyArray<TextSpan> => {
  const length = span.to - span.from
  if (length * DENSER < LEAST) return [span]
  const denser = isDense(text, span) ? DENSER : 1
  if (length * denser < LEAST) return [span]
  const question = questionAfter(text, span, denser) ?? questionBefore(text, span, denser) ?? lastSentence(text, span)
  if (question === undefined) return [span]
  const given = question.from > span.from ? { from: span.from, to: question.from } : { from: question.to, to: span.to }
  return isMaterial(text, given, question.to - question.from, denser) ? [question] : [span]
}

/** A Chinese, Japanese or Korean character says what so many Latin ones do. */
export const DENSER = 2.5
/** Whether a third of how it begins are such characters. */
const isDense = (text: string, { from, to }: TextSpan): boolean => {
  const end = Math.min(to, from + BEGINNING)
  let dense = 0
  for (let at = from; at < end; at++) if (isCjk(text.charCodeAt(at))) dense++
  return 3 * dense > end - from
}
const BEGINNING = 120

const isLongEnough = (material: number, question: number, denser: number): boolean =>
  material * denser >= LEAST_MATERIAL && material >= TIMES * question

const questionAfter = (text: string, { from, to }: TextSpan, denser: number): TextSpan | undefined => {
  const least = Math.max(from, to - LONGEST_QUESTION)
  const line = text.lastIndexOf("\n", to - 1)
  if (line < least) return undefined
  const question = { from: line + 1, to }
  if (!isLongEnough(line + 1 - from, to - line - 1, denser)) return undefined
  return isLookUp(text.slice(question.from, to)) ? question : undefined
}

const questionBefore = (text: string, { from, to }: TextSpan, denser: number): TextSpan | undefined => {
  const head = text.slice(from, Math.min(to, from + LONGEST_QUESTION))
  const line = head.indexOf("\n")
  if (line === -1 || !isLongEnough(to - from - line, line, denser)) return undefined
  return isLookUp(head.slice(0, line)) ? { from, to: from + line } : undefined
}

/** The last sentence, where the first says on the same line that a text follows. */
const lastSentence = (text: string, { from, to }: TextSpan): TextSpan | undefined => {
  if (!FOLLOWS.test(text.slice(from, from + LONGEST_QUESTION))) return undefined
  const least = Math.max(from, to - LONGEST_QUESTION)
  const start = text.slice(least, to - 1).search(/[.!?。！？"”»]\s*[^.!?。！？"”»]+$/)
  if (start === -1) return undefined
  const question = { from: least + start + 1, to }
  return isLookUp(text.slice(question.from, to).trim()) ? question : undefined
}

const FOLLOWS =
  /^\W*(?:here(?:'s|’s| is| are)|below (?:is|are)|the following|this is|from (?:an?|the|this)|consider|given|take|hier ist|voici|aquí (?:está|tienes)|ecco|вот|以下|下面|次の|다음).{0,60}(?:page|text|passage|article|excerpt|extract|paragraph|document|report|guide|review|letter|e-?mail|transcript|story|seite|artikel|auszug|extrait|página|artículo|pagina|статья|текст|文章|段|文|글)/isu

/** What reading answers: a question by its words or its mark, or a request to find something. */
const isLookUp = (question: string): boolean =>
  (ASKS.test(question) || /[?？؟]["”»)]*\s*$/.test(question)) && !asksMore(question) && !RECKONS.test(question)

const ASKS =
  /^\W*(?:(?:question|q|frage|pregunta|domanda|pergunta|vraag|вопрос|问题|質問|질문)\s*[:：]\s*)?(?:what|which|who|whom|whose|when|where|is|are|was|were|does|did|do|has|have|name|list|find|extract|identify|tell me|give me|according to|based on|using (?:only )?the|look up|quote|was|wer|wann|wo|welche[rsnm]?|nenne|finde|laut|qui|que|quel(?:le)?s?|quand|où|selon|trouve|d'après|qué|quién|cuándo|cuál(?:es)?|dónde|según|chi|quando|dove|quale|secondo|quem|onde|qual|segundo|wie|wanneer|waar|welk|kto|kiedy|gdzie|co|który|кто|что|когда|где|какой|какая|какие|сколько|согласно|kim|ne zaman|nerede|hangi)(?![\p{L}])|(?:谁|何时|哪|什么|几|多少|是否|根据|找出|列出|誰|いつ|どこ|どの|どれ|何|누구|언제|어디|무엇|어느|몇)/iu
/** What is not read but reckoned or found out. */
const RECKONS =
  /\b(?:how (?:many|much|long|far|fast|old)\b.*\b(?:total|all|altogether|left|remain|each|per|average)|calculate|compute|total|sum|average|mean|median|percent(?:age)?|ratio|difference between|probability|likely|best|most appropriate|next step|diagnosis|conclude|infer|imply|implies|assum\w+|strengthen|weaken|argument|flaw|must be true|could be|true|false|correct|solve|improve|recommend|should|would|wrong|bug|error|output|return)\b|[=+*^]|berechne|calcule|calcula|вычисл|计算|計算|求|平均|総|총|계산/iu

/** Whether it is a page, a table or prose to be read: no code, no formulas, no task, no list of clues, and nobody's own situation. */
const isMaterial = (text: string, { from, to }: TextSpan, question: number, denser: number): boolean => {
  if (!isLongEnough(to - from, question, denser)) return false
  const head = text.slice(from, Math.min(to, from + LOOKED_AT))
  if (isTable(head)) return true
  return (
    !isTechnical(text, from, to) &&
    !isTechnical(text, Math.max(from, to - LOOKED_AT), to) &&
    isStory(head) &&
    (to - from <= LOOKED_AT || isStory(text.slice(to - LOOKED_AT, to)))
  )
}

const LOOKED_AT = 1500
const isStory = (part: string): boolean => !speaksOfSelf(part) && !isRiddle(part)

/** Lines of cells: most have the same mark at least twice. */
const isTable = (text: string): boolean => {
  if (!/[|\t]|[,;]\S/.test(text)) return false
  const lines = text.split("\n").filter((line) => line.trim() !== "")
  const rows = lines.filter((line) => /\|[^|]*\||\t[^\t]*\t|[^,;]+[,;][^,;\s][^,;]*[,;]\S/.test(line)).length
  return rows >= 3 && rows >= 0.6 * lines.length && !/[{}=$\\]/.test(text)
}

/** Conditions to be put together, or steps to be followed: what is given is the task. */
const isRiddle = (text: string): boolean =>
  (text.match(/(?:^|\n)\s*(?:\(?\d+[.)]|[-*•])\s/g)?.length ?? 0) > 2 ||
  (text.match(/\b(?:if|exactly|at least|at most|must|either|neither|each|every|unless|suppose|let|given that)\b/gi)
    ?.length ?? 0) > 3 ||
  /\b(?:write|design|implement|solve|prove|clues?|puzzle|premise|implement|refactor|your task|you are)\b/i.test(text)
