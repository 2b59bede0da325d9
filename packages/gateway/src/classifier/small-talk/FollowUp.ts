/**
 * Short follow-ups, such as "yes", "continue", "ok do it", "ja, mach weiter", "继续": by themselves they say nothing of how hard the
 * task is that they go on with. Whatever is as short as that counts, in any language: word lists never end.
 */
import { Predicate } from "effect"
import type { JsonObject } from "../../core/domain/Json.ts"

const MOST_WORDS = 6
const MOST_CHARACTERS = 40
/** Characters of scripts that say about three letters' worth each. */
const DENSE = /[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff]/g
const DENSE_WEIGHS = 3
/** Beyond this nothing is looked at: blanks around a word are no reason to read a megabyte. */
const NEVER_FROM = 1_000

/** Whether a message is too short to be a task of its own, once a conversation is under way. */
export const isShort = (prompt: string): boolean => {
  if (prompt.length >= NEVER_FROM) return false
  const text = prompt.trim()
  if (text.length > MOST_CHARACTERS) return false
  const dense = text.match(DENSE)?.length ?? 0
  return text.length + dense * (DENSE_WEIGHS - 1) <= MOST_CHARACTERS && text.split(/\s+/).length <= MOST_WORDS
}

/** What a conversation was about before its last user message. */
export interface Before {
  /** Somebody answered already. */
  readonly isAnswered: boolean
  /** The text of the last answer; empty where there is none, and where it was no text. */
  readonly answer: string
  /** The last user message before that was no short follow-up itself; undefined where there is none. */
  readonly task: string | undefined
}

export const before = (history: ReadonlyArray<unknown>): Before => {
  let index = history.length - 1
  while (index >= 0 && roleOf(history[index]) !== "user") index--
  let answer: string | undefined
  for (index--; index >= 0; index--) {
    const role = roleOf(history[index])
    if (role === "assistant") answer ??= textOf(history[index] as JsonObject)
    if (role !== "user") continue
    const text = textOf(history[index] as JsonObject)
    if (!isShort(text)) return { isAnswered: answer !== undefined, answer: answer ?? "", task: text }
  }
  return { isAnswered: answer !== undefined, answer: answer ?? "", task: undefined }
}

const roleOf = (message: unknown): unknown => {
  if (!Predicate.isObject(message)) return undefined
  const { role, type } = message as JsonObject
  // The Responses API has no role where a model calls a tool.
  return type === "function_call" || type === "reasoning" ? "assistant" : role
}

const textOf = ({ content }: JsonObject): string => {
  if (typeof content === "string") return content
  if (!Array.isArray(content)) return ""
  return content
    .flatMap((part: unknown) => {
      if (typeof part === "string") return [part]
      return Predicate.hasProperty(part, "text") && typeof part.text === "string" ? [part.text] : []
    })
    .join("\n")
}
