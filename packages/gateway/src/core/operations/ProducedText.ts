/**
 * What a stream has produced so far, for the case that it is cut and nobody else counted. Keeps the events as they are, which
 * costs nothing; only very long answers are read on the way, so that memory stays bounded.
 */
import { Predicate, Result } from "effect"
import type { JsonObject } from "../domain/Json.ts"

const MAX_KEPT_CHARACTERS = 256 * 1024

/** What came of an answer. */
export interface Produced {
  readonly text: string
  /** Tool calls that began. */
  readonly calls: number
  /** The model's reasoning is in it, so that nothing of it is hidden. */
  readonly hasThoughts: boolean
  /** The answer was to come all at once and did not: what its provider wrote by then nobody has seen. */
  readonly isUnseen?: boolean
}

export const nothing: Produced = { text: "", calls: 0, hasThoughts: false }
export const unseen: Produced = { ...nothing, isUnseen: true }

export class ProducedText implements Produced {
  private events: Array<string> = []
  private kept = 0
  text = ""
  calls = 0
  hasThoughts = false

  /** `data`: the JSON of one chunk. */
  add(data: string): void {
    this.events.push(data)
    this.kept += data.length
    if (this.kept > MAX_KEPT_CHARACTERS) this.read()
  }

  /** All generated text: content, reasoning, refusals, tool calls. */
  read(): string {
    for (const data of this.events) {
      this.text += textOfChunk(data)
      this.hasThoughts ||= THOUGHT.test(data)
      this.calls += callsIn(data)
    }
    this.events = []
    this.kept = 0
    return this.text
  }

  /** The same, with all that is known of it. */
  all(): ProducedText {
    this.read()
    return this
  }
}

/** Of a call the first piece alone has the function's name. */
const CALL = /"function":\s*\{[^{}]*"name":\s*"[^"]/g

const callsIn = (json: string): number => json.match(CALL)?.length ?? 0

const THOUGHT = /"reasoning(?:_content)?":\s*"[^"]/

/** What can't be read counts for nothing: it went on to the caller unread. */
const textOfChunk = (data: string): string =>
  textOfChoices(Result.getOrUndefined(Result.try(() => JSON.parse(data) as unknown)), "delta")

/** The generated text of a chunk (`delta`) or a whole completion (`message`). */
export const textOfChoices = (body: unknown, part: "delta" | "message"): string => {
  if (!Predicate.hasProperty(body, "choices") || !Array.isArray(body.choices)) return ""
  let text = ""
  for (const choice of body.choices) {
    if (Predicate.hasProperty(choice, part)) text += textOfMessage(choice[part])
  }
  return text
}

/** What a whole completion says. */
export const producedIn = (body: JsonObject): Produced => {
  const json = JSON.stringify(body["choices"])
  return { text: textOfChoices(body, "message"), calls: callsIn(json), hasThoughts: THOUGHT.test(json) }
}

const textOfMessage = (message: unknown): string => {
  if (!Predicate.isObject(message)) return ""
  const fields = message as JsonObject
  let text = ""
  for (const name of ["reasoning_content", "reasoning", "content", "refusal"]) {
    const value = fields[name]
    if (typeof value === "string") text += value
    else if (Array.isArray(value)) text += JSON.stringify(value)
  }
  const calls = fields["tool_calls"]
  if (!Array.isArray(calls)) return text
  for (const call of calls) {
    if (!Predicate.hasProperty(call, "function") || !Predicate.isObject(call.function)) continue
    const { arguments: args, name } = call.function as JsonObject
    text += `${typeof name === "string" ? name : ""}${typeof args === "string" ? args : ""}`
  }
  return text
}
