/** Scripted responses on the wire: OpenAI's chat completions, or Anthropic's Messages, by the path. */
import {
  completionBody,
  completionEvents,
  type DemoChoice,
  type DemoCompletion,
  type WireUsage
} from "../providers/demo/chat/DemoChatWire.ts"
import { errorBody, errorOf } from "../providers/demo/DemoVendorErrors.ts"

/** Output of a scripted model. */
export interface ScriptedAnswer {
  readonly id: string
  /** Epoch seconds. */
  readonly created: number
  readonly model: string
  readonly choice: DemoChoice
  readonly usage: WireUsage | undefined
}

/** What a scripted vendor complains about; what is left out is usual for the status. */
interface Complaint {
  readonly status: number
  readonly message: string
  readonly type: string | undefined
  readonly code: string | undefined
  readonly param: string | undefined
}

export interface Wire {
  readonly body: (said: ScriptedAnswer) => string
  /** One text per event. `includeUsage`: as in the request; only OpenAI's form uses it. */
  readonly events: (said: ScriptedAnswer, includeUsage: boolean) => ReadonlyArray<string>
  readonly error: (complaint: Complaint) => string
}

export const wireOf = (path: string): Wire => (path.endsWith("/messages") ? anthropic : openai)

const completionOf = ({ choice, ...said }: ScriptedAnswer): DemoCompletion => ({ ...said, choices: [choice] })

const openai: Wire = {
  body: (said) => completionBody(completionOf(said)),
  events: (said, includeUsage) => completionEvents(completionOf(said), includeUsage).map((event) => event.text),
  error: ({ status, message, type, code, param }) => {
    const usual = errorOf(status, message)
    return errorBody({ ...usual, type: type ?? usual.type, code: code ?? usual.code, param: param ?? usual.param })
  }
}

const stopReasons: { readonly [finish: string]: string } = {
  stop: "end_turn",
  length: "max_tokens",
  tool_calls: "tool_use",
  content_filter: "refusal"
}

const errorTypes: { readonly [status: number]: string } = {
  400: "invalid_request_error",
  401: "authentication_error",
  402: "billing_error",
  403: "permission_error",
  404: "not_found_error",
  413: "request_too_large",
  429: "rate_limit_error",
  529: "overloaded_error"
}

const stopReason = ({ finish }: DemoChoice): string | null => (finish === null ? null : (stopReasons[finish] ?? finish))

/** Anthropic's `input_tokens` leave out what came from the cache. */
const inputUsage = ({ input, cached = 0 }: WireUsage) => ({
  input_tokens: input - cached,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: cached
})

interface ScriptedBlock {
  /** The block as a complete response has it. */
  readonly whole: object
  /** The block as it is opened in a stream, and what is added to it. */
  readonly opening: object
  readonly deltas: ReadonlyArray<object>
}

const blocksOf = ({ reasoning, content, toolCalls }: DemoChoice): ReadonlyArray<ScriptedBlock> => [
  ...(reasoning.length === 0 ? [] : [thinkingBlock(reasoning)]),
  ...(content === null ? [] : [textBlock(content)]),
  ...toolCalls.map(({ id, name, arguments: pieces }) => ({
    whole: { type: "tool_use", id, name, input: JSON.parse(pieces.join("") || "{}") },
    opening: { type: "tool_use", id, name, input: {} },
    deltas: ["", ...pieces].map((partial_json) => ({ type: "input_json_delta", partial_json }))
  }))
]

const thinkingBlock = (pieces: ReadonlyArray<string>): ScriptedBlock => ({
  whole: { type: "thinking", thinking: pieces.join(""), signature: "c2NyaXB0" },
  opening: { type: "thinking", thinking: "", signature: "" },
  deltas: [
    ...pieces.map((thinking) => ({ type: "thinking_delta", thinking })),
    { type: "signature_delta", signature: "c2NyaXB0" }
  ]
})

const textBlock = (pieces: ReadonlyArray<string>): ScriptedBlock => ({
  whole: { type: "text", text: pieces.join("") },
  opening: { type: "text", text: "" },
  deltas: pieces.map((text) => ({ type: "text_delta", text }))
})

const message = (
  said: ScriptedAnswer,
  content: ReadonlyArray<object>,
  stop_reason: string | null,
  output_tokens: number
) => ({
  id: `msg_${said.id}`,
  type: "message",
  role: "assistant",
  model: said.model,
  content,
  stop_reason,
  stop_sequence: null,
  ...(said.usage === undefined ? {} : { usage: { ...inputUsage(said.usage), output_tokens } })
})

const anthropic: Wire = {
  body: (said) => {
    const content = blocksOf(said.choice).map((block) => block.whole)
    return JSON.stringify(message(said, content, stopReason(said.choice), said.usage?.output ?? 0))
  },
  events: (said) => {
    const stop_reason = stopReason(said.choice)
    const usage = said.usage === undefined ? {} : { usage: { output_tokens: said.usage.output } }
    return [
      event("message_start", { message: message(said, [], null, 1) }),
      ...blocksOf(said.choice).flatMap((block, index) => [
        event("content_block_start", { index, content_block: block.opening }),
        ...block.deltas.map((delta) => event("content_block_delta", { index, delta })),
        event("content_block_stop", { index })
      ]),
      ...(stop_reason === null
        ? []
        : [event("message_delta", { delta: { stop_reason, stop_sequence: null }, ...usage })]),
      event("message_stop", {})
    ]
  },
  error: ({ status, message, type }) => {
    const usual = errorTypes[status] ?? (status >= 500 ? "api_error" : "invalid_request_error")
    return JSON.stringify({ type: "error", error: { type: type ?? usual, message }, request_id: "req_script" })
  }
}

const event = (type: string, fields: object): string =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`
