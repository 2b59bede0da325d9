/** Answers of OpenAI's Responses, whole and streamed: reasoning, a message, calls of functions and of custom tools. */
import { argumentsOf, CREATED, events, json, pieces, type Said, type SaidCall, type Writer } from "./Said.ts"
import type { Loose } from "./Seen.ts"

interface Item {
  readonly whole: Loose
  /** As a stream opens it. */
  readonly opening: Loose
  /** The events between its opening and its end. */
  readonly steps: (at: Loose) => ReadonlyArray<readonly [type: string, fields: Loose]>
}

const reasoning = ({ sealed, text }: NonNullable<Said["thought"]>): Item => {
  const item = { type: "reasoning", id: `rs_${sealed.slice(-24)}`, encrypted_content: sealed }
  const part = { type: "summary_text", text }
  return {
    whole: { ...item, summary: [part] },
    opening: { ...item, summary: [] },
    steps: (at) => {
      const inside = { ...at, summary_index: 0 }
      return [
        ["response.reasoning_summary_part.added", { ...inside, part: { ...part, text: "" } }],
        ["response.reasoning_summary_text.delta", { ...inside, delta: text }],
        ["response.reasoning_summary_text.done", { ...inside, text }],
        ["response.reasoning_summary_part.done", { ...inside, part }]
      ]
    }
  }
}

const message = (text: string, id: string): Item => {
  const item = { type: "message", id: `msg_${id}`, status: "completed", role: "assistant" }
  const part = { type: "output_text", text, annotations: [], logprobs: [] }
  return {
    whole: { ...item, content: [part] },
    opening: { ...item, content: [] },
    steps: (at) => {
      const inside = { ...at, content_index: 0 }
      return [
        ["response.content_part.added", { ...inside, part: { ...part, text: "" } }],
        ...pieces(text).map((delta) => ["response.output_text.delta", { ...inside, delta }] as const),
        ["response.output_text.done", { ...inside, text }],
        ["response.content_part.done", { ...inside, part }]
      ]
    }
  }
}

const called = (call: SaidCall): Item => {
  const isCustom = typeof call.input === "string"
  const field = isCustom ? "input" : "arguments"
  const event = isCustom ? "response.custom_tool_call_input" : "response.function_call_arguments"
  const text = argumentsOf(call)
  const item = {
    type: isCustom ? "custom_tool_call" : "function_call",
    id: `${isCustom ? "ctc" : "fc"}_${call.id}`,
    call_id: call.id,
    name: call.name,
    ...(call.namespace === undefined ? undefined : { namespace: call.namespace }),
    status: "completed"
  }
  return {
    whole: { ...item, [field]: text },
    opening: { ...item, [field]: "" },
    steps: (at) => [
      ...pieces(text).map((delta) => [`${event}.delta`, { ...at, delta }] as const),
      [`${event}.done`, { ...at, [field]: text }]
    ]
  }
}

export const responses: Writer = (seen, { calls, id = "1", text, thought }, { cached, input, output }) => {
  const items = [
    ...(thought === undefined ? [] : [reasoning(thought)]),
    ...(text === undefined ? [] : [message(text, id)]),
    ...calls.map(called)
  ]
  const usage = {
    input_tokens: input,
    input_tokens_details: { cached_tokens: cached },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: input + output
  }
  const head = {
    id: `resp_${id}`,
    object: "response",
    created_at: CREATED,
    model: seen.model,
    error: null,
    metadata: {}
  }
  const done = { ...head, status: "completed", output: items.map(({ whole }) => whole), usage }
  if (!seen.stream) return json(done)
  const begun = { ...head, status: "in_progress", output: [] }
  const all: ReadonlyArray<readonly [type: string, fields: Loose]> = [
    ["response.created", { response: begun }],
    ["response.in_progress", { response: begun }],
    ...items.flatMap(({ opening, steps, whole }, output_index) => [
      ["response.output_item.added", { output_index, item: { ...opening, status: "in_progress" } }] as const,
      ...steps({ output_index, item_id: whole["id"] }),
      ["response.output_item.done", { output_index, item: whole }] as const
    ]),
    ["response.completed", { response: done }]
  ]
  return events(
    all.map(
      ([type, fields], sequence_number) =>
        `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number, ...fields })}\n\n`
    )
  )
}
