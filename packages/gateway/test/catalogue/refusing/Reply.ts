/** What a vendor that refuses nothing answers: the tool call or the JSON that was asked for, else a short text. */
import { eventMessage, chunkMessage } from "../../support/EventStreamMessages.ts"
import { completionBody, completionEvents, type DemoChoice } from "../../../src/providers/demo/chat/DemoChatWire.ts"
import { wireOf } from "../../../src/testing/ScriptWire.ts"
import { responses } from "./ResponsesReply.ts"
import {
  argumentsOf,
  CREATED,
  events,
  json,
  pieces,
  type Reply,
  type Said,
  USAGE,
  type Used,
  type Writer
} from "./Said.ts"
import type { Loose, Seen } from "./Seen.ts"

const TEXT = "It is fine."
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
  if (schema !== undefined && !forced) return { text: JSON.stringify(valueOf(schema)), calls: [] }
  if (functions.length > 0 && choice !== "none") {
    // Gateways put a schema in a tool of their own, behind the caller's.
    const name = chosen(seen) ?? functions.at(-1)!
    const input = valueOf(parametersOf(seen, name)) as Loose
    return { text: undefined, calls: [{ id: "call_1abcdefg", name, input }] }
  }
  const wantsJson = jsonMode || JSON_WORDS.test(JSON.stringify(seen.body))
  return { text: wantsJson ? '{"answer":"x"}' : TEXT, calls: [] }
}

const choiceOf = ({ calls, text, thought }: Said): DemoChoice => ({
  reasoning: thought === undefined ? [] : pieces(thought.text),
  content: text === undefined ? null : pieces(text),
  toolCalls: calls.map((call) => ({ id: call.id, name: call.name, arguments: pieces(argumentsOf(call)) })),
  finish: calls.length === 0 ? "stop" : "tool_calls"
})

const chat: Writer = (seen, answer, usage) => {
  const choices = Array.from({ length: seen.n }, () => choiceOf(answer))
  const completion = { id: `chatcmpl-${answer.id ?? 1}`, created: CREATED, model: seen.model, choices, usage }
  if (!seen.stream) return json(completionBody(completion))
  const asked = seen.body["stream_options"]?.include_usage === true
  return events(completionEvents(completion, asked || seen.vendor === "mistral").map(({ text }) => text))
}

/** The signature of thoughts that have none of their own. */
const UNSEALED = "c2NyaXB0"

const messages: Writer = (seen, answer, usage) => {
  const wire = wireOf("/messages")
  const whole = { id: answer.id ?? "1", created: CREATED, model: seen.model, choice: choiceOf(answer), usage }
  const signed = (text: string) => text.replaceAll(UNSEALED, answer.thought?.sealed ?? UNSEALED)
  if (!seen.stream) return json(signed(wire.body(whole)))
  const texts = wire.events(whole, true).map(signed)
  if (seen.vendor !== "bedrock") return events(texts)
  const framed = texts.map((text) => chunkMessage(JSON.parse(/data: (.*)/.exec(text)![1]!)))
  return { contentType: "application/vnd.amazon.eventstream", body: Buffer.concat(framed) }
}

const gemini: Writer = (seen, { calls, id = "1", text, thought }, { cached, input, output }) => {
  const signature = { thoughtSignature: thought?.sealed ?? "c2ln" }
  const parts = [
    ...(thought === undefined ? [] : [{ text: thought.text, thought: true }]),
    ...(text === undefined ? [] : [{ text }]),
    // The first of parallel calls alone is signed.
    ...calls.map(({ input: args, name }, index) => ({
      functionCall: { name, args },
      ...(index === 0 ? signature : undefined)
    }))
  ]
  const candidate = { content: { role: "model", parts }, finishReason: "STOP" }
  const answer = {
    candidates: Array.from({ length: seen.n }, (_, index) => ({ ...candidate, index })),
    usageMetadata: {
      promptTokenCount: input,
      ...(cached > 0 ? { cachedContentTokenCount: cached } : undefined),
      candidatesTokenCount: output,
      totalTokenCount: input + output
    },
    modelVersion: seen.model,
    responseId: `r${id}`
  }
  return seen.stream ? events([`data: ${JSON.stringify(answer)}\r\n\r\n`]) : json(answer)
}

const converse: Writer = (seen, { calls: [call], text }, { input, output }) => {
  const usage = { inputTokens: input, outputTokens: output, totalTokens: input + output }
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

/** Left out: the tool call, the JSON or the short text that the request asks for. */
export const replyTo = (seen: Seen, answer: Said = said(seen), usage: Used = USAGE): Reply =>
  writers[seen.spoken](seen, answer, usage)
