/** Answers as providers send them, one of each kind, for tests that do something to them. */
import type { BuiltInProtocol } from "../../src/core/domain/Deployment.ts"
import { noUsage } from "../../src/core/domain/Usage.ts"
import { frames } from "./protocols/openai/Support.ts"

export const usageClasses = noUsage

interface Samples {
  readonly whole: ReadonlyArray<string>
  readonly streams: ReadonlyArray<string>
  readonly refusals: ReadonlyArray<string>
}

const usage = {
  prompt_tokens: 120,
  completion_tokens: 30,
  total_tokens: 150,
  prompt_tokens_details: { cached_tokens: 64, audio_tokens: 0, cache_write_tokens: 8 },
  completion_tokens_details: { reasoning_tokens: 10, audio_tokens: 0 }
}
const toolCall = { id: "call_1", type: "function", function: { name: "f", arguments: '{"a":1}' } }
const completion = {
  id: "chatcmpl-1",
  object: "chat.completion",
  created: 1_767_225_600,
  model: "m",
  choices: [
    {
      index: 0,
      message: { role: "assistant", content: "Hi", refusal: null, tool_calls: [toolCall], annotations: [] },
      logprobs: { content: [{ token: "Hi", logprob: -0.1, bytes: [72, 105], top_logprobs: [] }] },
      finish_reason: "stop"
    }
  ],
  usage,
  system_fingerprint: "fp"
}
const chunk = (choice: object, more: object = {}) => ({
  id: "chatcmpl-1",
  object: "chat.completion.chunk",
  created: 1_767_225_600,
  model: "m",
  choices: [{ index: 0, finish_reason: null, logprobs: null, ...choice }],
  usage: null,
  ...more
})

const mistralContent = [
  { type: "thinking", thinking: [{ type: "text", text: "Hm." }] },
  { type: "text", text: "Hi" }
]
const mistralCall = { id: "aB3dE6gH9", index: 0, function: { name: "f", arguments: '{"a":1}' } }
const mistralUsage = { prompt_tokens: 11, total_tokens: 14, completion_tokens: 3, num_cached_tokens: 4 }

const ollamaLine = (message: object, more: object = {}): string =>
  `${JSON.stringify({ model: "llama3", created_at: "2026-01-01T00:00:00Z", message, done: false, ...more })}\n`
const ollamaCall = { function: { name: "f", arguments: { a: 1 } } }
const ollamaEnd = { done: true, done_reason: "stop", total_duration: 9, prompt_eval_count: 17, eval_count: 5 }

const cohereCall = { id: "f_1", type: "function", function: { name: "f", arguments: '{"a":1}' } }
const cohereUsage = {
  billed_units: { input_tokens: 9, output_tokens: 4 },
  tokens: { input_tokens: 99, output_tokens: 5 }
}
const cohereEvent = (type: string, message: object = {}, more: object = {}) => ({
  type,
  index: 0,
  delta: { message },
  ...more
})

const message = {
  id: "msg_1",
  type: "message",
  role: "assistant",
  model: "claude",
  content: [
    { type: "thinking", thinking: "Hm.", signature: "c2ln" },
    { type: "text", text: "Hi", citations: [{ type: "char_location", cited_text: "x", document_index: 0 }] },
    { type: "tool_use", id: "toolu_1", name: "f", input: { a: 1 } }
  ],
  stop_reason: "tool_use",
  stop_sequence: null,
  usage: {
    input_tokens: 12,
    cache_creation_input_tokens: 5,
    cache_read_input_tokens: 90,
    cache_creation: { ephemeral_5m_input_tokens: 3, ephemeral_1h_input_tokens: 2 },
    output_tokens: 30,
    output_tokens_details: { thinking_tokens: 8 },
    iterations: [{ type: "message", input_tokens: 12, output_tokens: 30 }],
    service_tier: "standard"
  }
}
const named = (...events: ReadonlyArray<{ readonly type: string }>): string =>
  events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join("")
const block = (index: number, start: object, ...deltas: ReadonlyArray<object>) => [
  { type: "content_block_start", index, content_block: start },
  ...deltas.map((delta) => ({ type: "content_block_delta", index, delta })),
  { type: "content_block_stop", index }
]

const everyPart: ReadonlyArray<object> = [
  { text: "Hm", thought: true },
  { text: "Hi\u2028", thoughtSignature: "c2ln" },
  { inlineData: { mimeType: "image/png", data: "iVBORw0KGgo=" } },
  { executableCode: { language: "PYTHON", code: "1" } },
  { functionCall: { name: "f", args: { a: 1 } }, thoughtSignature: "c2ln" },
  { functionCall: { name: "g" } }
]
const generated = (parts: ReadonlyArray<object>, finishReason?: string) => ({
  candidates: [
    {
      content: { role: "model", parts },
      index: 0,
      ...(finishReason === undefined
        ? {}
        : { finishReason, groundingMetadata: { webSearchQueries: ["q"], groundingSupports: [], groundingChunks: [] } }),
      logprobsResult: { chosenCandidates: [{ token: "Hi", logProbability: -0.1 }] }
    }
  ],
  usageMetadata: {
    promptTokenCount: 12,
    cachedContentTokenCount: 4,
    candidatesTokenCount: 30,
    thoughtsTokenCount: 8,
    totalTokenCount: 50,
    promptTokensDetails: [{ modality: "AUDIO", tokenCount: 3 }],
    serviceTier: "standard"
  },
  modelVersion: "gemini",
  responseId: "r1"
})

const converse = {
  output: {
    message: {
      role: "assistant",
      content: [
        { reasoningContent: { reasoningText: { text: "Hm", signature: "c2ln" } } },
        { text: "Hi" },
        { citationsContent: { content: [{ text: " there" }], citations: [] } },
        { toolUse: { toolUseId: "tooluse_1", name: "f", input: { a: 1 } } }
      ]
    }
  },
  stopReason: "tool_use",
  usage: {
    inputTokens: 12,
    outputTokens: 30,
    totalTokens: 137,
    cacheReadInputTokens: 90,
    cacheWriteInputTokens: 5,
    cacheDetails: [{ ttl: "1h", inputTokens: 2 }]
  },
  serviceTier: { type: "default" },
  metrics: { latencyMs: 1 }
}
const delta = (contentBlockIndex: number, one: object) =>
  ["contentBlockDelta", { contentBlockIndex, delta: one }] as const
/** As text; each becomes a message of an event stream. */
const messages = (...events: ReadonlyArray<readonly [kind: string, body: object]>): string =>
  events.map(([kind, body]) => `event: ${kind}\ndata: ${JSON.stringify(body)}\n\n`).join("")

/** Streams of Bedrock are written as text here (`named`), and made into messages of an event stream where they are sent. */
export const samples: { readonly [Name in BuiltInProtocol]: Samples } = {
  bedrock: {
    whole: [JSON.stringify(converse), JSON.stringify({ message: "Too many requests" })],
    streams: [
      messages(
        ["messageStart", { role: "assistant", p: "abc" }],
        delta(0, { reasoningContent: { text: "Hm" } }),
        delta(0, { reasoningContent: { signature: "c2ln" } }),
        ["contentBlockStop", { contentBlockIndex: 0 }],
        delta(1, { text: "Hi" }),
        ["contentBlockStop", { contentBlockIndex: 1 }],
        ["contentBlockStart", { contentBlockIndex: 2, start: { toolUse: { toolUseId: "tooluse_1", name: "f" } } }],
        delta(2, { toolUse: { input: '{"a":' } }),
        delta(2, { toolUse: { input: "1}" } }),
        ["contentBlockStop", { contentBlockIndex: 2 }],
        ["messageStop", { stopReason: "tool_use" }],
        ["metadata", { usage: converse.usage, metrics: { latencyMs: 1 } }]
      )
    ],
    refusals: [JSON.stringify({ message: "Too many tokens, please wait before trying again." }), "<html>503</html>", ""]
  },
  "openai-chat": {
    whole: [JSON.stringify(completion), JSON.stringify({ error: { message: "no", type: "server_error", code: 500 } })],
    streams: [
      frames(
        chunk({ delta: { role: "assistant", content: "" } }),
        chunk({ delta: { content: "H" } }),
        chunk({ delta: { content: "i\n\u2028" } }),
        chunk({ delta: { reasoning_content: "Hm" } }),
        chunk({ delta: { tool_calls: [{ index: 0, ...toolCall }] } }),
        chunk({ delta: { tool_calls: [{ index: 0, function: { arguments: "{}" } }] } }),
        chunk({ delta: {}, finish_reason: "tool_calls" }),
        chunk({}, { choices: [], usage }),
        "[DONE]"
      )
    ],
    refusals: [
      JSON.stringify({ error: { message: "Slow down", type: "requests", param: null, code: "rate_limit_exceeded" } }),
      "<html>502</html>",
      ""
    ]
  },
  "mistral-chat": {
    whole: [
      JSON.stringify({
        ...completion,
        choices: [
          {
            index: 0,
            message: { role: "assistant", content: mistralContent, tool_calls: [mistralCall] },
            finish_reason: "model_length"
          }
        ],
        usage: mistralUsage
      }),
      JSON.stringify({ object: "error", message: { detail: [{ loc: ["body", "x"], msg: "no" }] }, code: 3001 })
    ],
    streams: [
      frames(
        chunk({ delta: { role: "assistant", content: "" } }),
        chunk({ delta: { content: mistralContent } }),
        chunk({ delta: { tool_calls: [mistralCall] } }),
        chunk({ delta: { content: "", tool_calls: null }, finish_reason: "tool_calls" }, { usage: mistralUsage }),
        "[DONE]"
      )
    ],
    refusals: [
      JSON.stringify({ object: "error", message: { detail: [{ loc: ["body", "metadata"], msg: "Extra inputs" }] } }),
      JSON.stringify({ detail: "Unauthorized" }),
      ""
    ]
  },
  "ollama-chat": {
    whole: [
      ollamaLine({ role: "assistant", content: "Hi", thinking: "Hm", tool_calls: [ollamaCall] }, ollamaEnd),
      JSON.stringify({ error: "model requires more system memory" })
    ],
    streams: [
      [
        ollamaLine({ role: "assistant", content: "", thinking: "Hm" }),
        ollamaLine({ role: "assistant", content: "H" }),
        ollamaLine({ role: "assistant", content: "i\n\u2028" }),
        ollamaLine({ role: "assistant", content: "", tool_calls: [ollamaCall, ollamaCall] }),
        ollamaLine({ role: "assistant", content: "" }, ollamaEnd)
      ].join("")
    ],
    refusals: [JSON.stringify({ error: "model 'x' not found" }), "<html>502</html>", ""]
  },
  "cohere-v2": {
    whole: [
      JSON.stringify({
        id: "c1",
        message: {
          role: "assistant",
          tool_plan: "I will.",
          tool_calls: [cohereCall],
          content: [
            { type: "thinking", thinking: "Hm" },
            { type: "text", text: "Hi" }
          ],
          citations: [{ start: 0, end: 2, text: "Hi", sources: [] }]
        },
        finish_reason: "TOOL_CALL",
        usage: cohereUsage
      }),
      JSON.stringify({ id: "c1", message: "internal server error" })
    ],
    streams: [
      named(
        cohereEvent("message-start", { role: "assistant" }, { id: "c1" }),
        cohereEvent("tool-plan-delta", { tool_plan: "Hm" }),
        cohereEvent("content-start", { content: { type: "text", text: "" } }),
        cohereEvent("content-delta", { content: { text: "Hi" } }),
        cohereEvent("content-end"),
        cohereEvent("citation-start", { citations: { start: 0, end: 2, text: "Hi", sources: [] } }),
        cohereEvent("tool-call-start", { tool_calls: cohereCall }),
        cohereEvent("tool-call-delta", { tool_calls: { function: { arguments: "{}" } } }),
        cohereEvent("tool-call-end"),
        { type: "message-end", delta: { finish_reason: "TOOL_CALL", usage: cohereUsage } } as { type: string }
      )
    ],
    refusals: [JSON.stringify({ id: "c1", message: "too many requests" }), "<html>502</html>", ""]
  },
  "anthropic-messages": {
    whole: [
      JSON.stringify(message),
      JSON.stringify({ type: "error", error: { type: "overloaded_error", message: "Overloaded" } })
    ],
    streams: [
      named(
        { type: "message_start", message: { ...message, content: [], stop_reason: null } } as { type: string },
        { type: "ping" },
        ...block(
          0,
          { type: "thinking", thinking: "" },
          { type: "thinking_delta", thinking: "Hm" },
          { type: "signature_delta", signature: "c2ln" }
        ),
        ...block(
          1,
          { type: "text", text: "" },
          { type: "text_delta", text: "Hi" },
          { type: "citations_delta", citation: { type: "char_location" } }
        ),
        ...block(
          2,
          { type: "tool_use", id: "toolu_1", name: "f", input: {} },
          { type: "input_json_delta", partial_json: "" },
          { type: "input_json_delta", partial_json: '{"a":1}' }
        ),
        { type: "message_delta", delta: { stop_reason: "tool_use" }, usage: message.usage } as { type: string },
        { type: "message_stop" }
      )
    ],
    refusals: [
      JSON.stringify({ type: "error", error: { type: "rate_limit_error", message: "Slow down" }, request_id: "r" }),
      "<html>529</html>",
      ""
    ]
  },
  gemini: {
    whole: [
      JSON.stringify(generated(everyPart, "STOP")),
      JSON.stringify({ error: { code: 503, message: "Overloaded", status: "UNAVAILABLE" } }),
      JSON.stringify({ promptFeedback: { blockReason: "SAFETY" }, usageMetadata: { promptTokenCount: 9 } })
    ],
    streams: [
      frames(...everyPart.map((part) => generated([part])), generated([], "STOP")),
      frames(generated([{ text: "Hi" }]), { error: { code: 503, message: "Overloaded", status: "UNAVAILABLE" } })
    ],
    refusals: [
      JSON.stringify({
        error: {
          code: 429,
          message: "Slow down",
          status: "RESOURCE_EXHAUSTED",
          details: [{ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "34.4s" }]
        }
      }),
      JSON.stringify([{ error: { code: 400, message: "no", status: "INVALID_ARGUMENT" } }]),
      "<html>502</html>",
      ""
    ]
  }
}
