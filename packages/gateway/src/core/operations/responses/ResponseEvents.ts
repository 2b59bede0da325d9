/** Turns a complete response into stream events: for providers that send no stream, and for stored responses. */
import { Predicate } from "effect"
import type { JsonObject } from "../../domain/Json.ts"
import type { LiftedAnswer, StreamEvent } from "../LiftedAnswer.ts"

export const responseEvents = ({ body, serviceTier, usage }: LiftedAnswer): ReadonlyArray<StreamEvent> => {
  const events: Array<StreamEvent> = []
  let count = 0
  const say = (kind: "lifecycle" | "content" | "finish", name: string, fields: JsonObject) => {
    const type = `response.${name}`
    events.push({ kind, data: JSON.stringify({ type, sequence_number: count++, ...fields }) })
  }
  const begun = {
    ...body,
    status: "in_progress",
    output: [],
    usage: null,
    incomplete_details: null,
    completed_at: null
  }
  say("lifecycle", "created", { response: begun })
  say("lifecycle", "in_progress", { response: begun })
  for (const [output_index, item] of objectsIn(body["output"]).entries()) {
    const at = { item_id: item["id"], output_index }
    say("lifecycle", "output_item.added", { output_index, item: blank(item) })
    for (const [summary_index, part] of objectsIn(item["summary"]).entries()) {
      const place = { ...at, summary_index }
      say("lifecycle", "reasoning_summary_part.added", { ...place, part: { ...part, text: "" } })
      say("content", "reasoning_summary_text.delta", { ...place, delta: part["text"] })
      say("lifecycle", "reasoning_summary_text.done", { ...place, text: part["text"] })
      say("lifecycle", "reasoning_summary_part.done", { ...place, part })
    }
    for (const [content_index, part] of objectsIn(item["content"]).entries()) {
      const place = { ...at, content_index }
      const [name, field] = PARTS[String(part["type"])] ?? ["output_text", "text"]
      const more = name === "output_text" ? { logprobs: part["logprobs"] ?? [] } : {}
      say("lifecycle", "content_part.added", { ...place, part: { ...part, [field]: "" } })
      say("content", `${name}.delta`, { ...place, delta: part[field], ...more })
      say("lifecycle", `${name}.done`, { ...place, [field]: part[field], ...more })
      say("lifecycle", "content_part.done", { ...place, part })
    }
    if (item["type"] === "function_call") {
      say("content", "function_call_arguments.delta", { ...at, delta: item["arguments"] })
      say("lifecycle", "function_call_arguments.done", { ...at, name: item["name"], arguments: item["arguments"] })
    } else if (item["type"] === "custom_tool_call") {
      say("content", "custom_tool_call_input.delta", { ...at, delta: item["input"] })
      say("lifecycle", "custom_tool_call_input.done", { ...at, input: item["input"] })
    }
    say("lifecycle", "output_item.done", { output_index, item })
  }
  say("finish", body["status"] === "incomplete" ? "incomplete" : "completed", { response: body })
  if (usage !== undefined) events.push({ kind: "usage", data: "", usage, serviceTier })
  events.push({ kind: "done" })
  return events
}

const objectsIn = (value: unknown): ReadonlyArray<JsonObject> =>
  Array.isArray(value) ? value.filter((one): one is JsonObject => Predicate.isObject(one)) : []

const PARTS: { readonly [type: string]: readonly [name: string, field: string] } = {
  output_text: ["output_text", "text"],
  refusal: ["refusal", "refusal"],
  reasoning_text: ["reasoning_text", "text"]
}

/** An item that has only begun. */
const blank = (item: JsonObject): JsonObject => {
  switch (item["type"]) {
    case "message":
      return { ...item, content: [], status: "in_progress" }
    case "reasoning":
      return { ...item, summary: [], ...("content" in item ? { content: [] } : {}) }
    case "function_call":
      return { ...item, arguments: "", status: "in_progress" }
    case "custom_tool_call":
      return { ...item, input: "" }
    default:
      return { ...item, status: "in_progress" }
  }
}
