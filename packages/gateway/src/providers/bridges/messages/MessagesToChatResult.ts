import { wireUsage } from "../../../core/operations/messages/MessagesRelay.ts"
import type { UpstreamCall, LiftedAnswer } from "../../../core/pool/Protocol.ts"
import { parseArguments } from "../../json/BoundedJson.ts"
import { argumentsText, arrayOf, isObject, textOf, objectsIn, type JsonObject } from "../../json/LooseJson.ts"
import { writtenId } from "./MessagesCallIds.ts"
import { callSeal, MessageSeals } from "../Seals.ts"
import { foreignSignature } from "../../protocols/anthropic/messages/AnthropicMessagesRequest.ts"

export const up = ({ body, serviceTier, usage }: LiftedAnswer, call: UpstreamCall): LiftedAnswer => {
  const choice = arrayOf(body["choices"]).find(isObject) ?? {}
  const message = isObject(choice["message"]) ? choice["message"] : {}
  const calls = objectsIn(message["tool_calls"])
  const refusal = textOf(message["refusal"])
  const thought = thoughtIn(message)
  const text = textOf(message["content"]) ?? refusal
  const seals = new MessageSeals(call)
  seals.add(message)
  seals.addUnshown(message)
  return {
    usage,
    serviceTier,
    body: {
      ...messageHead(body, call),
      content: [
        ...(thought === undefined
          ? []
          : [{ type: "thinking", thinking: thought.text, signature: foreignSignature(thought.field) }]),
        ...seals.takeDetails().map(redacted),
        ...(text === undefined ? [] : [{ type: "text", text }]),
        ...calls.flatMap((one) => [...sealOf(one, call), toolUse(one)]),
        ...seals.takeAll().map(redacted)
      ],
      ...stopOf(choice, call, calls.length > 0, refusal !== undefined),
      ...(usage === undefined ? undefined : { usage: wireUsage(usage) })
    }
  }
}

export const messageHead = ({ id, model }: JsonObject, { deployment, now }: UpstreamCall): JsonObject => ({
  id: `msg_${idText(textOf(id) ?? deployment.id).replace(/^chatcmpl-/, "")}_${now.toString(36)}`,
  type: "message",
  role: "assistant",
  model: textOf(model) ?? deployment.model
})

/** Anthropic's ids have letters, digits, `_` and `-` only. */
const idText = (id: string): string => id.replace(/[^\w-]/g, "_")

/** Thoughts, and the field that they came in. */
export const thoughtIn = (said: JsonObject): { readonly field: string; readonly text: string } | undefined => {
  for (const field of ["reasoning_content", "reasoning"]) {
    const text = textOf(said[field])
    if (text !== undefined) return { field, text }
  }
  return undefined
}

export const redacted = (data: string): JsonObject => ({ type: "redacted_thinking", data })

/** Stands before the call whose signature it holds. */
export const sealOf = (called: JsonObject, call: UpstreamCall): ReadonlyArray<JsonObject> => {
  const data = callSeal(called, call)
  return data === undefined ? [] : [redacted(data)]
}

const toolUse = ({ function: called, id }: JsonObject): JsonObject => {
  const { arguments: given, name } = isObject(called) ? called : {}
  return { type: "tool_use", id: writtenId(String(id)), name, input: inputOf(argumentsText(given) || "{}") }
}

/** Arguments that are no JSON object stay readable: clients and models know this name for them. */
export const inputOf = (given: string): JsonObject => {
  const input = parseArguments(given)
  return isObject(input) ? input : { INVALID_JSON: given }
}

const REASONS = new Map<unknown, string>([
  ["length", "max_tokens"],
  ["content_filter", "refusal"],
  ["tool_calls", "tool_use"],
  ["function_call", "tool_use"]
])

export const stopOf = (choice: JsonObject, call: UpstreamCall, hasCalls: boolean, hasRefused: boolean): JsonObject => {
  const { finish_reason: finish, stop_reason: stop } = choice
  const reason = hasRefused ? "refusal" : (REASONS.get(finish) ?? (hasCalls ? "tool_use" : "end_turn"))
  const isSequence = reason === "end_turn" && arrayOf(call.request.body["stop_sequences"]).includes(stop)
  return isSequence
    ? { stop_reason: "stop_sequence", stop_sequence: stop }
    : { stop_reason: reason, stop_sequence: null }
}
