/**
 * What a stream has produced, for an estimate if it is cut. Events are kept as text, where it is known, or as they are; only a
 * very long response is read on the way.
 */
import { Predicate, Result } from "effect"
import type { JsonObject } from "../domain/Json.ts"

const MAX_KEPT_CHARACTERS = 256 * 1024
/** What keeping a text takes beside its characters: a text may be a single one. */
const KEPT_BESIDE = 32

export interface Produced {
  readonly text: string
  /** Tool calls that were started. */
  readonly calls: number
  /** The text includes the model's reasoning, so none is hidden. */
  readonly hasThoughts: boolean
  /** The response was to come in one piece and did not, so nothing of what was written is known. */
  readonly isUnseen?: boolean
}

export const nothing: Produced = { text: "", calls: 0, hasThoughts: false }
export const unseen: Produced = { ...nothing, isUnseen: true }

export abstract class KeptEvents implements Produced {
  /** Events, which are objects, and texts. */
  private events: Array<string> = []
  private kept = 0
  text = ""
  calls = 0
  hasThoughts = false

  /** `data`: the JSON of one event; `said`: that of the text which is all it says, where that is known. */
  add(data: string, said = data): void {
    this.events.push(said)
    this.kept += said.length + KEPT_BESIDE
    if (this.kept > MAX_KEPT_CHARACTERS) this.all()
  }

  /** All that was generated: content, reasoning, refusals and tool calls. */
  all(): this {
    // Unreadable data counts as no text: it was forwarded unread.
    for (const data of this.events)
      this.read(Result.getOrUndefined(Result.try(() => JSON.parse(data) as unknown)), data)
    this.events = []
    this.kept = 0
    return this
  }

  /** `event`: what the JSON `data` says. */
  protected abstract read(event: unknown, data: string): void
}

export class ProducedText extends KeptEvents {
  /** Whether `said`, the JSON of a text, is all that the chunk `data` says. */
  static isAllOf(data: string, said: string): boolean {
    const { calls, hasThoughts, text } = ProducedText.of(data)
    return calls === 0 && !hasThoughts && text !== "" && text === ProducedText.of(said).text
  }

  private static of(json: string): Produced {
    const produced = new ProducedText()
    produced.add(json)
    return produced.all()
  }

  protected read(event: unknown, data: string): void {
    this.text += typeof event === "string" ? event : textOfChoices(event, "delta")
    if (typeof event === "string") return
    this.hasThoughts ||= THOUGHT.test(data)
    this.calls += callsIn(data)
  }
}

/** Matches the first piece of each call: only that one has the function's name. Google's calls come whole. */
const CALL = /"function":\s*\{[^{}]*"name":\s*"[^"]|"functionCall":/g

const callsIn = (json: string): number => json.match(CALL)?.length ?? 0

const THOUGHT = /"reasoning(?:_content)?":\s*"[^"]|"thought":\s*true/

/** The generated text of a chunk (`delta`) or a whole chat completion (`message`), or of either of a legacy one. */
export const textOfChoices = (body: unknown, part: "delta" | "message"): string => {
  if (Predicate.hasProperty(body, "candidates")) return textOfParts(body.candidates)
  if (!Predicate.hasProperty(body, "choices") || !Array.isArray(body.choices)) return ""
  let text = ""
  for (const choice of body.choices) {
    if (Predicate.hasProperty(choice, part)) text += textOfMessage(choice[part])
    else if (Predicate.hasProperty(choice, "text")) text += String(choice.text) + textOfMessage(choice)
  }
  return text
}

/** Texts and calls anywhere in Google's candidates. */
const textOfParts = (value: unknown): string => {
  if (typeof value !== "object" || value === null) return ""
  const { functionCall, text } = value as JsonObject
  if (functionCall !== undefined) return JSON.stringify(functionCall)
  return typeof text === "string" ? text : Object.values(value).map(textOfParts).join("")
}

/** The output of a complete response. */
export const producedIn = (body: JsonObject): Produced => {
  const json = JSON.stringify(body["choices"] ?? body["candidates"])
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
