/** What a vendor that refuses nothing answers: the tool call or the JSON that was asked for, else a short text. */
import { eventMessage, chunkMessage } from "../../support/EventStreamMessages.ts"
import { completionBody, completionEvents, type Choice } from "../../../src/providers/demo/chat/ChatWire.ts"
import { wireOf } from "../../../src/testing/ScriptWire.ts"
import type { Loose, Seen } from "./Seen.ts"

export interface Reply {
  readonly contentType: string
  readonly body: string | Uint8Array
}

const CREATED = 1_795_000_000
const TEXT = "It is fine."
const USAGE = { input: 20, output: 10, cached: 0, reasoning: 0 }

interface Said {
  readonly text: string | undefined
  readonly call: { readonly name: string; readonly input: Loose } | undefined
}

/** The smallest value that the schema takes. */
const valueOf = (schema: Loose): unknown => {
  if (schema["enum"] !== undefined) return schema["enum"][0]
  if (schema["type"] === "object" || schema["type"] === "OBJECT" || schema["properties"] !== undefined)
    return Object.fromEntries(
      Object.entries(schema["properties"] ?? {}).map(([name, one]) => [name, valueOf(one as Loose)])
    )
  return schema["type"] === "number" || schema["type"] === "integer" ? 1 : "x"
}

const parametersOf = ({ body }: Seen, name: string): Loose => {
  const find = (value: unknown): Loose | undefined => {
    if (Array.isArray(value)) return value.map(find).find((one) => one !== undefined)
    if (typeof value !== "object" || value === null) return undefined
    const one = value as Loose
    const schema = one["input_schema"] ?? one["parameters"] ?? one["parametersJsonSchema"] ?? one["inputSchema"]?.json
    if (one["name"] === name && schema !== undefined) return schema
    return Object.values(one)
      .map(find)
      .find((inside) => inside !== undefined)
  }
  return find([body["tools"], body["toolConfig"]]) ?? {}
}

/** The tool that a choice names. */
const chosen = ({ body }: Seen): string | undefined => {
  const choice =
    body["tool_choice"] ?? body["toolConfig"]?.toolChoice?.tool ?? body["additionalModelRequestFields"]?.tool_choice
  return choice?.function?.name ?? choice?.name ?? body["toolConfig"]?.functionCallingConfig?.allowedFunctionNames?.[0]
}

const JSON_WORDS = /JSON/

const said = (seen: Seen): Said => {
  const { choice, functions, jsonMode, schema } = seen
  const forced = choice === "any" || choice === "named"
  if (schema !== undefined && !forced) return { text: JSON.stringify(valueOf(schema)), call: undefined }
  if (functions.length > 0 && choice !== "none") {
    // Gateways put a schema in a tool of their own, behind the caller's.
    const name = chosen(seen) ?? functions.at(-1)!
    return { text: undefined, call: { name, input: valueOf(parametersOf(seen, name)) as Loose } }
  }
  const wantsJson = jsonMode || JSON_WORDS.test(JSON.stringify(seen.body))
  return { text: wantsJson ? '{"answer":"x"}' : TEXT, call: undefined }
}

const choiceOf = ({ call, text }: Said): Choice => ({
  reasoning: [],
  content: text === undefined ? null : [text],
  toolCalls:
    call === undefined ? [] : [{ id: "call_1abcdefg", name: call.name, arguments: [JSON.stringify(call.input)] }],
  finish: call === undefined ? "stop" : "tool_calls"
})

const json = (body: unknown): Reply => ({
  contentType: "application/json",
  body: typeof body === "string" ? body : JSON.stringify(body)
})

const events = (texts: ReadonlyArray<string>): Reply => ({ contentType: "text/event-stream", body: texts.join("") })

const chat = (seen: Seen): Reply => {
  const choices = Array.from({ length: seen.n }, () => choiceOf(said(seen)))
  const completion = { id: "chatcmpl-1", created: CREATED, model: seen.model, choices, usage: USAGE }
  if (!seen.stream) return json(completionBody(completion))
  const asked = seen.body["stream_options"]?.include_usage === true
  return events(completionEvents(completion, asked || seen.vendor === "mistral").map(({ text }) => text))
}

const messages = (seen: Seen): Reply => {
  const wire = wireOf("/messages")
  const whole = { id: "1", created: CREATED, model: seen.model, choice: choiceOf(said(seen)), usage: USAGE }
  if (!seen.stream) return json(wire.body(whole))
  const texts = wire.events(whole, true)
  if (seen.vendor !== "bedrock") return events(texts)
  const framed = texts.map((text) => chunkMessage(JSON.parse(/data: (.*)/.exec(text)![1]!)))
  return { contentType: "application/vnd.amazon.eventstream", body: Buffer.concat(framed) }
}

const item = ({ call, text }: Said): Loose =>
  call === undefined
    ? {
        type: "message",
        id: "msg_1",
        status: "completed",
        role: "assistant",
        content: [{ type: "output_text", text, annotations: [], logprobs: [] }]
      }
    : {
        type: "function_call",
        id: "fc_1",
        call_id: "call_1",
        name: call.name,
        arguments: JSON.stringify(call.input),
        status: "completed"
      }

const responses = (seen: Seen): Reply => {
  const answer = said(seen)
  const whole = item(answer)
  const usage = {
    input_tokens: 20,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: 10,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: 30
  }
  const head = { id: "resp_1", object: "response", created_at: CREATED, model: seen.model, error: null, metadata: {} }
  const done = { ...head, status: "completed", output: [whole], usage }
  if (!seen.stream) return json(done)
  const at = { output_index: 0, item_id: whole["id"] }
  const inside = { ...at, content_index: 0 }
  const begun = { ...head, status: "in_progress", output: [] }
  const steps: ReadonlyArray<readonly [string, object]> =
    answer.call === undefined
      ? [
          ["response.content_part.added", { ...inside, part: { type: "output_text", text: "", annotations: [] } }],
          ["response.output_text.delta", { ...inside, delta: answer.text }],
          ["response.output_text.done", { ...inside, text: answer.text }],
          ["response.content_part.done", { ...inside, part: whole["content"][0] }]
        ]
      : [
          ["response.function_call_arguments.delta", { ...at, delta: whole["arguments"] }],
          ["response.function_call_arguments.done", { ...at, arguments: whole["arguments"] }]
        ]
  const opening = answer.call === undefined ? { ...whole, content: [] } : { ...whole, arguments: "" }
  const all: ReadonlyArray<readonly [string, object]> = [
    ["response.created", { response: begun }],
    ["response.in_progress", { response: begun }],
    ["response.output_item.added", { output_index: 0, item: { ...opening, status: "in_progress" } }],
    ...steps,
    ["response.output_item.done", { output_index: 0, item: whole }],
    ["response.completed", { response: done }]
  ]
  return events(
    all.map(
      ([type, fields], sequence_number) =>
        `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number, ...fields })}\n\n`
    )
  )
}

const gemini = (seen: Seen): Reply => {
  const { call, text } = said(seen)
  const parts =
    call === undefined
      ? [{ text }]
      : [{ functionCall: { name: call.name, args: call.input }, thoughtSignature: "c2ln" }]
  const candidate = { content: { role: "model", parts }, finishReason: "STOP" }
  const answer = {
    candidates: Array.from({ length: seen.n }, (_, index) => ({ ...candidate, index })),
    usageMetadata: { promptTokenCount: 20, candidatesTokenCount: 10, totalTokenCount: 30 },
    modelVersion: seen.model,
    responseId: "r1"
  }
  return seen.stream ? events([`data: ${JSON.stringify(answer)}\r\n\r\n`]) : json(answer)
}

const converse = (seen: Seen): Reply => {
  const { call, text } = said(seen)
  const usage = { inputTokens: 20, outputTokens: 10, totalTokens: 30 }
  const toolUse = call === undefined ? undefined : { toolUseId: "tooluse_1", name: call.name, input: call.input }
  const stopReason = call === undefined ? "end_turn" : "tool_use"
  const content = [toolUse === undefined ? { text } : { toolUse }]
  if (!seen.stream)
    return json({ output: { message: { role: "assistant", content } }, stopReason, usage, metrics: { latencyMs: 5 } })
  const at = { contentBlockIndex: 0 }
  const block =
    toolUse === undefined
      ? [eventMessage("contentBlockDelta", { ...at, delta: { text } })]
      : [
          eventMessage("contentBlockStart", {
            ...at,
            start: { toolUse: { toolUseId: toolUse.toolUseId, name: toolUse.name } }
          }),
          eventMessage("contentBlockDelta", { ...at, delta: { toolUse: { input: JSON.stringify(toolUse.input) } } })
        ]
  const all = [
    eventMessage("messageStart", { role: "assistant" }),
    ...block,
    eventMessage("contentBlockStop", at),
    eventMessage("messageStop", { stopReason }),
    eventMessage("metadata", { usage, metrics: { latencyMs: 5 } })
  ]
  return { contentType: "application/vnd.amazon.eventstream", body: Buffer.concat(all) }
}

const writers = { chat, responses, messages, gemini, converse }

export const replyTo = (seen: Seen): Reply => writers[seen.spoken](seen)
