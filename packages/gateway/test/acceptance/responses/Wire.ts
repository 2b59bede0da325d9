/** A provider that speaks Responses, played. */
import { event } from "../../support/Upstream.ts"

export const usage = {
  input_tokens: 12,
  input_tokens_details: { cached_tokens: 4 },
  output_tokens: 6,
  output_tokens_details: { reasoning_tokens: 2 },
  total_tokens: 18
}

const base = {
  id: "resp_upstream",
  object: "response",
  created_at: 1_760_000_000,
  error: null,
  incomplete_details: null,
  instructions: null,
  metadata: {},
  model: "m-2026",
  parallel_tool_calls: true,
  temperature: 1,
  tool_choice: "auto",
  tools: [],
  top_p: 1,
  text: { format: { type: "text" } },
  store: false
}

const message = (text: string, status = "completed") => ({
  id: "msg_upstream",
  type: "message",
  role: "assistant",
  status,
  content: status === "completed" ? [{ type: "output_text", text, annotations: [], logprobs: [] }] : []
})

const thought = { id: "rs_upstream", type: "reasoning", summary: [], encrypted_content: "gAAAA-secret" }

/** A response that thinks and then says `text`. */
export const response = (text: string, fields: object = {}) => ({
  ...base,
  status: "completed",
  output: [thought, message(text)],
  usage,
  ...fields
})

const lines = (...events: ReadonlyArray<readonly [type: string, fields: object]>): ReadonlyArray<string> =>
  events.map(([type, fields], index) => `event: ${type}\n${event({ type, sequence_number: index, ...fields })}`)

/** The same as a stream, one event a piece. */
export const responseEvents = (...words: ReadonlyArray<string>): ReadonlyArray<string> => {
  const text = words.join("")
  const begun = { response: { ...base, status: "in_progress", output: [], usage: null } }
  const at = { item_id: "msg_upstream", output_index: 1, content_index: 0 }
  const part = { type: "output_text", text: "", annotations: [], logprobs: [] }
  return lines(
    ["response.created", begun],
    ["response.in_progress", begun],
    ["response.output_item.added", { output_index: 0, item: { ...thought, encrypted_content: "" } }],
    ["response.output_item.done", { output_index: 0, item: thought }],
    ["response.output_item.added", { output_index: 1, item: message("", "in_progress") }],
    ["response.content_part.added", { ...at, part }],
    ...words.map((delta) => ["response.output_text.delta", { ...at, delta, logprobs: [] }] as const),
    ["response.output_text.done", { ...at, text, logprobs: [] }],
    ["response.content_part.done", { ...at, part: { ...part, text } }],
    ["response.output_item.done", { output_index: 1, item: message(text) }],
    ["response.completed", { response: response(text) }]
  )
}
