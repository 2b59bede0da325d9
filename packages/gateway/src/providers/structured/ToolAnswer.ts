/** Answers of chat in which the call of one tool is the content: the call becomes the content, complete or event by event. */
import type { JsonObject } from "../../core/domain/Json.ts"
import type { LiftedAnswer, StreamEvent } from "../../core/operations/LiftedAnswer.ts"
import type { WireEvent } from "../../core/pool/Framing.ts"
import type { StreamLifter } from "../../core/pool/Protocol.ts"
import { objectOr, objectsIn } from "../json/LooseJson.ts"

export const withToolAnswer = (answer: LiftedAnswer, tool: string): LiftedAnswer => ({
  ...answer,
  text: undefined,
  body: { ...answer.body, choices: objectsIn(answer.body["choices"]).map((choice) => asContent(choice, tool)) }
})

const asContent = (choice: JsonObject, tool: string): JsonObject => {
  const { tool_calls: given, annotations: _, ...message } = objectOr(choice["message"])
  const calls = objectsIn(given)
  const own = calls.find((call) => nameOf(call) === tool)
  if (own === undefined) return choice
  const others = calls.filter((call) => nameOf(call) !== tool)
  return {
    ...choice,
    finish_reason: finishWith(choice["finish_reason"], others.length),
    message: {
      ...message,
      content: argumentsOf(own),
      ...(others.length === 0 ? undefined : { tool_calls: others })
    }
  }
}

const nameOf = (call: JsonObject): unknown => objectOr(call["function"])["name"]

const argumentsOf = (call: JsonObject): string => {
  const { arguments: given } = objectOr(call["function"])
  return typeof given === "string" ? given : JSON.stringify(given ?? {})
}

const finishWith = (reason: unknown, otherCalls: number): unknown =>
  reason === "tool_calls" && otherCalls === 0 ? "stop" : reason

/** One choice on its way. */
interface ToolAnswerChoice {
  /** Index of the tool's call in the stream; undefined before it. */
  own: unknown
  /** The caller's calls seen so far, numbered anew. */
  readonly others: Map<unknown, number>
  /** Further calls of the tool: one answer is enough. */
  readonly repeated: Set<unknown>
  /** Text beside the call is said only where the tool is not called after all. */
  held: string
}

export class ToolAnswerStream implements StreamLifter {
  private readonly inner: StreamLifter
  private readonly tool: string
  private readonly choices = new Map<unknown, ToolAnswerChoice>()

  constructor(inner: StreamLifter, tool: string) {
    this.inner = inner
    this.tool = tool
  }

  push(event: WireEvent): ReadonlyArray<StreamEvent> {
    return this.inner.push(event).flatMap((one) => this.step(one))
  }

  end(): ReadonlyArray<StreamEvent> {
    return this.inner.end().flatMap((one) => this.step(one))
  }

  private step(event: StreamEvent): ReadonlyArray<StreamEvent> {
    if (event.kind !== "lifecycle" && event.kind !== "content" && event.kind !== "finish") return [event]
    const chunk = JSON.parse(event.data) as JsonObject
    const [choice, ...more] = objectsIn(chunk["choices"])
    // The dialects give a choice a chunk.
    if (choice === undefined || more.length > 0) return [event]
    const state = this.stateOf(choice["index"])
    const say = (kind: "lifecycle" | "content" | "finish", fields: JsonObject): StreamEvent => {
      return { kind, data: JSON.stringify({ ...chunk, choices: [{ ...choice, ...fields }] }) }
    }
    const delta = this.delta(objectOr(choice["delta"]), state)
    if (event.kind !== "finish") return Object.keys(delta).length === 0 ? [] : [say(event.kind, { delta })]
    const reason = finishWith(choice["finish_reason"], state.own === undefined ? 1 : state.others.size)
    const finish = say("finish", { delta, finish_reason: reason })
    if (state.own !== undefined || state.held === "") return [finish]
    return [say("content", { delta: { content: state.held }, finish_reason: null }), finish]
  }

  private delta(
    { annotations: _, content, tool_calls: calls, ...rest }: JsonObject,
    state: ToolAnswerChoice
  ): JsonObject {
    if (typeof content === "string") state.held += content
    let said = ""
    const others: Array<JsonObject> = []
    for (const call of objectsIn(calls)) {
      const { index } = call
      const name = nameOf(call)
      if (name === this.tool) {
        if (state.own === undefined) state.own = index
        else if (state.own !== index) state.repeated.add(index)
      }
      if (state.repeated.has(index)) continue
      if (index === state.own) said += objectOr(call["function"])["arguments"] === undefined ? "" : argumentsOf(call)
      else if (name !== undefined && !state.others.has(index)) state.others.set(index, state.others.size)
      const number = state.others.get(index)
      if (number !== undefined) others.push({ ...call, index: number })
    }
    return {
      ...rest,
      // A role comes with an empty content.
      ...(said === "" && rest["role"] === undefined ? undefined : { content: said }),
      ...(others.length === 0 ? undefined : { tool_calls: others })
    }
  }

  private stateOf(index: unknown): ToolAnswerChoice {
    let state = this.choices.get(index)
    if (state === undefined) {
      state = { own: undefined, others: new Map(), repeated: new Set(), held: "" }
      this.choices.set(index, state)
    }
    return state
  }
}
