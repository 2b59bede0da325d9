/** Looking at the JSON text of a stream chunk without parsing it. */
import type { ContentEvent } from "../../../../core/operations/LiftedAnswer.ts"
import { ProducedText } from "../../../../core/operations/ProducedText.ts"
import { parseJson, endOfString } from "../../../json/BoundedJson.ts"

const QUOTE = 34
const COMMA = 44
const COLON = 58
const OPEN_LIST = 91
const CLOSE_LIST = 93
const LOWER_N = 110
const OPEN_OBJECT = 123
const CLOSE_OBJECT = 125

/** Members of a delta that hold something generated, the usual first. */
const CONTENT_KEYS =
  "content tool_calls reasoning_content reasoning refusal function_call audio reasoning_details thinking".split(" ")

export const isObjectText = (text: string): boolean =>
  text.charCodeAt(0) === OPEN_OBJECT && text.charCodeAt(text.length - 1) === CLOSE_OBJECT

/**
 * The position of the value of member `key` (a plain name), from `from` on; -1 where there is none. Inside a string quotes are
 * escaped, so that a quoted `key` is a name, or a whole string, which no colon follows.
 */
export const valueOf = (text: string, key: string, from: number): number => {
  for (let at = text.indexOf(key, from); at >= 0; at = text.indexOf(key, at + 1)) {
    const end = at + key.length
    if (text.charCodeAt(at - 1) !== QUOTE || text.charCodeAt(end) !== QUOTE) continue
    const colon = skipSpace(text, end + 1)
    if (text.charCodeAt(colon) === COLON) return skipSpace(text, colon + 1)
  }
  return -1
}

const skipSpace = (text: string, from: number): number => {
  let at = from
  while (text.charCodeAt(at) <= 32) at++
  return at
}

/** Whether any member `key` is something else than null. */
export const holdsValue = (text: string, key: string, from: number): boolean => {
  for (let at = valueOf(text, key, from); at >= 0; at = valueOf(text, key, at)) {
    if (text.charCodeAt(at) !== LOWER_N) return true
  }
  return false
}

export const isList = (text: string, at: number): boolean => text.charCodeAt(at) === OPEN_LIST

const isEmptyList = (text: string, at: number): boolean =>
  isList(text, at) && text.charCodeAt(skipSpace(text, at + 1)) === CLOSE_LIST

/** Whether the value at `at` is a text, list or object that is not empty. */
const isFilled = (text: string, at: number): boolean => {
  if (at < 0) return false
  const first = text.charCodeAt(at)
  if (first === QUOTE) return text.charCodeAt(at + 1) !== QUOTE
  if (first === OPEN_LIST) return !isEmptyList(text, at)
  return first === OPEN_OBJECT && text.charCodeAt(skipSpace(text, at + 1)) !== CLOSE_OBJECT
}

/** The position of something generated in the choices, which begin at `choices`; -1 where there is nothing. */
export const contentOf = (text: string, choices: number): number => {
  if (choices < 0 || isEmptyList(text, choices)) return -1
  for (const key of CONTENT_KEYS) {
    for (let at = valueOf(text, key, choices); at >= 0; at = valueOf(text, key, at)) {
      if (isFilled(text, at)) return at
    }
  }
  return -1
}

/** Without its one `"usage": null`; undefined where there are several, of which some are not the chunk's own. */
export const withoutNullUsage = (text: string): string | undefined => without(text, "usage", "null")

/** Without its one `"role": "assistant"`; the text itself where it has none, undefined where it has others. */
export const withoutRole = (text: string): string | undefined =>
  valueOf(text, "role", 0) < 0 ? text : without(text, "role", '"assistant"')

/** Without the only member `key` that there is, when its value is `json`. */
const without = (text: string, key: string, json: string): string | undefined => {
  const value = valueOf(text, key, 0)
  if (value < 0 || !text.startsWith(json, value) || valueOf(text, key, value) >= 0) return undefined
  const start = text.lastIndexOf(`"${key}"`, value)
  const end = value + json.length
  let before = start - 1
  while (text.charCodeAt(before) <= 32) before--
  if (text.charCodeAt(before) === COMMA) return text.slice(0, before) + text.slice(end)
  const after = skipSpace(text, end)
  return text.slice(0, start) + text.slice(text.charCodeAt(after) === COMMA ? skipSpace(text, after + 1) : end)
}

/** With `"usage": null`, where it has no `usage`. The text is that of an object with members. */
export const withNullUsage = (text: string): string => `{"usage":null,${text.slice(1)}`

const OBFUSCATION = '"obfuscation":"'

/** Chunks of one stream differ in one string, and in OpenAI's padding (`obfuscation`): a chunk like a known one needs no further look. */
export class KnownChunk {
  private readonly head: string
  private readonly tail: string
  private readonly shownHead: string
  private readonly shownTail: string
  private readonly same: boolean
  private readonly padded: boolean
  /** Its one string is all that it says. Undefined until there is a chunk like it. */
  private isAll: boolean | undefined

  private constructor(came: Around, shown: Around, same: boolean) {
    this.head = came.head
    this.tail = came.tail
    this.shownHead = shown.head
    this.shownTail = shown.tail
    this.same = same
    this.padded = came.padded
  }

  /**
   * From a content chunk that was looked at in full, and what it became. `content`, `shownContent`: the positions of its content in
   * both. Undefined when that is no string, or not the same one.
   */
  static of(text: string, content: number, shown: string, shownContent: number): KnownChunk | undefined {
    const came = around(text, content)
    const same = shown === text
    const told = same ? came : around(shown, shownContent)
    if (came === undefined || told === undefined || told.padded !== came.padded) return undefined
    if (!same && told.string !== came.string && parseJson(told.string) !== parseJson(came.string)) return undefined
    return new KnownChunk(came, told, same)
  }

  /** The chunk as it goes on when it is of this kind and has content; else undefined. */
  match(text: string): ContentEvent | undefined {
    const { head, tail } = this
    // Several times faster than `startsWith`.
    if (text.slice(0, head.length) !== head) return undefined
    const end = endOfString(text, head.length)
    if (end <= head.length || !text.startsWith(tail, end)) return undefined
    const rest = end + tail.length
    if (this.padded ? text.indexOf('"', rest) !== text.length - 2 : rest !== text.length) return undefined
    const data = this.same ? text : this.shownHead + text.slice(head.length, end) + this.shownTail + text.slice(rest)
    const said = text.slice(head.length - 1, end + 1)
    this.isAll ??= ProducedText.isAllOf(data, said)
    return { kind: "content", data, said: this.isAll ? said : undefined }
  }
}

/** A chunk's string, and what stands before and behind it. Of one with padding the tail ends where that begins. */
interface Around {
  readonly head: string
  readonly string: string
  readonly tail: string
  readonly padded: boolean
}

const around = (text: string, content: number): Around | undefined => {
  if (text.charCodeAt(content) !== QUOTE) return undefined
  const end = endOfString(text, content + 1)
  const head = text.slice(0, content + 1)
  const string = text.slice(content, end + 1)
  const tail = text.slice(end)
  const padding = tail.indexOf(OBFUSCATION)
  if (padding < 0) return { head, string, tail, padded: false }
  const start = padding + OBFUSCATION.length
  if (endOfString(tail, start) !== tail.length - 2) return undefined
  return { head, string, tail: tail.slice(0, start), padded: true }
}
