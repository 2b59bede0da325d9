/**
 * `response_format` with a JSON schema, at models that know none: a tool that the model has to call, whose arguments become the content
 * of the response; or its JSON mode, with the schema in words. How it is done follows from the call alone, so that the way back knows it.
 */
import { Result } from "effect"
import type { JsonSchemaWay } from "../../core/domain/Deployment.ts"
import { Unsupported } from "../../core/domain/Failures.ts"
import type { Dialect, StreamLifter, UpstreamCall, LiftedAnswer, StreamEvent } from "../../core/pool/Protocol.ts"
import { isObject, objectOr, objectsIn, type JsonObject } from "../json/LooseJson.ts"
import type { WireEvent } from "../../core/pool/Framing.ts"

const FORMAT = "response_format"

export const schemaIn = (body: JsonObject): JsonObject | undefined => {
  const format = body[FORMAT]
  if (!isObject(format) || format["type"] !== "json_schema") return undefined
  const { schema } = objectOr(format["json_schema"])
  return isObject(schema) ? schema : undefined
}

/** `dialect` (of chat) for models that do without. `wayOf`: asked for requests with a schema; undefined: the dialect knows how. */
export const withJsonSchema = (dialect: Dialect, wayOf: (call: UpstreamCall) => JsonSchemaWay | undefined): Dialect => {
  const planOf = (call: UpstreamCall): Plan => {
    const schema = schemaIn(call.request.body)
    const way = schema === undefined ? undefined : wayOf(call)
    if (schema === undefined || way === undefined) return { call }
    return way === "tool" ? asTool(call, schema) : { call: inWords(call, schema), isWeaker: true }
  }
  return {
    ...dialect,
    lower: (call) => {
      const plan = planOf(call)
      if (plan.isWeaker === true && call.strict) return Result.fail(NOT_HELD)
      const wire = dialect.lower(plan.call)
      if (plan.isWeaker !== true) return wire
      return Result.map(wire, (request) => ({ ...request, dropped: [...request.dropped, `${FORMAT}.json_schema`] }))
    },
    lift: (text, call) => {
      const plan = planOf(call)
      const lifted = dialect.lift(text, plan.call)
      const { tool } = plan
      return tool === undefined ? lifted : Result.map(lifted, (answer) => withToolAnswer(answer, tool))
    },
    stream: (call) => {
      const plan = planOf(call)
      const lifter = dialect.stream(plan.call)
      return plan.tool === undefined ? lifter : new ToolAnswerStream(lifter, plan.tool)
    }
  }
}

interface Plan {
  readonly call: UpstreamCall
  /** The tool whose arguments are the response. */
  readonly tool?: string
  /** The model is asked for the schema, not held to it. */
  readonly isWeaker?: boolean
}

const NOT_HELD = new Unsupported({
  param: FORMAT,
  message:
    "this model can be instructed to follow the schema but does not guarantee it, and the request is strict: choose another model, or leave `X-Gateway-Strict` out"
})

const asTool = (call: UpstreamCall, schema: JsonObject): Plan => {
  const { [FORMAT]: _, ...body } = call.request.body
  // With a call of one of the caller's tools demanded there is no content for the schema to apply to.
  if (mustCallTool(body)) return { call: withBody(call, body) }
  const given = Array.isArray(body["tools"]) ? (body["tools"] as ReadonlyArray<unknown>) : []
  const name = objectsIn(given).some((tool) => objectOr(tool["function"])["name"] === "json") ? "json_answer" : "json"
  const called = { name, description: "Respond with a JSON object.", parameters: { type: "object", ...schema } }
  const tools = [...given, { type: "function", function: called }]
  // Two answers at once would be none.
  const asked = { ...body, tools, tool_choice: choiceOf(body, name, given.length), parallel_tool_calls: false }
  return { call: withBody(call, asked), tool: name }
}

const choiceOf = (body: JsonObject, name: string, ownTools: number): unknown => {
  const own = { type: "function", function: { name } }
  const choice = body["tool_choice"]
  if (ownTools === 0 || choice === "none") return own
  if (!isObject(choice) || choice["type"] !== "allowed_tools") return "required"
  const allowed = [...objectsIn(objectOr(choice["allowed_tools"])["tools"]), own]
  return { type: "allowed_tools", allowed_tools: { mode: "required", tools: allowed } }
}

const mustCallTool = (body: JsonObject): boolean => {
  const choice = body["tool_choice"]
  if (!Array.isArray(body["tools"]) || body["tools"].length === 0) return false
  if (choice === "required") return true
  if (!isObject(choice)) return false
  return choice["type"] === "function" || objectOr(choice["allowed_tools"])["mode"] === "required"
}

const inWords = (call: UpstreamCall, schema: JsonObject): UpstreamCall => {
  const { body } = call.request
  const content = `Answer with a JSON object, and nothing else, that follows this JSON schema:\n${JSON.stringify(schema)}`
  const messages = Array.isArray(body["messages"]) ? (body["messages"] as ReadonlyArray<unknown>) : []
  return withBody(call, {
    ...body,
    [FORMAT]: { type: "json_object" },
    messages: [...leading(messages), { role: "system", content }, ...messages.slice(leading(messages).length)]
  })
}

const isInstruction = (message: unknown): boolean =>
  isObject(message) && (message["role"] === "system" || message["role"] === "developer")

/** The instructions at the beginning: servers that take only one place for them want it to be there. */
const leading = (messages: ReadonlyArray<unknown>): ReadonlyArray<unknown> => {
  const end = messages.findIndex((message) => !isInstruction(message))
  return end < 0 ? messages : messages.slice(0, end)
}

const withBody = (call: UpstreamCall, body: JsonObject): UpstreamCall => {
  const { long: _, ...request } = call.request
  return { ...call, request: { ...request, body } }
}

/** Answers of chat in which the call of one tool is the content: the call becomes the content, complete or event by event. */
const withToolAnswer = (answer: LiftedAnswer, tool: string): LiftedAnswer => ({
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

interface ToolAnswerChoice {
  /** Index of the tool's call in the stream; undefined before it. */
  own: unknown
  /** The caller's calls seen so far, numbered anew. */
  readonly others: Map<unknown, number>
  /** Further calls of the tool: one response is enough. */
  readonly repeated: Set<unknown>
  /** Text beside the call is said only where the tool is not called after all. */
  held: string
}

class ToolAnswerStream implements StreamLifter {
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
