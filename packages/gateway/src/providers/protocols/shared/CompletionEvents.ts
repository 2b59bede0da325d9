/** Turns a complete chat completion into the events of a stream, for providers that response a stream request with one. */
import type { UpstreamCall, LiftedAnswer, StreamEvent } from "../../../core/pool/Protocol.ts"
import { isFilled, isObject, objectOr, objectsIn, type JsonObject } from "../../json/LooseJson.ts"

/** In stream order: the content of each choice, then its finish; the usage if it was reported; the end mark. */
export const completionEvents = (
  { body, serviceTier, usage }: LiftedAnswer,
  call: UpstreamCall
): ReadonlyArray<StreamEvent> => {
  const { choices, usage: told, ...rest } = body
  const head = { ...rest, object: "chat.completion.chunk" }
  const silent = call.request.includeUsage ? { usage: null } : {}
  const events: Array<StreamEvent> = []
  for (const choice of objectsIn(choices)) {
    const { finish_reason: reason, index, logprobs, message, ...more } = choice
    const say = (kind: "lifecycle" | "content" | "finish", fields: JsonObject) => {
      const chunk = { ...head, choices: [{ index, finish_reason: null, ...fields }], ...silent }
      events.push({ kind, data: JSON.stringify(chunk) })
    }
    const said = deltasOf(objectOr(message))
    const isToolFirst = said[0] !== undefined && "tool_calls" in said[0]
    say("lifecycle", { delta: { role: "assistant", content: isToolFirst ? null : "" } })
    for (const delta of said) {
      const isText = "content" in delta || "refusal" in delta
      say("content", isText && isObject(logprobs) ? { delta, logprobs } : { delta })
    }
    say("finish", { ...more, delta: {}, finish_reason: reason })
  }
  if (usage !== undefined) {
    events.push({ kind: "usage", usage, serviceTier, data: JSON.stringify({ ...head, choices: [], usage: told }) })
  }
  events.push({ kind: "done" })
  return events
}

/** Thoughts come before the content, images behind it, and tool calls follow one another: for each its name, then its arguments. */
const deltasOf = ({ content, role: _, tool_calls: calls, ...others }: JsonObject): ReadonlyArray<JsonObject> => {
  const deltas: Array<JsonObject> = []
  const add = (name: string, value: unknown) => {
    if (isFilled(value)) deltas.push({ [name]: value })
  }
  const { annotations, images, refusal, ...thoughts } = others
  for (const [name, value] of Object.entries(thoughts)) add(name, value)
  add("content", content)
  add("refusal", refusal)
  add("annotations", annotations)
  add("images", images)
  for (const [index, call] of objectsIn(calls).entries()) {
    const called = call["function"]
    if (!isObject(called)) {
      add("tool_calls", [{ ...call, index }])
      continue
    }
    const { arguments: given, ...named } = called
    add("tool_calls", [{ ...call, index, function: { ...named, arguments: "" } }])
    add("tool_calls", [{ index, function: { arguments: given } }])
  }
  return deltas
}
