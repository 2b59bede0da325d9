/** Tool calls of compatible servers as OpenAI writes them: an id, a type, arguments as text, and in a stream a number from 0. */
import type { JsonObject } from "../../../../core/domain/Json.ts"
import { parseJson } from "../../../json/BoundedJson.ts"
import { argumentsText, isObject, objectsIn, textOf } from "../../../json/LooseJson.ts"

/** The calls of a whole answer. `id`: the answer's, for calls that have none of their own. A call without arguments has `{}`. */
export const repairedCalls = (calls: ReadonlyArray<unknown>, id: unknown): ReadonlyArray<JsonObject> =>
  objectsIn(calls).map((call, position) => {
    // A custom tool's call has no function.
    if (call["type"] === "custom") return call
    const called = isObject(call["function"]) ? call["function"] : {}
    return {
      ...call,
      id: textOf(call["id"]) ?? `call_${String(id)}_${position}`,
      type: "function",
      function: { ...called, name: textOf(called["name"]) ?? "", arguments: argumentsText(called["arguments"]) || "{}" }
    }
  })

interface BegunCall {
  readonly id: string | undefined
  /** The place that the server gave it. */
  readonly given: number | undefined
  readonly number: number
  text: string
}

/** The calls of one choice of a stream. Servers number them from 1, all with 0, with -1 or not at all. */
export class StreamedCalls {
  private readonly begun: Array<BegunCall> = []

  /** The pieces of one chunk: the first of a call names it, those after it have arguments only. */
  pieces(calls: ReadonlyArray<unknown>, answerId: unknown): ReadonlyArray<JsonObject> {
    return objectsIn(calls).map((call) => {
      const { function: _, id, index, type: __, ...rest } = call
      const called = isObject(call["function"]) ? call["function"] : {}
      const name = textOf(called["name"])
      const text = argumentsOf(called)
      const known = this.find(textOf(id), place(index), name)
      if (known !== undefined) {
        const more = known.text === "" ? argumentsText(text) : text
        known.text += more
        return { ...rest, index: known.number, function: { arguments: more } }
      }
      const number = this.begun.length
      const first = argumentsText(text)
      this.begun.push({ id: textOf(id), given: place(index), number, text: first })
      return {
        ...rest,
        index: number,
        id: textOf(id) ?? `call_${String(answerId)}_${number}`,
        type: "function",
        function: { ...called, name: name ?? "", arguments: first }
      }
    })
  }

  /** What is missing of calls that never got arguments: clients parse them as JSON. */
  unsaid(): ReadonlyArray<JsonObject> {
    const silent = this.begun.filter(({ text }) => text === "")
    for (const call of silent) call.text = "{}"
    return silent.map(({ number, text }) => ({ index: number, function: { arguments: text } }))
  }

  /**
   * The call that a piece belongs to; undefined where another one begins. Some servers make up an id for every piece, others repeat
   * the name: only both together, or a name after whole arguments, begin another call.
   */
  private find(id: string | undefined, given: number | undefined, name: string | undefined): BegunCall | undefined {
    const known =
      given === undefined && id !== undefined
        ? this.begun.find((one) => one.id === id)
        : this.begun.findLast((one) => given === undefined || one.given === given)
    if (known === undefined || name === undefined) return known
    if (id !== undefined) return known.id === id ? known : undefined
    return given === undefined || isObject(parseJson(known.text)) ? undefined : known
  }
}

const argumentsOf = (called: JsonObject): string => {
  const given = called["arguments"]
  return typeof given === "string" ? given : argumentsText(given)
}

const place = (index: unknown): number | undefined =>
  Number.isInteger(index) && (index as number) >= 0 ? (index as number) : undefined
