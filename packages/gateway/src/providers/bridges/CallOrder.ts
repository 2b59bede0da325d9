/**
 * Puts the pieces of streamed tool calls in order. In chat they may come mixed with one another and with text; blocks of a message and
 * items of a response follow one another. The call that is open passes; what comes before its arguments are complete waits.
 */
import type { JsonObject } from "../../core/domain/Json.ts"
import { isFilled, objectOr, objectsIn } from "../json/LooseJson.ts"

export const CALL_GOES_ON = "the provider went back to a call that it had ended"

interface OpenToolCall {
  readonly index: unknown
  readonly json: JsonEnd
}

/** `index`: of the call that the choice has a piece of; undefined for anything else. */
interface WaitingChoice {
  readonly index?: unknown
  choice: JsonObject
}

export class CallOrder {
  private open: OpenToolCall | undefined
  private waiting: Array<WaitingChoice> = []
  /** Those of `waiting` that have a call, by its index. */
  private readonly calls = new Map<unknown, WaitingChoice>()
  private readonly seen = new Set<unknown>()

  /** The choices to take in place of this one, with a piece of at most one call each; undefined where a complete call goes on. */
  push(choice: JsonObject): ReadonlyArray<JsonObject> | undefined {
    const delta = objectOr(choice["delta"])
    const { tool_calls: given, ...rest } = delta
    const calls = objectsIn(given)
    if (calls.length === 0 && this.open === undefined) return [choice]
    const out: Array<JsonObject> = []
    if (
      Object.entries(rest).some(([name, value]) => name !== "role" && isFilled(value)) ||
      isFilled(choice["logprobs"])
    )
      this.other({ ...choice, delta: rest }, out)
    for (const call of calls) if (!this.call(call, out)) return undefined
    return out
  }

  end(): ReadonlyArray<JsonObject> {
    this.open = undefined
    const choices = this.waiting.map(({ choice }) => choice)
    this.waiting = []
    this.calls.clear()
    return choices
  }

  private other(choice: JsonObject, out: Array<JsonObject>): void {
    if (this.isFree()) out.push(choice)
    else this.waiting.push({ choice })
  }

  private call(call: JsonObject, out: Array<JsonObject>): boolean {
    const { index = this.seen.size } = call
    if (this.open?.index === index) {
      this.pass(call, out)
      this.advance(out)
      return true
    }
    const waiting = this.calls.get(index)
    if (waiting !== undefined) {
      waiting.choice = withMore(waiting.choice, argumentsOf(call))
      return true
    }
    if (this.seen.has(index)) return argumentsOf(call).trim() === ""
    this.seen.add(index)
    if (this.isFree()) this.begin(index, call, out)
    else this.wait({ index, choice: choiceOf({ ...call, index }) })
    return true
  }

  private wait(waiting: WaitingChoice): void {
    this.waiting.push(waiting)
    this.calls.set(waiting.index, waiting)
  }

  /** Closes an open call whose arguments are complete. */
  private isFree(): boolean {
    if (this.open?.json.isComplete === true) this.open = undefined
    return this.open === undefined && this.waiting.length === 0
  }

  private begin(index: unknown, call: JsonObject, out: Array<JsonObject>): void {
    this.open = { index, json: new JsonEnd() }
    this.pass({ ...call, index }, out)
  }

  private pass(call: JsonObject, out: Array<JsonObject>): void {
    this.open?.json.push(argumentsOf(call))
    out.push(choiceOf(call))
  }

  /** Passes what waits, up to the next call whose arguments are not complete. */
  private advance(out: Array<JsonObject>): void {
    let passed = 0
    for (const { choice, index } of this.waiting) {
      if (this.open?.json.isComplete === false) break
      passed++
      this.open = undefined
      this.calls.delete(index)
      if (index === undefined) out.push(choice)
      else this.begin(index, callIn(choice), out)
    }
    if (passed > 0) this.waiting = this.waiting.slice(passed)
  }
}

/** Finds the end of an object in pieces of JSON. */
class JsonEnd {
  isComplete = false
  private depth = 0
  private isInString = false
  private isEscaped = false

  push(text: string): void {
    for (const character of text) {
      if (this.isEscaped) this.isEscaped = false
      else if (this.isInString) {
        if (character === "\\") this.isEscaped = true
        else if (character === '"') this.isInString = false
      } else if (character === '"') this.isInString = true
      else if (character === "{" || character === "[") this.depth++
      else if ((character === "}" || character === "]") && --this.depth === 0) this.isComplete = true
    }
  }
}

const choiceOf = (call: JsonObject): JsonObject => ({ delta: { tool_calls: [call] } })

const callIn = (choice: JsonObject): JsonObject => objectsIn(objectOr(choice["delta"])["tool_calls"])[0] ?? {}

const withMore = (choice: JsonObject, text: string): JsonObject => {
  const call = callIn(choice)
  return choiceOf({ ...call, function: { ...objectOr(call["function"]), arguments: argumentsOf(call) + text } })
}

const argumentsOf = (call: JsonObject): string => {
  const given = objectOr(call["function"])["arguments"]
  return typeof given === "string" ? given : ""
}
