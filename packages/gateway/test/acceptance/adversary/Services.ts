/**
 * Everything that is not a chat of OpenAI or Anthropic: other operations, other vendors' protocols, and fields of vendors that cost more than
 * they look. Each is a provider of its own with one model, which answers whole and bills by its vendor's published rules. Files that lie
 * about what they hold are drawn in `Kinds.ts`.
 */
import type { JsonObject } from "../../../src/core/domain/Json.ts"
import type { Chance } from "./Chance.ts"
import { tokensIn } from "./Tokens.ts"

interface Reply {
  readonly text: string
  readonly bytes?: Uint8Array
  readonly type?: string
}

// oxlint-disable-next-line typescript/no-explicit-any -- each service knows what it is sent
type Sent = any

export interface Service {
  /** Of the kind of content, in the table. */
  readonly name: string
  readonly provider: string
  readonly model: string
  readonly path: string
  /** Of the provider and the deployment in the configuration. */
  readonly settings: JsonObject
  readonly deployment: JsonObject
  /** What is booked is the bill: the provider tells it. */
  readonly isTold: boolean
  /** What a caller sends; `mark` has to stand in a text of it. */
  readonly draw: (chance: Chance, mark: string) => JsonObject
  /** USD for what was sent, as the provider got it. */
  readonly bill: (body: Sent) => number
  readonly answer: (body: Sent) => JsonObject | Reply
}

const words = (chance: Chance, most: number) => "word ".repeat(1 + chance.below(most))
/** Tokens of all texts in a body. */
const read = (body: unknown): number => tokensIn(JSON.stringify(body))
const perMillion = (tokens: number, usd: number) => (tokens * usd) / 1e6
const talk = { input: 3, output: 15 }
const SAID = 5
const talked = (body: unknown, times = 1) =>
  times * (perMillion(read(body), talk.input) + perMillion(SAID, talk.output))
/** The operator says it of models whose vendor publishes no tokenizer. */
const bounds = { tokens_per_o200k: 1.5 }
const price = { price: talk, context_window: 200_000, max_output_tokens: 8_000, bounds }
const say = (content: string) => [{ role: "user", content }]
/** Fields that no operator's deployment is known to have. */
const strange = (chance: Chance): JsonObject =>
  chance.pick<JsonObject>([
    { user_config: { model_list: [] } },
    { num_retries: 50 },
    { chat_template: "{% for i in range(9000) %}word {% endfor %}" },
    { mm_processor_kwargs: { max_pixels: 1e9 } },
    { vector_store_ids: ["vs_1"] },
    {}
  ])

const results = (documents: ReadonlyArray<unknown>) => documents.map((_, index) => ({ index, relevance_score: 0.5 }))
const units = ({ documents, query }: { readonly documents: ReadonlyArray<string>; readonly query: string }) => {
  const room = Math.max(1, 500 - tokensIn(query))
  return Math.ceil(documents.reduce((sum, one) => sum + Math.max(1, Math.ceil(tokensIn(one) / room)), 0) / 100)
}
const ranking = (chance: Chance, mark: string) => ({
  query: `${mark} ${words(chance, chance.pick([5, 60]))}`,
  documents: Array.from({ length: 1 + chance.below(150) }, () => words(chance, 300))
})
const MEMORY: { readonly [limit: string]: number } = { "1g": 1, "4g": 4, "16g": 16, "64g": 64 }
const SUMMARY = 4_000

export const services: ReadonlyArray<Service> = [
  {
    name: "embeddings",
    provider: "vectors",
    model: "e",
    path: "/v1/embeddings",
    settings: { protocol: "openai-chat" },
    deployment: {
      operations: ["embeddings"],
      supports: ["embeddings"],
      price: { input: 0.1, output: 0 },
      context_window: 8_192,
      bounds
    },
    isTold: true,
    draw: (chance, mark) => ({
      input: [mark, ...Array.from({ length: chance.below(200) }, () => words(chance, 200))],
      ...strange(chance)
    }),
    bill: ({ input }) =>
      perMillion(
        input.reduce((sum: number, one: string) => sum + tokensIn(one), 0),
        0.1
      ),
    answer: ({ input }) => {
      const total_tokens = input.reduce((sum: number, one: string) => sum + tokensIn(one), 0)
      const data = input.map((_: unknown, index: number) => ({ object: "embedding", index, embedding: [0.1] }))
      return { object: "list", model: "e", data, usage: { prompt_tokens: total_tokens, total_tokens } }
    }
  },
  {
    name: "images, pixels and steps",
    provider: "flux",
    model: "FLUX.1-dev",
    path: "/v1/images/generations",
    settings: { protocol: "openai-chat" },
    deployment: { operations: ["images"], price: { input: 0, output: 0, image: 0.025 } },
    isTold: false,
    draw: (chance, prompt) => ({
      prompt,
      n: 1 + chance.below(3),
      ...chance.pick<JsonObject>([{}, { width: 1_792, height: 1_792 }, { width: 512, height: 512 }, { height: 4_096 }]),
      ...chance.pick<JsonObject>([{}, { steps: 10 }, { steps: 50 }]),
      ...chance.pick<JsonObject>([{}, { image_loras: [{ path: "x", scale: 1 }] }])
    }),
    bill: ({ height = 1_024, image_loras: loras, n = 1, steps = 28, width = 1_024 }) =>
      n * 0.025 * Math.max(1, (width * height) / 1_048_576) * Math.max(1, steps / 28) * (loras === undefined ? 1 : 10),
    answer: ({ n = 1 }) => ({ created: 1, data: Array.from({ length: n }, () => ({ b64_json: "aGk=" })) })
  },
  {
    name: "rerank, Cohere",
    provider: "cohere",
    model: "rerank-v4.0-fast",
    path: "/v1/rerank",
    settings: { vendor: "cohere" },
    deployment: { bounds },
    isTold: true,
    draw: ranking,
    bill: (body) => units(body) * 0.002,
    answer: (body) => ({
      id: "r",
      results: results(body.documents),
      meta: { billed_units: { search_units: units(body) } }
    })
  },
  {
    name: "rerank, no usage",
    provider: "ranks",
    model: "r",
    path: "/v1/rerank",
    settings: { protocol: "openai-chat" },
    deployment: { operations: ["rerank"], price: { input: 0, output: 0, rerank_unit: 2 }, bounds },
    isTold: false,
    draw: ranking,
    bill: (body) => units(body) * 0.002,
    answer: ({ documents }) => ({ results: results(documents) })
  },
  {
    name: "speech, by character",
    provider: "speaks",
    model: "tts-1",
    path: "/v1/audio/speech",
    settings: { vendor: "openai" },
    deployment: {},
    isTold: false,
    draw: (chance, mark) => ({ input: `${mark} ${words(chance, 700)}`, voice: "alloy", ...strange(chance) }),
    bill: ({ input }) => ([...input].length * 15) / 1e6,
    answer: () => ({ text: "", bytes: Buffer.from("ID3"), type: "audio/mpeg" })
  },
  {
    name: "Gemini",
    provider: "gemini",
    model: "gemini-2.5-pro",
    path: "/v1/chat/completions",
    settings: { vendor: "google-ai-studio" },
    deployment: { price: talk, context_window: 200_000 },
    isTold: true,
    draw: (chance, mark) => ({ messages: say(`${mark} ${words(chance, 2_000)}`), max_tokens: 50, ...strange(chance) }),
    bill: (body) => talked(body.contents),
    answer: ({ contents }) => ({
      candidates: [{ content: { role: "model", parts: [{ text: "the the the" }] }, finishReason: "STOP" }],
      usageMetadata: {
        promptTokenCount: read(contents),
        candidatesTokenCount: SAID,
        totalTokenCount: read(contents) + SAID
      }
    })
  },
  {
    name: "Bedrock",
    provider: "bedrock",
    model: "amazon.nova-pro-v1:0",
    path: "/v1/chat/completions",
    settings: { vendor: "bedrock", region: "us-east-1", access_key_id: "AKIATEST", secret_access_key: "secret" },
    deployment: price,
    isTold: true,
    draw: (chance, mark) => ({ messages: say(`${mark} ${words(chance, 2_000)}`), max_tokens: 50, ...strange(chance) }),
    bill: (body) => talked(body.messages),
    answer: ({ messages }) => ({
      output: { message: { role: "assistant", content: [{ text: "the the the" }] } },
      stopReason: "end_turn",
      usage: { inputTokens: read(messages), outputTokens: SAID, totalTokens: read(messages) + SAID }
    })
  },
  {
    name: "Cohere",
    provider: "command",
    model: "command-a-03-2025",
    path: "/v1/chat/completions",
    settings: { vendor: "cohere" },
    deployment: price,
    isTold: true,
    draw: (chance, mark) => ({ messages: say(`${mark} ${words(chance, 2_000)}`), max_tokens: 50, ...strange(chance) }),
    bill: (body) => talked(body.messages),
    answer: ({ messages }) => ({
      id: "c",
      finish_reason: "COMPLETE",
      message: { role: "assistant", content: [{ type: "text", text: "the the the" }] },
      usage: { billed_units: { input_tokens: read(messages), output_tokens: SAID } }
    })
  },
  {
    name: "unknown fields",
    provider: "lite",
    model: "m",
    path: "/v1/chat/completions",
    settings: { protocol: "openai-chat" },
    deployment: { ...price, bounds: { ...bounds, reasoning_tokens: 0 } },
    isTold: true,
    draw: (chance, mark) => ({ messages: say(`${mark} ${words(chance, 2_000)}`), max_tokens: 50, ...strange(chance) }),
    // What it was never sent costs nothing; else the caller's own settings multiply the bill.
    bill: ({ max_tokens: _, messages, model: __, ...others }) =>
      talked(messages, Object.keys(others).length > 0 ? 100 : 1),
    answer: ({ messages }) => ({
      id: "x",
      object: "chat.completion",
      model: "m",
      choices: [{ index: 0, message: { role: "assistant", content: "the the the" }, finish_reason: "stop" }],
      usage: { prompt_tokens: read(messages), completion_tokens: SAID, total_tokens: read(messages) + SAID }
    })
  },
  {
    name: "server-side compaction",
    provider: "compacts",
    model: "claude-sonnet-4-5",
    path: "/v1/messages",
    settings: { vendor: "anthropic" },
    deployment: {
      price: { ...talk, cached_input: 0.3, cache_write: 3.75 },
      context_window: 200_000,
      max_output_tokens: 8_000
    },
    isTold: true,
    draw: (chance, mark) => ({
      messages: say(`${mark} ${words(chance, 4_000)}`),
      max_tokens: 50,
      ...chance.pick<JsonObject>([
        {},
        { compaction: { type: "summarize" } },
        {
          context_management: { edits: [{ type: "compact_20260112", trigger: { type: "input_tokens", value: 1_000 } }] }
        },
        { context_management: { edits: [{ type: "clear_tool_uses_20250919" }] } },
        { fallbacks: [{ model: "claude-opus-4-7" }] },
        { speed: "warp" }
      ])
    }),
    bill: (body) =>
      billedIterations(body).reduce(
        (sum, { input_tokens: input, output_tokens: output }) => sum + perMillion(input, 3) + perMillion(output, 15),
        0
      ),
    answer: (body) => {
      const iterations = billedIterations(body)
      const { input_tokens, output_tokens } = iterations.at(-1)!
      return {
        id: "msg_1",
        type: "message",
        role: "assistant",
        model: "claude-sonnet-4-5",
        stop_reason: "end_turn",
        content: [{ type: "text", text: "the the the" }],
        usage: { input_tokens, output_tokens, ...(iterations.length === 1 ? {} : { iterations }) }
      }
    }
  },
  {
    name: "containers",
    provider: "contains",
    model: "gpt-4.1",
    path: "/v1/responses",
    settings: { vendor: "openai" },
    deployment: { price: { ...talk, code_execution: 30 }, bounds: { tool_calls: 1, tool_tokens: 100 } },
    isTold: true,
    draw: (chance, mark) => {
      const memory_limit = chance.pick([undefined, "1g", "4g", "16g", "64g"])
      const held = { type: "auto", ...(memory_limit === undefined ? {} : { memory_limit }) }
      const tool = chance.pick([
        { type: "code_interpreter", container: held },
        { type: "shell", environment: { ...held, type: "container_auto" } }
      ])
      return { input: `${mark} ${words(chance, 500)}`, max_output_tokens: 50, tools: [tool] }
    },
    bill: ({ input, tools: [tool] }) => {
      const { memory_limit: memory = "1g" } = tool.container ?? tool.environment
      return talked(input) + 0.03 * MEMORY[memory]!
    },
    answer: ({ input }) => ({
      id: "resp_1",
      object: "response",
      model: "gpt-4.1",
      status: "completed",
      output: [
        {
          id: "m",
          type: "message",
          role: "assistant",
          content: [{ type: "output_text", text: "the", annotations: [] }]
        }
      ],
      usage: { input_tokens: read(input), output_tokens: SAID, total_tokens: read(input) + SAID }
    })
  }
]

interface Iteration {
  readonly type: string
  readonly input_tokens: number
  readonly output_tokens: number
}

/** What is summarized is read for the summary, which is read in its place. */
const billedIterations = ({ compaction, context_management, messages }: Sent): ReadonlyArray<Iteration> => {
  const input = read(messages)
  const trigger = context_management?.edits?.[0]?.trigger?.value ?? (compaction === undefined ? Infinity : 0)
  if (input < trigger) return [{ type: "message", input_tokens: input, output_tokens: SAID }]
  return [
    { type: "compaction", input_tokens: input, output_tokens: SUMMARY },
    { type: "message", input_tokens: SUMMARY, output_tokens: SAID }
  ]
}
