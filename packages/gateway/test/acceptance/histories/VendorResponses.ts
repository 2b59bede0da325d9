/** What each vendor puts into a response and needs, or can use, when it comes back: one row a field. */
import { eventMessage } from "../../support/EventStreamMessages.ts"
import { completion, event, type Reply } from "../../support/Upstream.ts"
import { candidate, message, response } from "./Moving.ts"

export interface Row {
  readonly name: string
  /** Fields of the provider's section. */
  readonly provider: string
  readonly model: string
  /** Fields of the deployment. */
  readonly more?: string
  readonly complete: Reply
  readonly streamed: Reply
  /** Pieces of JSON that the second request must hold, and one that it must not. */
  readonly back: ReadonlyArray<string>
  readonly never?: string
  /** The model takes no tools. */
  readonly toolless?: boolean
}

export const SIGNATURE = "U0lHTkFUVVJF"
const SECOND = "U0VDT05E"

const gemini = (
  name: string,
  parts: ReadonlyArray<object>,
  back: ReadonlyArray<string>,
  other: Partial<Row> = {}
): Row => ({
  name: `Gemini's ${name}`,
  provider: "vendor: google-ai-studio",
  model: "gemini-3.1-pro-preview",
  complete: { body: candidate(...parts) },
  streamed: {
    body: parts.map((part, index) => {
      const { candidates, ...rest } = candidate(part)
      const [{ finishReason, ...open }] = candidates as [(typeof candidates)[0]]
      return event({ ...rest, candidates: [index === parts.length - 1 ? { ...open, finishReason } : open] })
    })
  },
  back,
  never: "skip_thought_signature_validator",
  ...other
})

const signature = `"thoughtSignature":"${SIGNATURE}"`
const now = { functionCall: { name: "now", args: {} } }

const chatServer = (
  name: string,
  provider: string,
  model: string,
  said: object,
  deltas: ReadonlyArray<object>,
  back: ReadonlyArray<string>,
  more = ", operations: [chat]"
): Row => {
  const finish_reason = "tool_calls" in said ? "tool_calls" : "stop"
  return {
    name,
    provider,
    model,
    more,
    complete: {
      body: completion("", { choices: [{ index: 0, message: { role: "assistant", ...said }, finish_reason }] })
    },
    streamed: {
      body: [
        ...[...deltas, {}].map((delta, index) =>
          event({
            id: "x",
            object: "chat.completion.chunk",
            created: 1,
            model,
            choices: [{ index: 0, delta, finish_reason: index === deltas.length ? finish_reason : null }]
          })
        ),
        "data: [DONE]\n\n"
      ]
    },
    back
  }
}

const called = { id: "call_1", type: "function", function: { name: "now", arguments: "{}" } }
const signed = { extra_content: { google: { thought_signature: SIGNATURE } } }
const streamedCall = { tool_calls: [{ index: 0, ...called }] }
const detail = { type: "reasoning.text", text: "Look", signature: SIGNATURE, format: "anthropic-claude-v1", index: 0 }
const encrypted = { type: "reasoning.encrypted", data: SIGNATURE, id: "rs_9", format: "openai-responses-v1", index: 0 }

const anthropic = (
  name: string,
  content: ReadonlyArray<Record<string, unknown>>,
  back: ReadonlyArray<string>
): Row => ({
  name: `Claude's ${name}`,
  provider: "vendor: anthropic",
  model: "claude-sonnet-4-6",
  complete: { body: message(content) },
  streamed: {
    body: [
      { type: "message_start", message: { ...message([]), stop_reason: null } },
      ...content.flatMap((block, index) => blockEvents(block, index)),
      { type: "message_delta", delta: { stop_reason: "end_turn", stop_sequence: null }, usage: { output_tokens: 1 } },
      { type: "message_stop" }
    ].map((one) => `event: ${one.type}\n${event(one)}`)
  },
  back
})

const blockEvents = (block: Record<string, unknown>, index: number) => {
  const { citations, input, signature: seal, text, thinking, type, ...rest } = block
  const delta = (fields: object) => ({ type: "content_block_delta", index, delta: fields })
  return [
    {
      type: "content_block_start",
      index,
      content_block: {
        type,
        ...rest,
        ...(text === undefined ? {} : { text: "" }),
        ...(thinking === undefined ? {} : { thinking: "", signature: "" }),
        ...(input === undefined ? {} : { input: {} })
      }
    },
    ...(thinking === undefined ? [] : [delta({ type: "thinking_delta", thinking })]),
    ...(seal === undefined ? [] : [delta({ type: "signature_delta", signature: seal })]),
    ...((citations ?? []) as ReadonlyArray<object>).map((citation) => delta({ type: "citations_delta", citation })),
    ...(text === undefined ? [] : [delta({ type: "text_delta", text })]),
    ...(input === undefined ? [] : [delta({ type: "input_json_delta", partial_json: JSON.stringify(input) })]),
    { type: "content_block_stop", index }
  ]
}

const toolUse = { type: "tool_use", id: "toolu_1", name: "now", input: {} }
const searched = { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: { query: "it" } }
const page = { type: "web_search_result", url: "https://it.example", title: "It", encrypted_content: SIGNATURE }
const found = { type: "web_search_tool_result", tool_use_id: "srvtoolu_1", content: [page] }
const cited = {
  type: "text",
  text: "Found.",
  citations: [
    {
      type: "web_search_result_location",
      url: "https://it.example",
      title: "It",
      encrypted_index: SECOND,
      cited_text: "It"
    }
  ]
}

const openAi = (name: string, items: ReadonlyArray<Record<string, unknown>>, back: ReadonlyArray<string>): Row => ({
  name: `OpenAI's ${name}`,
  provider: "vendor: openai",
  model: "gpt-5.4",
  more: ", operations: [responses]",
  complete: { body: response(...items) },
  streamed: {
    body: [
      { type: "response.created", response: { ...response(), status: "in_progress" } },
      ...items.flatMap((item, output_index) => [
        { type: "response.output_item.added", output_index, item: opened(item) },
        { type: "response.output_item.done", output_index, item }
      ]),
      { type: "response.completed", response: response(...items) }
    ].map((one, sequence_number) => event({ ...one, sequence_number }))
  },
  back
})

const opened = (item: Record<string, unknown>) => ({
  ...item,
  ...("arguments" in item ? { arguments: "" } : {}),
  ...(item["type"] === "message" ? { content: [], status: "in_progress" } : {})
})

const reasoning = { id: "rs_1", type: "reasoning", summary: [], encrypted_content: SIGNATURE }
const item = { id: "fc_1", type: "function_call", call_id: "call_1", name: "now", arguments: "{}", status: "completed" }
const text = (said: string) => [{ type: "output_text", text: said, annotations: [], logprobs: [] }]
const spoken = { id: "msg_1", type: "message", role: "assistant", status: "completed", content: text("Looking") }

const converse = (
  name: string,
  model: string,
  content: ReadonlyArray<Record<string, object | string>>,
  back: ReadonlyArray<string>
): Row => {
  const usage = { inputTokens: 5, outputTokens: 1, totalTokens: 6 }
  const stopReason = content.some((block) => "toolUse" in block) ? "tool_use" : "end_turn"
  const bytes = Buffer.concat([
    eventMessage("messageStart", { role: "assistant" }),
    ...content.flatMap((block, index) => converseEvents(block, index)),
    eventMessage("messageStop", { stopReason }),
    eventMessage("metadata", { usage, metrics: { latencyMs: 1 } })
  ])
  return {
    name: `Bedrock's ${name}`,
    provider: "vendor: bedrock, region: us-east-1",
    model,
    more: ", operations: [chat]",
    complete: {
      body: { output: { message: { role: "assistant", content } }, stopReason, usage, metrics: { latencyMs: 1 } }
    },
    streamed: { body: bytes, headers: { "content-type": "application/vnd.amazon.eventstream" } },
    back
  }
}

// oxlint-disable-next-line typescript/no-explicit-any -- blocks of Converse
const converseEvents = (block: any, contentBlockIndex: number) => {
  const delta = (one: object) => eventMessage("contentBlockDelta", { contentBlockIndex, delta: one })
  const { reasoningContent: thought, toolUse: use, text: said } = block
  const { reasoningText: plain, redactedContent } = thought ?? {}
  return [
    ...(use === undefined
      ? []
      : [
          eventMessage("contentBlockStart", {
            contentBlockIndex,
            start: { toolUse: { toolUseId: use.toolUseId, name: use.name } }
          }),
          delta({ toolUse: { input: JSON.stringify(use.input) } })
        ]),
    ...(said === undefined ? [] : [delta({ text: said })]),
    ...(plain === undefined ? [] : [delta({ reasoningContent: { text: plain.text } })]),
    ...(plain?.signature === undefined ? [] : [delta({ reasoningContent: { signature: plain.signature } })]),
    ...(redactedContent === undefined ? [] : [delta({ reasoningContent: { redactedContent } })]),
    eventMessage("contentBlockStop", { contentBlockIndex })
  ]
}

const used = { toolUse: { toolUseId: "tooluse_1", name: "now", input: {} } }
const CLAUDE = "us.anthropic.claude-sonnet-4-5-20250929-v1:0"

const ollama = (said: object, back: ReadonlyArray<string>): Row => {
  const end = { done: true, done_reason: "stop", prompt_eval_count: 5, eval_count: 1 }
  const head = { model: "qwen3:8b", created_at: "2026-11-27T00:00:00Z" }
  const line = (fields: object) => `${JSON.stringify({ ...head, ...fields })}\n`
  return {
    name: "Ollama's thoughts",
    provider: "vendor: ollama",
    model: "qwen3:8b",
    more: ", supports: [chat, stream, reasoning, tools]",
    complete: { body: { ...head, message: { role: "assistant", ...said }, ...end } },
    streamed: {
      body: [
        line({ message: { role: "assistant", ...said }, done: false }),
        line({ message: { role: "assistant", content: "" }, ...end })
      ],
      headers: { "content-type": "application/x-ndjson" }
    },
    back
  }
}

const cohereUsage = { tokens: { input_tokens: 5, output_tokens: 1 } }
const cohere = (
  name: string,
  said: Record<string, object | string>,
  events: ReadonlyArray<object>,
  finish_reason: string,
  back: ReadonlyArray<string>
): Row => ({
  name: `Cohere's ${name}`,
  provider: "vendor: cohere",
  model: "command-a-reasoning-08-2025",
  complete: { body: { id: "c1", message: { role: "assistant", ...said }, finish_reason, usage: cohereUsage } },
  streamed: {
    body: [
      {
        type: "message-start",
        id: "c1",
        delta: { message: { role: "assistant", content: [], tool_plan: "", tool_calls: [], citations: [] } }
      },
      ...events,
      { type: "message-end", delta: { finish_reason, usage: cohereUsage } }
    ].map(event)
  },
  back
})

const thoughts = [{ type: "thinking", thinking: [{ type: "text", text: "Look" }] }]

export const rows: ReadonlyArray<Row> = [
  gemini("signature of a call", [{ ...now, thoughtSignature: SIGNATURE }], [signature]),
  gemini("signature of the first of two calls", [{ ...now, thoughtSignature: SIGNATURE }, now], [signature]),
  gemini("signature of a text", [{ text: "Hm", thoughtSignature: SIGNATURE }], [signature]),
  gemini(
    "signature on an empty text behind it",
    [{ text: "Hm" }, { text: "", thoughtSignature: SIGNATURE }],
    [signature]
  ),
  gemini(
    "signatures of a text and of a call",
    [
      { text: "Hm", thoughtSignature: SECOND },
      { ...now, thoughtSignature: SIGNATURE }
    ],
    [signature, `"thoughtSignature":"${SECOND}"`]
  ),
  gemini(
    "image with its signature",
    [{ inlineData: { mimeType: "image/png", data: "iVBORw0KGgo=" }, thoughtSignature: SIGNATURE }],
    [signature, `"data":"iVBORw0KGgo="`],
    { model: "gemini-3-pro-image-preview", toolless: true }
  ),
  gemini(
    "two images, each with its signature",
    [
      { text: "First", thoughtSignature: SECOND },
      { inlineData: { mimeType: "image/png", data: "iVBORw0KGgo=" }, thoughtSignature: SIGNATURE },
      { inlineData: { mimeType: "image/jpeg", data: "/9j/4AAQ" }, thoughtSignature: "VEhJUkQ=" }
    ],
    [signature, `"data":"iVBORw0KGgo="`, `"data":"/9j/4AAQ"`, SECOND, "VEhJUkQ="],
    { model: "gemini-3-pro-image-preview", toolless: true }
  ),
  gemini(
    "code that ran",
    [
      { executableCode: { language: "PYTHON", code: "print(1)" }, thoughtSignature: SIGNATURE },
      { codeExecutionResult: { outcome: "OUTCOME_OK", output: "1" } },
      { text: "It is 1." }
    ],
    [signature, `"code":"print(1)"`, `"outcome":"OUTCOME_OK"`]
  ),

  chatServer(
    "a chat server's signature of a call",
    "protocol: openai-chat",
    "m",
    { content: null, tool_calls: [{ ...called, ...signed }] },
    [{ role: "assistant", tool_calls: [{ index: 0, ...called, ...signed }] }],
    [`"thought_signature":"${SIGNATURE}"`],
    ""
  ),
  chatServer(
    "a chat server's signature of a message",
    "protocol: openai-chat",
    "m",
    { content: "Hm", ...signed },
    [{ role: "assistant", content: "Hm" }, signed],
    [`"thought_signature":"${SIGNATURE}"`],
    ""
  ),
  chatServer(
    "DeepSeek's thoughts before a call",
    "vendor: deepseek",
    "deepseek-v4-pro",
    { content: "", reasoning_content: "Look", tool_calls: [called] },
    [{ role: "assistant", reasoning_content: "Lo" }, { reasoning_content: "ok" }, streamedCall],
    [`"reasoning_content":"Look"`]
  ),
  chatServer(
    "Kimi's thoughts before a call",
    "vendor: moonshot",
    "kimi-k2.5",
    { content: "", reasoning_content: "Look", tool_calls: [called] },
    [{ role: "assistant", reasoning_content: "Look" }, streamedCall],
    [`"reasoning_content":"Look"`]
  ),
  chatServer(
    "vLLM's thoughts before a call",
    "protocol: openai-chat",
    "m",
    { content: null, reasoning: "Look", tool_calls: [called] },
    [{ role: "assistant", reasoning: "Look" }, streamedCall],
    [`"reasoning":"Look"`],
    ""
  ),
  chatServer(
    "OpenRouter's signed thoughts",
    "vendor: openrouter",
    "anthropic/claude-sonnet-4.5",
    { content: "Hm", reasoning: "Look", reasoning_details: [detail] },
    [
      { role: "assistant", reasoning: "Lo", reasoning_details: [{ ...detail, text: "Lo", signature: null }] },
      { reasoning: "ok", reasoning_details: [{ ...detail, text: "ok" }] },
      { content: "Hm" }
    ],
    [`"signature":"${SIGNATURE}"`]
  ),
  chatServer(
    "OpenRouter's encrypted thoughts before a call",
    "vendor: openrouter",
    "openai/gpt-5",
    { content: null, reasoning_details: [encrypted], tool_calls: [called] },
    [{ role: "assistant", reasoning_details: [encrypted] }, streamedCall],
    [`"data":"${SIGNATURE}"`, `"id":"rs_9"`]
  ),

  anthropic(
    "signed thoughts before a call",
    [{ type: "thinking", thinking: "Look", signature: SIGNATURE }, toolUse],
    [`"thinking":"Look"`, `"signature":"${SIGNATURE}"`]
  ),
  anthropic("redacted thoughts", [{ type: "redacted_thinking", data: SIGNATURE }, toolUse], [`"data":"${SIGNATURE}"`]),
  anthropic(
    "two redacted thoughts",
    [{ type: "redacted_thinking", data: SIGNATURE }, { type: "redacted_thinking", data: SECOND }, toolUse],
    [`"data":"${SIGNATURE}"`, `"data":"${SECOND}"`]
  ),
  anthropic(
    "thoughts on both sides of a text",
    [
      { type: "thinking", thinking: "Look", signature: SIGNATURE },
      { type: "text", text: "Hm" },
      { type: "thinking", thinking: "Then", signature: SECOND },
      toolUse
    ],
    [`"signature":"${SIGNATURE}"`, `"signature":"${SECOND}"`]
  ),
  anthropic(
    "search results and citations",
    [searched, found, cited],
    [`"encrypted_content":"${SIGNATURE}"`, `"encrypted_index":"${SECOND}"`, `"query":"it"`]
  ),
  anthropic(
    "thoughts, a search and a call",
    [
      { type: "thinking", thinking: "Look", signature: SIGNATURE },
      searched,
      { ...found, content: [{ ...page, encrypted_content: SECOND }] },
      toolUse
    ],
    [`"signature":"${SIGNATURE}"`, `"encrypted_content":"${SECOND}"`]
  ),
  anthropic(
    "compaction",
    [
      { type: "compaction", content: "Before: it." },
      { type: "text", text: "Hm" }
    ],
    [`"type":"compaction"`, "Before: it."]
  ),

  openAi("encrypted reasoning before a call", [reasoning, item], [`"encrypted_content":"${SIGNATURE}"`]),
  openAi(
    "encrypted reasoning of two steps",
    [reasoning, spoken, { ...reasoning, id: "rs_2", encrypted_content: SECOND }, item],
    [`"encrypted_content":"${SIGNATURE}"`, `"encrypted_content":"${SECOND}"`]
  ),
  openAi("phase of a message", [{ ...spoken, phase: "commentary" }, item], [`"phase":"commentary"`]),
  openAi(
    "search",
    [{ id: "ws_1", type: "web_search_call", status: "completed", action: { type: "search", query: "it" } }, spoken],
    [`"type":"web_search_call"`]
  ),
  openAi(
    "compaction",
    [{ id: "cmp_1", type: "compaction", encrypted_content: SIGNATURE }, spoken],
    [`"type":"compaction"`, `"encrypted_content":"${SIGNATURE}"`]
  ),

  converse(
    "signed thoughts of Claude",
    CLAUDE,
    [{ reasoningContent: { reasoningText: { text: "Look", signature: SIGNATURE } } }, used],
    [`"text":"Look"`, `"signature":"${SIGNATURE}"`]
  ),
  converse(
    "redacted thoughts of Claude",
    CLAUDE,
    [{ reasoningContent: { redactedContent: SIGNATURE } }, used],
    [`"redactedContent":"${SIGNATURE}"`]
  ),

  chatServer(
    "Mistral's thoughts",
    "vendor: mistral",
    "magistral-medium-latest",
    { content: [...thoughts, { type: "text", text: "Hm" }] },
    [{ role: "assistant", content: thoughts }, { content: "Hm" }],
    [`"thinking":[{"type":"text","text":"Look"}]`]
  ),
  ollama({ content: "Hm", thinking: "Look" }, [`"thinking":"Look"`]),
  cohere(
    "thoughts",
    {
      content: [
        { type: "thinking", thinking: "Look" },
        { type: "text", text: "Hm" }
      ]
    },
    [
      { type: "content-start", index: 0, delta: { message: { content: { type: "thinking", thinking: "" } } } },
      { type: "content-delta", index: 0, delta: { message: { content: { thinking: "Look" } } } },
      { type: "content-end", index: 0 },
      { type: "content-start", index: 1, delta: { message: { content: { type: "text", text: "" } } } },
      { type: "content-delta", index: 1, delta: { message: { content: { text: "Hm" } } } },
      { type: "content-end", index: 1 }
    ],
    "COMPLETE",
    [`"thinking":"Look"`]
  ),
  cohere(
    "plan for calls",
    { tool_plan: "Look", tool_calls: [called] },
    [
      { type: "tool-plan-delta", delta: { message: { tool_plan: "Look" } } },
      { type: "tool-call-start", index: 0, delta: { message: { tool_calls: called } } },
      { type: "tool-call-end", index: 0 }
    ],
    "TOOL_CALL",
    [`"tool_plan":"Look"`]
  )
]
