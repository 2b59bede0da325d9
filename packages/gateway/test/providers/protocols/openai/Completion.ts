/** The completion that a stream's events add up to. */
import type { JsonObject } from "../../../../src/core/domain/Json.ts"
import type { StreamEvent } from "../../../../src/core/operations/LiftedAnswer.ts"
import type { Usage } from "../../../../src/core/domain/Usage.ts"

interface Completion {
  readonly body: JsonObject
  readonly usage: Usage | undefined
}

export const completionOf = (events: ReadonlyArray<StreamEvent>): Completion => {
  const message: Record<string, unknown> = { role: "assistant", content: null }
  const calls: Array<{ id: unknown; name: unknown; arguments: string }> = []
  let finish: unknown = null
  let usage: Usage | undefined
  for (const event of events) {
    if (event.kind === "usage") usage = event.usage
    if (!("data" in event)) continue
    for (const { delta, finish_reason: reason } of JSON.parse(event.data).choices) {
      finish = reason ?? finish
      for (const name of ["content", "reasoning_content", "refusal"]) {
        if (typeof delta[name] === "string" && delta[name] !== "")
          message[name] = `${String(message[name] ?? "")}${delta[name]}`
      }
      for (const { function: called, id, index } of delta.tool_calls ?? []) {
        calls[index] ??= { id, name: called.name, arguments: "" }
        calls[index].arguments += called.arguments ?? ""
      }
    }
  }
  if (calls.length > 0) {
    message["tool_calls"] = calls.map((one) => ({
      id: one.id,
      type: "function",
      function: { name: one.name, arguments: one.arguments }
    }))
  }
  return { body: { choices: [{ index: 0, message, finish_reason: finish }] }, usage }
}
